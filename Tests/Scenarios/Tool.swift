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

  func run(_ words: [String], stdin: String = "") async throws -> Outcome {
    try await start(Tool.path, words, stdin)
  }

  /// A line for `/bin/sh`, in which the tool is called by its name.
  func shell(_ line: String, stdin: String = "") async throws -> Outcome {
    try await start("/bin/sh", ["-c", line], stdin)
  }

  /// Standard input comes from a file: a tool that ends without reading it must not break a pipe.
  private func start(_ program: String, _ words: [String], _ stdin: String) async throws -> Outcome {
    let path = FileManager.default.temporaryDirectory.appending(path: "stdin-\(UUID().uuidString)").path
    try Data(stdin.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let input = try FileDescriptor.open(path, .readOnly)
    let result = try await Subprocess.run(
      .path(FilePath(program)), arguments: Arguments(words), environment: .custom(variables),
      workingDirectory: FilePath(directory), input: .fileDescriptor(input, closeAfterSpawningProcess: true),
      output: .string(limit: 1 << 26), error: .string(limit: 1 << 26))
    return Outcome(
      status: result.terminationStatus.shellStatus, out: result.standardOutput, err: result.standardError)
  }

  var variables: [Environment.Key: String] {
    let folder = URL(filePath: Tool.path).deletingLastPathComponent().path
    var variables: [Environment.Key: String] = ["HOME": directory, "PATH": "\(folder):/usr/bin:/bin"]
    for (name, value) in environment { variables[Environment.Key(stringLiteral: name)] = value }
    return variables
  }
}
