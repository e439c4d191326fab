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

  /// A run waits for what never comes, such as the ready file of a server that refused to start.
  struct Endless: Error { let words: [String] }

  /// Longer than each run takes on a busy machine.
  private static let limit = Duration.seconds(300)

  /// Ends the run with all that it started after the limit, so that the other tests go on.
  private func start(_ program: String, _ words: [String], _ stdin: String) async throws -> Outcome {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask { try await outcome(program, words, stdin) }
      group.addTask {
        try await Task.sleep(for: Tool.limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let outcome = try await group.next() as? Outcome else { throw Endless(words: words) }
      return outcome
    }
  }

  /// Standard input comes from a file: a tool that ends without reading it must not break a pipe.
  private func outcome(_ program: String, _ words: [String], _ stdin: String) async throws -> Outcome {
    let path = FileManager.default.temporaryDirectory.appending(path: "stdin-\(UUID().uuidString)").path
    try Data(stdin.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let input = try FileDescriptor.open(path, .readOnly)
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    let result = try await Subprocess.run(
      .path(FilePath(program)), arguments: Arguments(words), environment: .custom(variables),
      workingDirectory: FilePath(directory), platformOptions: options,
      input: .fileDescriptor(input, closeAfterSpawningProcess: true),
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
