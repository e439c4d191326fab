internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct AuthStatus: AdminCommand {
  static let title = "auth status"
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which credentials are configured, and their source.")

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthStatus>

  func perform(in session: Session) async throws -> any Report {
    let keys: [SettingKey] = [
      .cloudKitContainer, .cloudKitTeam, .cloudKitKeyID, .cloudKitKeyPath, .cloudKitKey, .cloudKitAPIToken,
      .managementToken,
    ]
    var found: [(name: String, origin: String)] = try keys.compactMap { key in
      try session.settings.lookup(key).map { (key.name, $0.origin.name) }
    }
    let store = try TokenStore(session.world)
    if store.contains(.management) { found.append(("saved management token", store.path(.management))) }
    let json = found.map { entry -> JSONValue in
      ["name": .string(entry.name), "origin": .string(entry.origin)]
    }
    return CommandResult(json: ["credentials": .array(json)]) { [found] _, style in
      let width = found.map(\.name.count).max() ?? 0
      let lines = found.map { entry -> PrintableText in
        "\(entry.name.padded(to: width))  \(style.dim("from \(entry.origin)"))\n"
      }
      return lines.isEmpty ? "no credentials at hand\n" : lines.joined()
    }
  }
}
