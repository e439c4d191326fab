import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The built binary, run the way a user runs it.
struct Tool {
  struct Outcome {
    var status: Int32
    var out: String
    var err: String
  }

  /// The binary stands beside the test bundle.
  static let path: String = {
    let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    return bundle.appending(path: "celestra-admin").path
  }()

  var directory: String
  /// Variables beside HOME and PATH; nothing else of the tester's environment reaches the tool.
  var environment: [String: String] = [:]

  func run(_ words: [String]) async throws -> Outcome {
    var variables: [Environment.Key: String] = ["HOME": directory, "PATH": "/usr/bin:/bin"]
    for (name, value) in environment { variables[Environment.Key(stringLiteral: name)] = value }
    let result = try await Subprocess.run(
      .path(FilePath(Tool.path)), arguments: Arguments(words), environment: .custom(variables),
      workingDirectory: FilePath(directory), output: .string(limit: 1 << 26), error: .string(limit: 1 << 26))
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let signal): 128 + signal
      }
    return Outcome(status: status, out: result.standardOutput ?? "", err: result.standardError ?? "")
  }
}

/// A folder of its own for one test, removed afterwards.
func withScratchFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}
