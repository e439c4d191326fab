// Foundation, not FoundationEssentials, for Process; GRDB links it anyway.
internal import Foundation
internal import Platform

/// A child process that is run to its end. Cancelling the task sends it SIGTERM.
package struct ChildProcess: Sendable {
  package enum Streams: Sendable {
    case inherited
    /// The given input, empty unless given, so that the program cannot prompt; its output is captured.
    case captured
  }

  package struct Outcome: Sendable {
    /// The exit status, or 128 and the signal's number.
    package var status: Int32
    package var output: [UInt8] = []
    package var errors: [UInt8] = []
  }

  /// The path of the program; PATH is not searched.
  package let program: String
  package let arguments: [String]
  package let environment: [String: String]
  package let streams: Streams
  package let input: [UInt8]

  package init(
    program: String, arguments: [String], environment: [String: String], streams: Streams, input: [UInt8] = []
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.streams = streams
    self.input = input
  }

  package func run() async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = environment
    let pipes = streams == .captured ? (output: Pipe(), errors: Pipe()) : nil
    let source = streams == .captured && !input.isEmpty ? Pipe() : nil
    if let pipes {
      process.standardInput = source ?? FileHandle.nullDevice
      process.standardOutput = pipes.output
      process.standardError = pipes.errors
    }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try ProcessSignal.withAllUnblocked { try process.run() }
    return try await withTaskCancellationHandler {
      // Write and read at the same time: a full pipe would block the program.
      async let written: Void = Self.write(input, to: source)
      async let output = Self.contents(of: pipes?.output)
      async let errors = Self.contents(of: pipes?.errors)
      var outcome = Outcome(status: 0, output: try await output, errors: try await errors)
      await written
      // Use a separate task, because a cancelled task cannot wait.
      await Task { for await _ in ends {} }.value
      let status = process.terminationStatus
      outcome.status = process.terminationReason == .exit ? status : 128 + status
      return outcome
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
  }

  private static func write(_ input: [UInt8], to pipe: Pipe?) async {
    guard let pipe else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        // A program that ends without reading its input says so with its exit status.
        try? pipe.fileHandleForWriting.write(contentsOf: Data(input))
        try? pipe.fileHandleForWriting.close()
        continuation.resume()
      }
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
