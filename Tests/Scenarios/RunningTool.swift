import Foundation

/// A run of the tool that a test can signal while it works.
final class RunningTool: Sendable {
  struct NeverHappened: Error { let what: String }

  private let process: Process
  private let ended: Task<Void, Never>

  /// Output goes nowhere; what a run did is read from its container afterwards.
  init(_ tool: Tool, _ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: Tool.path)
    process.arguments = words
    process.currentDirectoryURL = URL(filePath: tool.directory)
    process.environment = ["HOME": tool.directory, "PATH": "/usr/bin:/bin"]
      .merging(tool.environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    ended = Task { for await _ in ends {} }
    try process.run()
    self.process = process
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  var isRunning: Bool { process.isRunning }

  /// The exit status; 128 and the number for a signal that ended it.
  func wait() async -> Int32 {
    await ended.value
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }
}
