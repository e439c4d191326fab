internal import ArgumentParser
internal import Cryptography
// Foundation, not its essentials: Process is only there, and the binary links it for SQLite's sake anyway.
internal import Foundation
internal import PositionedJSON

struct EmulatorExec: AdminCommand {
  static let title = "emulator exec"
  static let configuration = CommandConfiguration(
    commandName: "exec", abstract: "Run a command against a fresh emulator, and end with its status.",
    usage: "celestra-admin emulator exec --schema <file> [<options>] -- <command> ...",
    discussion: """
      The CLOUDKIT_ variables point the command at the emulator; a job needs no other change. 'emulator serve --help' \
      explains the faults.

      Example: celestra-admin emulator exec --schema schema/celestra.ckdb -- celestra-admin seed apply seeds
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: EmulatorArguments
  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.") var command:
    [String] = []

  func validate() throws {
    if command.isEmpty { throw ValidationError("give the command to run after --") }
  }

  func perform(in session: Session) async throws -> CommandResult {
    let emulator = try await RunningEmulator.start(
      arguments, session, managementToken: Secret(UUID().uuidString))
    let variables = session.world.environment.merging(emulator.variables) { $1 }
    let status: Result<Int32, any Error>
    do {
      status = .success(try await ChildProcess(command, variables).run())
    } catch {
      status = .failure(error)
    }
    try await emulator.stop()
    return CommandResult(ExitStatus(rawValue: try status.get()), json: [:]) { _, _ in nil }
  }
}

/// A command run to its end with this process's own streams.
private struct ChildProcess {
  private let words: [String]
  private let environment: [String: String]

  init(_ words: [String], _ environment: [String: String]) {
    self.words = words
    self.environment = environment
  }

  /// The exit status, or 128 and the signal's number. Cancelling asks the command to end.
  func run() async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = environment
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { process in
          let code = process.terminationStatus
          continuation.resume(returning: process.terminationReason == .exit ? code : 128 + code)
        }
        do {
          try Posix.withSignalsUnblocked { try process.run() }
        } catch {
          continuation.resume(throwing: CommandFailure("cannot run \(words[0]): \(error.reason)"))
        }
      }
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
  }
}
