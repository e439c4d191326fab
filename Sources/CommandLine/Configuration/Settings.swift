package import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import SystemPackage

/// The settings of one run. The first of these origins that has a value applies: options, environment variables,
/// the `.env` file, the project file, the user's file.
package struct Settings: Sendable {
  package struct Source: Sendable {
    package let origin: Setting.Origin
    let text: @Sendable (SettingKey) -> String?

    /// Whether an empty variable of the process hides the secret in later origins and the saved one.
    func hides(_ key: SettingKey) -> Bool { key.isSecret && origin.trust == .process && text(key) == "" }
  }

  package let sources: [Source]
  /// About unknown settings in the files, one line each.
  package private(set) var warnings: [String]
  /// About a file and about secrets that are not used.
  package private(set) var notes: [String] = []
  /// The folder of the project file; `nil` if it is the working directory, or without a project file.
  package let projectDirectory: String?

  /// The project file's path; `nil` without one, or if it was read from standard input.
  package var projectFile: String? {
    sources.map(\.origin).first { $0.trust == .folder && $0.name != ".env" && $0.name != "<stdin>" }?.name
  }

  static let none = Settings(sources: [], warnings: [], projectDirectory: nil)

  /// Reads the settings of a tool from all origins.
  ///
  /// - Throws: ``CommandFailure`` for a file that cannot be read.
  package static func load(of tool: CommandLineTool, common: SharedOptionValues, process: ProcessContext)
    throws -> Settings
  {
    let project = try projectFile(common, process)
    let folder = project.flatMap { $0 == "-" ? nil : folderOf($0, process) }
    let dotEnvPath = "\(folder ?? process.directory)/.env"
    try RunFiles.use(dotEnvPath, as: "a file of settings")
    let dotEnvFile = try DotEnvFile.read(dotEnvPath, required: Set(tool.settings.map(\.variable)))
    let dotEnv = dotEnvFile.values
    var sources = [
      Source(origin: .init(name: "flag", trust: .process)) { [flags = flags(common)] in flags[$0.name] },
      Source(origin: .init(name: "environment", trust: .process)) { process.environment[$0.variable] },
      Source(
        origin: .init(
          name: ".env", trust: .folder, folder: folder,
          foreignFile: Setting.ForeignFile(dotEnvPath, dotEnvFile.owner))
      ) { dotEnv[$0.variable] },
    ]
    var notes: [String] = []
    var warnings = unreadVariables(process.environment, in: sources[1].origin, tool)
    warnings += unreadVariables(dotEnv, in: sources[2].origin, tool)
    if let note = unusedFile(".env", in: process.directory, project: folder), isForTool(process, tool) {
      notes.append(note)
    }
    if tool.settings.contains(where: { $0.isSecret && dotEnv[$0.variable]?.isEmpty == false }),
      let warning = SecretFileCheck.warning(path: dotEnvPath, content: "secrets")
    {
      warnings.append(warning)
    }
    let files: [(path: String?, trust: Setting.Trust)] = [(project, .folder), (userFile(process), .user)]
    for case (let path?, let trust) in files {
      try RunFiles.use(path, as: "a file of settings")
      let (values, owner) = try fileValues(path, isNamed: path == common.config, tool)
      let name = InputFile.displayName(path)
      let origin = Setting.Origin(
        name: name, trust: trust, folder: trust == .folder ? folder : nil,
        foreignFile: trust == .folder ? Setting.ForeignFile(name, owner) : nil)
      sources.append(Source(origin: origin) { values[$0.name] })
      warnings += unreadKeys(in: values, of: origin, tool)
    }
    var settings = Settings(sources: sources, warnings: warnings, notes: notes, projectDirectory: folder)
    // The process gives a secret whose file it names.
    let named = tool.settings.filter { process.environment[$0.variable]?.isEmpty == false }.map(\.name)
    for key in tool.settings where !named.contains("\(key.name)Path") {
      let hidden = sources.first { key.isRead(from: $0.origin) && $0.text(key)?.isEmpty == false }
      if let hidden, let note = settings.note(hiding: key, in: hidden.origin.name) {
        settings.notes.append(note)
      }
    }
    return settings
  }

  /// The note that the secret of a place is not used, because the process has an empty variable for it; `nil` where it has
  /// none.
  package func note(hiding key: SettingKey, in place: String) -> String? {
    guard let origin = sources.first(where: { $0.hides(key) })?.origin else { return nil }
    let empty = Setting(key: key, value: "", origin: origin)
    return "note: the \(key.name) in \(place) is not used, because \(empty.label) is empty"
  }

  /// The folder of a file; `nil` if it is the working directory.
  private static func folderOf(_ path: String, _ process: ProcessContext) -> String? {
    let working = FilePath(process.directory)
    let folder = working.pushing(FilePath(path)).removingLastComponent().lexicallyNormalized()
    return folder == working.lexicallyNormalized() ? nil : folder.string
  }

  /// The note that a file of the working directory is not read, because the project file is in another folder. `nil` where the
  /// working directory has no such file, or is that folder.
  ///
  /// - Parameters:
  ///   - name: its path from the folder of the project.
  ///   - directory: the working directory.
  ///   - folder: the folder of the project file; `nil` if it is the working directory.
  package static func unusedFile(_ name: String, in directory: String, project folder: String?) -> String? {
    guard let folder, FileManager.default.fileExists(atPath: "\(directory)/\(name)") else { return nil }
    return "note: \(name) in the working directory is not read, because the project file is in \(folder)"
  }

  /// Whether the `.env` file of the working directory has a setting of the tool, or cannot be read: many folders have one for
  /// other tools.
  private static func isForTool(_ process: ProcessContext, _ tool: CommandLineTool) -> Bool {
    guard let file = try? DotEnvFile.read("\(process.directory)/.env", required: []) else { return true }
    return tool.settings.contains { file.values[$0.variable] != nil }
  }

  /// Warnings for variables with a value whose names are almost those of settings, or of settings that other places have.
  private static func unreadVariables(
    _ values: [String: String], in origin: Setting.Origin, _ tool: CommandLineTool
  ) -> [String] {
    let names = values.filter { !$0.value.isEmpty }.keys.sorted()
    return names.compactMap { name in
      let problem =
        if let key = tool.settings.first(where: { $0.variable == name }) {
          key.misplacement(in: origin)
        } else {
          nearestVariable(to: name, tool).map { "there is no setting '\(name)'; did you mean '\($0)'?" }
        }
      return problem.map { "\(origin.name): \($0)" }
    }
  }

  /// The variable that a name begins or nearly is, apart from the start that those of a program share.
  private static func nearestVariable(to name: String, _ tool: CommandLineTool) -> String? {
    let starts = ["CELESTRA_ADMIN_", "CELESTRA_", "CLOUDKIT_"]
    guard let start = starts.first(where: name.hasPrefix) else { return nil }
    let word = String(name.dropFirst(start.count))
    let known = tool.settings.map(\.variable).filter { $0.hasPrefix(start) }.map {
      String($0.dropFirst(start.count))
    }
    let longer = known.filter { $0.hasPrefix("\(word)_") }
    let near = SpellingSuggestion.nearest(to: word, among: known) ?? (longer.count == 1 ? longer[0] : nil)
    return near.map { start + $0 }
  }

  /// The value of the first origin that has one of these settings. If an origin has several, the first in the list
  /// applies. An empty value counts as unset; an empty variable of the process also hides a secret in later origins.
  package func lookup(_ keys: SettingKey...) throws -> Setting? {
    var keys = keys
    for source in sources {
      for key in keys where key.isRead(from: source.origin) {
        guard let text = source.text(key), !text.isEmpty else { continue }
        return Setting(key: key, value: source.origin.resolved(text, of: key), origin: source.origin)
      }
      keys.removeAll(where: source.hides)
    }
    return nil
  }

  package subscript(_ key: SettingKey) -> String? {
    get throws { try lookup(key)?.value }
  }

  /// The process context with a frozen clock, if the settings ask for it. Requests are still dated by the machine's
  /// clock, because the service compares it with its own.
  package func timed(_ process: ProcessContext) throws -> ProcessContext {
    guard let clock = try lookup(.clock) else { return process }
    guard let milliseconds = UTCTime.clock(clock.value) else {
      throw clock.refused(mustBe: "a time such as 2026-01-01T00:00:00Z, in the years 1 to 9999")
    }
    var process = process
    process.now = { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    return process
  }

  /// By the names of the settings.
  private static func flags(_ common: SharedOptionValues) -> [String: String] {
    var values: [String: String] = [:]
    values["container"] = common.container
    values["cloudkit.environment"] = common.environment?.rawValue
    values["cloudkit.schemaRoute"] = common.schemaRoute?.rawValue
    return values
  }

  private static func projectFile(_ common: SharedOptionValues, _ process: ProcessContext) throws -> String? {
    if let path = common.config {
      if path == "-" { return path }
      guard FileManager.default.isReadableFile(atPath: path) else {
        throw CommandFailure("cannot read the configuration file \(path)", code: "unreadable-file")
      }
      return path
    }
    return projectFile(above: process.directory)
  }

  /// The path of the project file that holds for a folder: the folder's own, else that of the nearest folder above; `nil`
  /// without one.
  package static func projectFile(above directory: String) -> String? {
    var folder = FilePath(directory)
    while true {
      let candidate = folder.appending("celestra-admin.json").string
      if FileManager.default.fileExists(atPath: candidate) { return candidate }
      if !folder.removeLastComponent() { return nil }
    }
  }

  private static func userFile(_ process: ProcessContext) -> String? {
    guard let path = process.configurationFolder.map({ "\($0)/config.json" }) else { return nil }
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// A JSON file's values by their dotted keys, and who decides what they are.
  private static func fileValues(
    _ path: String, isNamed: Bool, _ tool: CommandLineTool
  ) throws -> (values: [String: String], owner: FileOwner) {
    let (bytes, owner) =
      try isNamed
      ? InputFile.readOwned(path) : RegularFile.readOwned(path, upTo: InputFile.settingsLimit)
    let source = SourceText(name: InputFile.displayName(path), bytes: bytes, isConfidential: true)
    let json: JSONValue
    do {
      json = try JSONValue(parsing: source.bytes)
    } catch {
      throw CommandFailure(
        "the configuration file is not valid JSON",
        diagnostics: [error.diagnostic(in: source, code: ConfigurationRule.invalidJSON.code)])
    }
    guard json.object != nil else {
      throw CommandFailure(
        "the configuration file \(source.name) must be a JSON object, and is \(json.kindName)",
        code: "invalid-configuration", hint: "Write {} for a file without settings.")
    }
    var values: [String: String] = [:]
    collect(
      json, under: [], objects: Set(tool.settings.filter { $0.type == .object }.map(\.name)), into: &values)
    return (values, owner)
  }

  /// Ignore keys that begin with `$`, such as `$schema` for editors and `$comment`.
  private static func unreadKeys(
    in values: [String: String], of origin: Setting.Origin, _ tool: CommandLineTool
  ) -> [String] {
    let settings = tool.settings.filter { $0.isRead(from: origin) }
    let known = settings.map(\.name)
    let names = values.keys.sorted()
    let isOfSection = { (name: String) in
      settings.contains { $0.type == .object && name.hasPrefix("\($0.name).") }
    }
    let isComment = { (name: String) in name.hasPrefix("$") || name.contains(".$") }
    return names.filter { !known.contains($0) && !isComment($0) && !isOfSection($0) }.map { name in
      let near = SpellingSuggestion.help(name, among: known, quote: "'").map { "; \($0)" } ?? ""
      let problem = tool.settings.first { $0.name == name }?.misplacement(in: origin)
      return "\(origin.name): \(problem ?? "there is no setting '\(name)'\(near)")"
    }
  }

  private static func collect(
    _ value: JSONValue, under path: [String], objects: Set<String>, into values: inout [String: String]
  ) {
    let name = path.joined(separator: ".")
    let text: String? =
      switch value {
      case .string(let text): text
      case .integer(let number): String(number)
      case .double(let number): String(number)
      case .bool(let flag): String(flag)
      case .array: value.text()
      case .object: objects.contains(name) ? value.text() : nil
      case .null: nil
      }
    if let text { values[name] = text }
    for member in value.object?.members ?? [] {
      collect(member.value, under: path + [member.key], objects: objects, into: &values)
    }
  }
}

/// The rules for findings in configuration files. An example is the text of `celestra-admin.json`.
package enum ConfigurationRule: String, RuleCode {
  case invalidJSON = "CF0101"

  package static let page = RulePage(.configuration, PackageResources.ConfigurationRules_md)
}
