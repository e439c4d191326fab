// Foundation, not FoundationEssentials, for Pipe; GRDB links it anyway.
internal import Foundation
internal import Platform

/// A child process that is run to its end. Cancelling the task terminates it (``SpawnedProcess/terminate()``).
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
    let pipes = streams == .captured ? (input: Pipe(), output: Pipe(), errors: Pipe()) : nil
    let ends = pipes.map {
      [$0.input.fileHandleForReading, $0.output.fileHandleForWriting, $0.errors.fileHandleForWriting]
    }
    let process = try SpawnedProcess(
      program, arguments, environment: environment, streams: ends?.map(\.fileDescriptor) ?? [0, 1, 2])
    // The other ends reach the end of their data only when no process has these open.
    for end in ends ?? [] { try end.close() }
    return try await withTaskCancellationHandler {
      // Write and read at the same time: a full pipe would block the program.
      async let written: Void = Self.write(input, to: pipes?.input)
      async let output = Self.contents(of: pipes?.output, from: process)
      async let errors = Self.contents(of: pipes?.errors, from: process)
      let outcome = Outcome(status: await process.wait(), output: try await output, errors: try await errors)
      await written
      return outcome
    } onCancel: {
      process.terminate()
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

  private static func contents(of pipe: Pipe?, from process: SpawnedProcess) async throws -> [UInt8] {
    guard let pipe else { return [] }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try process.contents(of: pipe.fileHandleForReading.fileDescriptor) })
      }
    }
  }
}
