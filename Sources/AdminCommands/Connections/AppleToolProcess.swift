internal import CloudKitClient
// Foundation, not its essentials: Process is only there, and the binary links it for SQLite's sake anyway.
internal import Foundation

/// Runs Apple's `xcrun`, where there is one.
struct AppleToolProcess: Sendable {
  private let program: URL
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
    program = URL(filePath: path)
    self.environment = environment
  }

  /// Waits for its end; cancelling asks it to end. It has no standard input: it must not ask anybody.
  func run(_ arguments: [String], _ variables: [String: String]) async throws -> AppleTool.Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment.merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try Posix.withSignalsUnblocked { try process.run() }
    return try await withTaskCancellationHandler {
      // Both are read at once: a full pipe would stop the tool.
      async let text = Self.contents(of: output)
      async let complaint = Self.contents(of: errors)
      let outcome = AppleTool.Outcome(
        status: 0, output: try await text, errors: String(decoding: try await complaint, as: UTF8.self))
      for await _ in ends {}
      try Task.checkCancellation()
      return AppleTool.Outcome(
        status: process.terminationStatus, output: outcome.output, errors: outcome.errors)
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
  }

  private static func contents(of pipe: Pipe) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { Array(try pipe.fileHandleForReading.readToEnd() ?? Data()) })
      }
    }
  }
}
