internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import SchemaLanguage
internal import WebServicesWire

extension SettingKey {
  static let container = SettingKey(
    name: "container", .path(prefix: "local:"), default: "local:.celestra/container.sqlite",
    summary: "where the records are: local:PATH, memory: or cloudkit:CONTAINER-ID")
  static let aggregates = SettingKey(
    name: "aggregates", .path(), default: "aggregates.json", summary: "the file that declares the aggregates")
  static let moderation = SettingKey(
    name: "moderation", .path(), default: "moderation.json",
    summary: "the file that declares what is moderated")
  static let stateDirectory = SettingKey(
    name: "stateDirectory", .path(), default: ".celestra",
    summary: "where the history and locks are kept: by default beside a local container")
  static let schema = SettingKey(
    name: "schema", .path(),
    summary:
      "the schema file: used if the container's schema cannot be read, and compared with it on status pages")
  static let leaseLifetime = SettingKey(
    name: "leaseLifetime", .duration, default: "3m",
    summary: "how long the lease of a run without renewal blocks other runs: for tests", places: .process)
  static let contact = SettingKey(name: "contact", summary: "the contact address that feed servers see")
  static let cloudKitContainer = SettingKey(name: "cloudkit.containerID", summary: "the CloudKit container")
  static let cloudKitTeam = SettingKey(name: "cloudkit.teamID", summary: "the ten-character team id")
  static let cloudKitEnvironment = SettingKey(
    name: "cloudkit.environment", .choice(EnvironmentOption.allCases.map(\.rawValue)), default: "development",
    summary: "the environment of the container")
  static let cloudKitKeyID = SettingKey(name: "cloudkit.keyID", summary: "the server-to-server key's id")
  static let cloudKitKeyPath = SettingKey(
    name: "cloudkit.privateKeyPath", .path(), summary: "the key's PEM file")
  static let cloudKitKey = SettingKey(
    name: "cloudkit.privateKey", summary: "the key's PEM text", isSecret: true)
  static let cloudKitAPIToken = SettingKey(name: "cloudkit.apiToken", summary: "an API token", isSecret: true)
  static let cloudKitWebAuthToken = SettingKey(
    name: "cloudkit.webAuthToken", summary: "a user's web-auth token", isSecret: true)
  static let managementToken = SettingKey(
    name: "cloudkit.managementToken", summary: "the token for schema work", isSecret: true)
  static let baseURL = SettingKey(
    name: "cloudkit.baseURL", .address, default: ClientSettings.appleBaseURL,
    summary: "the web services' address")
  static let managementBaseURL = SettingKey(
    name: "cloudkit.managementBaseURL", .address, default: ManagementAPIAssumption.host.value,
    summary: "the management service's address")
  static let schemaRoute = SettingKey(
    name: "cloudkit.schemaRoute", .choice(SchemaAccessMethod.allCases.map(\.rawValue)), default: "web",
    summary: "how schemas are reached: the web services, or Apple's cktool")
  static let rateLimit = SettingKey(
    name: "cloudkit.rateLimit", .number,
    summary: "requests a second, at most 40 except to an emulator on this machine")
  static let settle = SettingKey(
    name: "records.settle", .delay, default: "2m",
    summary: "how long an index of a service may lag behind its records")

  /// Settings that only the lint, diff and guide commands read, from the project file.
  private static let ofSchemas = LintConfiguration.settings.map { setting in
    let type: SettingType =
      switch setting.form {
      case .word(let words): .choice(words)
      case .path: .path()
      case .list: .list
      case .object: .object
      }
    return SettingKey(name: setting.key, type, summary: setting.summary, places: .files)
  }

  static let all: [SettingKey] =
    [
      container, schema, aggregates, moderation, stateDirectory, clock, leaseLifetime, contact,
      cloudKitContainer, cloudKitTeam, cloudKitEnvironment, cloudKitKeyID, cloudKitKeyPath, cloudKitKey,
      cloudKitAPIToken, cloudKitWebAuthToken, managementToken, baseURL, managementBaseURL, schemaRoute,
      rateLimit, settle, httpHosts, pingURL, messageLifetime,
    ] + FeedRecordSettings.keys + ArticleSettings.keys + HealthCheckSettings.rows.map(\.key) + ofSchemas
}

extension Settings {
  /// The time that a setting says; `nil` if it is not set. Throws a usage error for another value.
  func duration(_ key: SettingKey) throws -> Duration? { try value(key, key.type.readDuration) }

  /// The value of a setting; `nil` if it is not set. Throws a usage error for one that `read` does not know.
  func value<Value>(_ key: SettingKey, _ read: (String) -> Value?) throws -> Value? {
    guard let setting = try lookup(key) else { return nil }
    guard let value = read(setting.value) else {
      throw setting.refused()
    }
    return value
  }
}

extension Setting {
  /// Whether commands refuse the value because the setting's type does not have it.
  var isRefused: Bool { !key.type.allows(value) }
}

extension CommandContext {
  /// How long after a change a query may miss it (Documentation/reference/web-services.md#index-delay): 2 minutes on a
  /// service, nothing in a local container, or what `records.settle` says; nothing in a mirror, whose `asOf` leaves that
  /// time. Throws a usage error for an invalid value.
  func settleTime() throws -> Duration {
    guard mirror == nil, let time = try settings.duration(.settle) else {
      return try usesService ? ContainerLimits.settleTime : .zero
    }
    return time
  }
}

/// Options whose help has a word for their value: `@Option("The file to write.", value: "file") var output: String`.
extension Option {
  init(
    wrappedValue: Value, _ help: String, value: String, completion: CompletionKind? = nil
  ) where Value: ExpressibleByArgument {
    self.init(
      wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init(_ help: String, value: String, completion: CompletionKind? = nil) where Value: ExpressibleByArgument {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T: ExpressibleByArgument>(
    _ help: String, value: String, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T>(
    _ help: String, value: String, completion: CompletionKind? = nil,
    transform: @Sendable @escaping (String) throws -> T
  ) where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion, transform: transform)
  }

  init<T: ExpressibleByArgument>(
    wrappedValue: [T], _ help: String, value: String, completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T: CaseIterable & RawRepresentable<String> & Sendable>(_ help: String, word: String)
  where Value == T? {
    self.init(
      help: ArgumentHelp(help, valueName: word), completion: EnumOption.words(T.self),
      transform: { try EnumOption.parse($0) })
  }
}

/// Options that take a word of an enum of a library: `@Option("public or private.", word: "database")`.
extension Option where Value: CaseIterable & RawRepresentable<String> & Sendable {
  init(wrappedValue: Value, _ help: String, word: String) {
    self.init(
      wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: word),
      completion: EnumOption.words(Value.self), transform: { try EnumOption.parse($0) })
  }

  init(_ help: String, word: String) {
    self.init(
      help: ArgumentHelp(help, valueName: word), completion: EnumOption.words(Value.self),
      transform: { try EnumOption.parse($0) })
  }
}

extension ArgumentHelp {
  static var schemaFile: Self { "The schema file, or git:REF:PATH; - reads standard input." }
  static var schemaFiles: Self {
    "The schema files, folders of them, or git:REF:PATH; - reads standard input."
  }
  static var seedFolder: Self { "The seed folder. Default: the nearest folder 'seeds'." }
  static var dryRunOfFiles: Self { "Show what would be written. Nothing is written." }
  static var privateAddresses: Self { "Allow addresses in private networks." }
}

extension CompletionKind {
  static var schemaFile: CompletionKind { .file(extensions: ["ckdb"]) }
}
