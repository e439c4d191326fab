import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// What `emulator serve --ready-file` says once it listens.
private struct ReadyFile: Decodable {
  var url: String
  var managementURL: String
  var keyID: String
  var privateKeyPath: String
  var container: String
  var managementToken: String

  /// Points the tool at this emulator, as fast as it can: the usual 8 requests a second suit a service, and a
  /// client on loopback obeys any higher figure.
  var variables: [String: String] {
    [
      "CELESTRA_ADMIN_CONTAINER": "cloudkit:\(container)", "CLOUDKIT_BASE_URL": url,
      "CLOUDKIT_MANAGEMENT_BASE_URL": managementURL, "CLOUDKIT_KEY_ID": keyID,
      "CLOUDKIT_PRIVATE_KEY_PATH": privateKeyPath, "CLOUDKIT_MANAGEMENT_TOKEN": managementToken,
      "CLOUDKIT_TEAM_ID": "DEMODEMO00", "CLOUDKIT_RATE_LIMIT": "100000",
    ]
  }
}

struct EmulatorDidNotStart: Error { let log: String }

/// Serves the container file to the tool while `body` runs, and stops the emulator whatever happens.
///
/// - Parameter options: of `emulator serve`, as faults and latency.
/// - Returns: what `body` returned, and what the emulator printed.
@discardableResult
func withEmulator<Result: Sendable>(
  for tool: Tool, file: String, schema: String = "schema/celestra.ckdb", options: [String] = [],
  _ body: (Tool) async throws -> Result
) async throws -> (result: Result, log: String) {
  let ready = "\(tool.directory)/ready-\(UUID().uuidString).json"
  let words = ["emulator", "serve", "--schema", schema, "--container-file", file, "--ready-file", ready]
  let run = try await Subprocess.run(
    .path(FilePath(Tool.path)), arguments: Arguments(words + options), environment: .custom(tool.variables),
    workingDirectory: FilePath(tool.directory), input: .none, output: .discarded, error: .sequence
  ) { execution in
    let (listening, signal) = AsyncStream.makeStream(of: Void.self)
    async let log = collect(execution.standardError, signal)
    var isListening = false
    for await _ in listening { isListening = true }
    guard isListening else { throw EmulatorDidNotStart(log: try await log) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(tool.pointed(at: ready)))
    } catch {
      outcome = .failure(error)
    }
    try execution.send(signal: .terminate)
    return (outcome, try await log)
  }
  return (try run.closureResult.0.get(), run.closureResult.1)
}

/// Everything that is printed; signals `signal` when the address has been, or when nothing more comes.
private func collect(
  _ output: SubprocessOutputSequence, _ signal: AsyncStream<Void>.Continuation
) async throws -> String {
  defer { signal.finish() }
  var log = ""
  for try await line in output.strings() {
    log += line + "\n"
    if line.contains(" at http://") {
      signal.yield()
      signal.finish()
    }
  }
  return log
}

extension Tool {
  fileprivate func pointed(at readyFile: String) throws -> Tool {
    let ready = try JSONDecoder().decode(
      ReadyFile.self, from: Data(contentsOf: URL(filePath: readyFile)))
    var tool = self
    tool.environment.merge(ready.variables) { $1 }
    return tool
  }
}
