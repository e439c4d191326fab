internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `cktool remove-token`.
struct CKToolRemoveToken: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-token", abstract: "Remove a saved token.",
    discussion: """
      Example:
        celestra-admin cktool remove-token --type management
      """)

  @Option(help: "management or user.") var type: TokenStore.Kind
  @Option(help: "file or keychain; both mean a file with mode 0600.") var method: CKToolTokenStorage =
    .keychain
  @Flag(help: "Do not ask for confirmation.") var force = false

  var place: CKToolSettings { CKToolSettings() }

  func perform(in context: CommandContext) async throws -> any Report {
    let store = TokenStore(context.process)
    if try store.contains(type) {
      try context.confirmLikeCKTool("Remove the \(type.rawValue) token?", yes: force, flag: "--force")
    }
    try store.remove(type)
    return PlainReport()
  }
}
