internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `auth status`.
struct AuthStatus: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which credentials are configured, and their source.",
    discussion: """
      Example: celestra-admin auth status --format json
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthStatus>

  func perform(in context: CommandContext) async throws -> any Report {
    let keys: [SettingKey] = [
      .cloudKitContainer, .cloudKitTeam, .cloudKitKeyID, .cloudKitKeyPath, .cloudKitKey, .cloudKitAPIToken,
      .managementToken,
    ]
    var found: [CredentialList.Entry] = try keys.compactMap { key in
      try context.settings.lookup(key).map { .init(name: key.name, origin: $0.origin.name) }
    }
    let store = TokenStore(context.process)
    if try store.contains(.management) {
      found.append(.init(name: "saved management token", origin: try store.path(.management)))
    }
    return CredentialList(entries: found)
  }
}

/// The report of `auth status`: the configured credentials with their sources, never their values.
struct CredentialList: Report {
  /// A configured credential with its source.
  struct Entry: Sendable {
    let name: String
    let origin: String
  }

  let entries: [Entry]

  var json: JSONValue {
    ["credentials": .array(entries.map { ["name": .string($0.name), "origin": .string($0.origin)] })]
  }

  var body: ReportBody {
    if entries.isEmpty { "no credentials are configured" }
    Table(facts: entries.map { ("\($0.name)", "\("from \($0.origin)", .dim)") })
  }
}
