internal import ArgumentParser
internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials

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

  @OptionGroup var arguments: EmulatorArguments
  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.") var command:
    [String] = []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<EmulatorExec>

  func validate() throws {
    if command.isEmpty { throw ValidationError("give the command to run after --") }
  }

  func target(in session: Session) throws -> ContainerIdentity { try arguments.target(in: session) }

  func perform(in session: Session) async throws -> CommandResult {
    let emulator = try await RunningEmulator.start(
      arguments, session, managementToken: Secret(UUID().uuidString))
    let variables = session.world.environment.merging(emulator.variables) { $1 }
    let status: Result<Int32, any Error>
    do {
      status = .success(try await run(variables))
    } catch {
      status = .failure(error)
    }
    try await emulator.stop()
    let ended = try status.get()
    return CommandResult(ExitStatus(rawValue: ended), json: ["status": .integer(Int64(ended))]) { _, _ in nil
    }
  }

  /// Looked up on the command's own PATH, with this process's own streams.
  private func run(_ variables: [String: String]) async throws -> Int32 {
    let process = ChildProcess(
      program: "/usr/bin/env", arguments: command, environment: variables, streams: .inherited)
    do { return try await process.run().status } catch {
      throw CommandFailure("cannot run \(command[0]): \(error.reason)")
    }
  }
}
