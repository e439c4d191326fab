internal import ArgumentParser

/// The command group `emulator`.
struct EmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emulator", abstract: "Serve a local container as CloudKit Web Services.",
    discussion: """
      Checks signatures, schema, indexes, roles, change tags and limits as the service does, on loopback, and never \
      talks to Apple. Documentation/Fidelity.md says what is known about the service and what is a setting.
      """,
    subcommands: [EmulatorServe.self, EmulatorExec.self])
}
