internal import ArgumentParser

/// The command group `auth`.
struct AuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth", abstract: "Create, save and check credentials.",
    discussion: """
      Records are read and written with a server-to-server key (CLOUDKIT_KEY_ID and CLOUDKIT_PRIVATE_KEY_PATH or \
      CLOUDKIT_PRIVATE_KEY); schemas with a management token (CLOUDKIT_MANAGEMENT_TOKEN, or one saved here). \
      Neither is an option of these commands, and neither is ever printed.
      """,
    subcommands: [AuthKeygen.self, AuthCheck.self, AuthSaveToken.self, AuthRemoveToken.self, AuthStatus.self])
}
