internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command group `config`.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show what is configured, and where it comes from.",
    subcommands: [ConfigShow.self])
}

/// The command `config show`.
struct ConfigShow: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print every setting that has a value.",
    discussion: """
      Sources in order: options, environment variables, .env, the project file (celestra-admin.json, in this folder or \
      one above), the user's configuration file. Secrets are never printed.

      Example: celestra-admin config show --origin
      """)

  @Flag(help: "Show where each value comes from.") var origin = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConfigShow>

  func perform(in context: CommandContext) async throws -> any Report {
    let found = try SettingKey.all.compactMap { try context.settings.lookup($0) }
    return SettingsReport(settings: found, showsOrigins: origin)
  }
}

/// The settings that have a value, without secrets.
struct SettingsReport: Report {
  let settings: [Setting]
  let showsOrigins: Bool

  var json: JSONValue {
    let list = settings.map { setting -> JSONValue in
      [
        "key": .string(setting.key.name), "value": .string(setting.shown),
        "origin": .string(setting.origin.name),
      ]
    }
    return ["settings": .array(list)]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let width = settings.map(\.key.name.count).max() ?? 0
    let lines = settings.map { setting -> PrintableText in
      let source = showsOrigins ? style.dim("  (\(setting.origin.name))") : ""
      return "\(setting.key.name.padded(to: width))  \(setting.shown)\(source)\n"
    }
    return lines.isEmpty ? "nothing is configured\n" : lines.joined()
  }
}
