internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show what is configured, and where it comes from.",
    subcommands: [ConfigShow.self, ConfigList.self, ConfigSchema.self])
}

struct ConfigShow: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print each setting that is set.",
    discussion: """
      Sources in order: options, environment variables, .env, the project file (celestra-admin.json, in this folder or \
      one above), the user's configuration file. Secrets are never printed.

      All settings that there are: celestra-admin config list.

      Example: celestra-admin config show --origin
      """)

  @Flag(help: "Show where each value comes from.") var origin = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConfigShow>

  func perform(in context: CommandContext) async throws -> any Report {
    let found = try SettingKey.all.compactMap { try context.settings.lookup($0) }
    context.warn(about: found)
    let list = found.map { setting -> JSONValue in
      .object([
        "key": setting.key.name.json, "value": setting.shown.json, "origin": setting.origin.name.json,
        "mustBe": setting.isRefused ? setting.key.type.form.json : nil,
      ])
    }
    return PlainReport(json: ["settings": .array(list)]) {
      if found.isEmpty { "nothing is configured" }
      Table(
        facts: found.map { setting in
          (
            "\(setting.key.name)",
            "\(setting.shown)\(origin ? "  (\(setting.origin.name))" : "", .dim)\(setting.isRefused ? "  refused" : "", .bad)"
          )
        })
    }
  }
}

extension CommandContext {
  /// Says which settings the commands that read them will refuse.
  fileprivate func warn(about settings: [Setting]) {
    for setting in settings where setting.isRefused { warn(setting.refused().message) }
  }
}

struct ConfigList: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print all settings, with type, default and where each is set.",
    discussion: """
      In celestra-admin.json a name such as health.interval is {"health": {"interval": "2h"}}. As an environment \
      variable it is CELESTRA_ADMIN_HEALTH_INTERVAL, and those of cloudkit are such as CLOUDKIT_KEY_ID; --format json \
      names each variable.

      Example: celestra-admin config list
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConfigList>

  func perform(in context: CommandContext) async throws -> any Report {
    let rows = try SettingKey.all.map { ($0, try context.settings.lookup($0)) }
    context.warn(about: rows.compactMap(\.1))
    return PlainReport(json: ["settings": .array(rows.map { Self.json($0, $1) })]) {
      for (key, setting) in rows { Self.item(key, setting) }
    }
  }

  private static func json(_ key: SettingKey, _ setting: Setting?) -> JSONValue {
    var row: JSONObject = [
      "key": key.name.json, "type": key.type.word.json, "summary": key.summary.json,
    ]
    row["values"] = key.type.choices.map { $0.json }
    row["default"] = key.defaultValue?.json
    if key.places != .files { row["variable"] = key.variable.json }
    row["value"] = setting?.shown.json
    row["origin"] = setting?.origin.name.json
    return .object(row)
  }

  private static func item(_ key: SettingKey, _ setting: Setting?) -> ListItem {
    let type = key.type.choices.map { $0.joined(separator: "|") } ?? key.type.word
    let usual = key.defaultValue.map { ", default \($0)" } ?? ""
    let places =
      switch key.places {
      case .all: ""
      case .process: "; only as the variable \(key.variable)"
      case .files: "; only in celestra-admin.json"
      }
    return ListItem(
      "\(key.name, .strong)  \(type)\(usual)",
      details: ["\(key.summary)\(places)"]
        + (setting.map { ["set to \($0.shown) (\($0.origin.name))\($0.isRefused ? ", refused" : "")"] } ?? [])
    )
  }
}

struct ConfigSchema: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print a JSON Schema for celestra-admin.json, or for another file.",
    discussion: """
      A text editor completes and checks the file with it: write it to a file, and begin celestra-admin.json with \
      {"$schema": "./celestra-admin.schema.json"}. It has the settings of 'config list' that may stand in a file.

      Examples:
        celestra-admin config schema --output celestra-admin.schema.json
        celestra-admin config schema aggregates --output aggregates.schema.json
      """)

  enum File: String, CaseIterable, ExpressibleByArgument {
    case aggregates, moderation

    var schema: [UInt8] {
      switch self {
      case .aggregates: PackageResources.aggregates_schema_json
      case .moderation: PackageResources.moderation_schema_json
      }
    }
  }

  @Argument(help: "The schema of aggregates.json or moderation.json instead.") var file: File?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ConfigSchema>

  func perform(in context: CommandContext) async throws -> any Report {
    let text =
      file.map { String(decoding: $0.schema, as: UTF8.self) }
      ?? SettingsSchema(of: SettingKey.all).json.text(.pretty) + "\n"
    return PlainReport(json: text.json) { ReportBody.document(text) }
  }
}
