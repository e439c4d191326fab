internal import CloudKitClient
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// Runs Apple's `xcrun`, where there is one.
struct AppleToolProcess: Sendable {
  private let program: String
  private let environment: [String: String]

  /// Throws a failure that says what to do on a machine without Xcode.
  init(_ environment: [String: String]) throws {
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = folders.map { "\($0)/xcrun" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw CommandFailure(
        "Apple's cktool is not on this machine: there is no xcrun on the PATH", code: "no-cktool",
        hint:
          "It comes with Xcode, on macOS only. Elsewhere leave out --via cktool and give a management token.")
    }
    program = path
    self.environment = environment
  }

  /// It has no standard input: it must not ask anybody.
  func run(_ arguments: [String], _ variables: [String: String]) async throws -> AppleTool.Outcome {
    let child = ChildProcess(
      program: program, arguments: arguments, environment: environment.merging(variables) { $1 },
      streams: .captured)
    let outcome = try await child.run()
    try Task.checkCancellation()
    return AppleTool.Outcome(
      status: outcome.status, output: outcome.output, errors: String(decoding: outcome.errors, as: UTF8.self))
  }
}
