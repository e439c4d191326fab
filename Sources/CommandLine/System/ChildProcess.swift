// Foundation, not its essentials: Process is only there, and the binary links it for SQLite's sake anyway.
internal import Foundation

/// A program run to its end. Cancelling asks it to end.
public struct ChildProcess: Sendable {
  public enum Streams: Sendable {
    /// This process's own.
    case inherited
    /// Nothing to read, for a program that must not ask anybody; what it writes is kept.
    case captured
  }

  public struct Outcome: Sendable {
    /// The exit status, or 128 and the signal's number.
    public var status: Int32
    public var output: [UInt8] = []
    public var errors: [UInt8] = []
  }

  /// A path: nothing is looked up.
  public let program: String
  public let arguments: [String]
  public let environment: [String: String]
  public let streams: Streams

  public init(program: String, arguments: [String], environment: [String: String], streams: Streams) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.streams = streams
  }

  public func run() async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = environment
    let pipes = streams == .captured ? (output: Pipe(), errors: Pipe()) : nil
    if let pipes {
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = pipes.output
      process.standardError = pipes.errors
    }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try Posix.withSignalsUnblocked { try process.run() }
    return try await withTaskCancellationHandler {
      // Both are read at once: a full pipe would stop the program.
      async let output = Self.contents(of: pipes?.output)
      async let errors = Self.contents(of: pipes?.errors)
      var outcome = Outcome(status: 0, output: try await output, errors: try await errors)
      // A task of its own, as one that was cancelled waits for nothing.
      await Task { for await _ in ends {} }.value
      let status = process.terminationStatus
      outcome.status = process.terminationReason == .exit ? status : 128 + status
      return outcome
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
  }

  private static func contents(of pipe: Pipe?) async throws -> [UInt8] {
    guard let pipe else { return [] }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { Array(try pipe.fileHandleForReading.readToEnd() ?? Data()) })
      }
    }
  }
}
