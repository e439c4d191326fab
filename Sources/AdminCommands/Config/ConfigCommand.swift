internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show what is configured, and where it comes from.",
    subcommands: [ConfigShow.self])
}

struct ConfigShow: AdminCommand {
  static let title = "config show"
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print every setting that has a value.",
    discussion: """
      A flag decides before the environment, the environment before a .env file, that before the project file \
      (celestra-admin.json, found upwards) and the user's file. Secrets are never printed.
      """)

  @Flag(help: "Say where each value comes from.") var origin = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConfigShow>

  func perform(in session: Session) async throws -> any Report {
    let found = try SettingKey.all.compactMap { try session.settings.lookup($0) }
    let json = found.map { entry -> JSONValue in
      ["key": .string(entry.key.name), "value": .string(entry.shown), "origin": .string(entry.origin.name)]
    }
    return CommandResult(json: ["settings": .array(json)]) { _, style in
      let width = found.map(\.key.name.count).max() ?? 0
      let lines = found.map { entry -> PrintableText in
        let source = origin ? style.dim("  (\(entry.origin.name))") : ""
        return "\(entry.key.name.padded(to: width))  \(entry.shown)\(source)\n"
      }
      return lines.isEmpty ? "nothing is configured\n" : lines.joined()
    }
  }
}
