internal import CloudKitClient
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// Runs Apple's cktool through `xcrun`.
struct AppleCKToolProcess: Sendable {
  private let program: String
  private let environment: [String: String]

  /// Throws ``CommandFailure`` if `xcrun` is not installed.
  init(_ environment: [String: String]) throws {
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = folders.map { "\($0)/xcrun" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw CommandFailure(
        "Apple's cktool is not installed: xcrun is not on the PATH", code: "no-cktool",
        hint:
          "It comes with Xcode, on macOS only. Elsewhere leave out --via cktool and give a management token.")
    }
    program = path
    self.environment = environment
  }

  /// Runs cktool without standard input, so that it cannot prompt.
  func run(_ arguments: [String], _ variables: [String: String]) async throws -> AppleCKTool.Outcome {
    let child = ChildProcess(
      program: program, arguments: arguments, environment: environment.merging(variables) { $1 },
      streams: .captured)
    let outcome = try await child.run()
    try Task.checkCancellation()
    return AppleCKTool.Outcome(
      status: outcome.status, output: outcome.output, errors: String(decoding: outcome.errors, as: UTF8.self))
  }
}
