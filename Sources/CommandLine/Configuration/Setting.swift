package import Diagnostics
internal import Platform
internal import SystemPackage

package struct Setting: Sendable, Hashable {
  package let key: SettingKey
  package let value: String
  package let origin: Origin

  package struct Origin: Sendable, Hashable {
    /// The origin's name, as `config show --origin` prints it.
    package let name: String
    package let trust: Trust
    /// The folder that relative paths start from; `nil` for the working directory.
    var folder: String?
    /// Whether it is the project file or the user's file, where settings stand under their names.
    var isFile: Bool { !["environment", ".env", "flag"].contains(name) }
    /// The origin's file, if another user than this one or root decides what it says; `nil` otherwise.
    package internal(set) var foreignFile: ForeignFile?

    /// The value with its path, if it has one, made relative to the working directory.
    func resolved(_ value: String, of key: SettingKey) -> String {
      guard let folder, let prefix = key.pathPrefix, value.hasPrefix(prefix) else { return value }
      let path = FilePath(String(value.dropFirst(prefix.count)))
      guard path.isRelative, !path.isEmpty, path.string != "-" else { return value }
      return prefix + FilePath(folder).pushing(path).lexicallyNormalized().string
    }
  }

  /// A file of another user, who is not root either.
  package struct ForeignFile: Sendable, Hashable {
    package let path: String
    /// The id of the user who owns the file, or the link at its path.
    package let user: UInt32
  }

  /// How far an origin is trusted, least first. A credential is only sent to a URL whose origin is trusted at least
  /// as much as the credential's (Documentation/ThreatModel.md#tokens-and-hosts).
  package enum Trust: Int, Sendable, Hashable, Comparable {
    /// A project file or `.env`, written by the author of the folder.
    case folder
    /// The user's configuration file, or a saved token.
    case user
    /// An option or an environment variable of the process.
    case process

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The error for an invalid value, with the nearest word of a choice; by default for one that its type does not have. The
  /// message never contains the value, which may be a secret in the wrong variable.
  package func refused(mustBe what: String? = nil, hint: String? = nil) -> CommandFailure {
    .usage(
      "\(label) must be \(what ?? key.type.form)",
      hint: hint ?? key.type.choices.flatMap { SpellingSuggestion.question(value, among: $0) })
  }

  package var label: String {
    "\(origin.isFile ? key.name : key.variable) (from \(origin.name))"
  }

  /// The value for display: secrets are hidden, even in the wrong variable.
  package var shown: String {
    let isHidden = key.isSecret || value.contains("-----BEGIN") || value.contains { $0.isNewline }
    return isHidden ? "[redacted]" : value.withoutSecrets
  }
}

extension Setting.ForeignFile {
  /// `nil` for a file of this user or of root.
  init?(_ path: String, _ owner: FileOwner?) {
    guard let user = owner?.stranger() else { return nil }
    self.init(path: path, user: user)
  }
}

package enum SettingType: Sendable, Hashable {
  case text
  /// A path after a prefix, such as `local:`.
  case path(prefix: String = "")
  case address
  case boolean
  /// A number without fraction, from 1 up.
  case count
  /// A number from 0.001 to a million.
  case number
  /// A number from 0 to 1.
  case share
  /// A time such as `30s` or `90d`.
  case duration
  /// Such a time of at most a day, or 0.
  case delay
  /// A moment such as `2026-01-01T00:00:00Z`.
  case time
  case choice([String])
  case list
  case object

  package var choices: [String]? { if case .choice(let words) = self { words } else { nil } }

  /// What a value is.
  package var form: String {
    switch self {
    case .boolean: "true or false"
    case .count: "a number from 1 up"
    case .number: "a number from 0.001 to 1000000"
    case .share: "a number from 0 to 1"
    case .duration: "a time of 1s or more, such as 30s, 5m, 2h or 1d"
    case .delay: "a time such as 2m, at most 1d, or 0"
    case .choice(let words): "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
    case .text, .path, .address, .time, .list, .object: "\(word)"
    }
  }

  /// Whether a text has the form of the type. What its reader asks of a path, an address or a list, it checks itself.
  package func allows(_ text: String) -> Bool {
    switch self {
    case .boolean: Bool(text) != nil
    case .count: Int(text).map { $0 > 0 } ?? false
    case .number: Double(text).map { (0.001...1_000_000).contains($0) } ?? false
    case .share: Double(text).map { (0...1).contains($0) } ?? false
    case .duration, .delay: readDuration(text) != nil
    case .choice(let words): words.contains(text)
    case .text, .path, .address, .time, .list, .object: true
    }
  }

  /// The time that a text says; `nil` if the type does not have it.
  package func readDuration(_ text: String) -> Duration? {
    if self == .delay, ["0", "0s"].contains(text) { return .zero }
    guard let time = try? DurationParser.parse(text) else { return nil }
    return self == .delay && time > .seconds(86_400) ? nil : time
  }

  /// The name of the case, as `config list` prints it.
  package var word: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The name of a setting. The environment variable's name is derived from it: `CLOUDKIT_KEY_ID` for
/// `cloudkit.keyID`, and with the tool's prefix for other keys: `CELESTRA_ADMIN_CONTAINER` for `container`.
package struct SettingKey: Sendable, Hashable {
  package let name: String
  package let variable: String
  package let summary: String
  package let type: SettingType
  /// The value that applies where no origin has one, as it would be written; `nil` if there is none.
  package let defaultValue: String?
  package let places: Places
  /// Whether the value is never shown. An empty variable of the process overrides later origins, so that a child process
  /// can be started without the secret.
  package let isSecret: Bool

  package enum Places: Sendable, Hashable {
    case all
    /// Environment variables of the process only.
    case process
    /// The project file and the user's file only.
    case files
  }

  /// The prefix before the path in the value, such as `local:`; empty if the whole value is a path, `nil` if it is
  /// not a path. A relative path in a file starts from the folder of the file.
  package var pathPrefix: String? {
    if case .path(let prefix) = type { prefix } else { nil }
  }

  package init(
    name: String, _ type: SettingType = .text, default defaultValue: String? = nil, summary: String,
    isSecret: Bool = false, places: Places = .all
  ) {
    self.name = name
    variable = Self.variable(name)
    self.summary = summary
    self.type = type
    self.defaultValue = defaultValue
    self.places = places
    self.isSecret = isSecret
  }

  func isRead(from origin: Setting.Origin) -> Bool {
    switch places {
    case .all: true
    case .process: origin.trust == .process
    case .files: origin.isFile
    }
  }

  /// Where the setting counts, for a warning about an origin that has it and is not read; `nil` if it is read from there.
  func misplacement(in origin: Setting.Origin) -> String? {
    switch places {
    case _ where isRead(from: origin): nil
    case .process where origin.isFile: "'\(name)' is set only by the variable \(variable)"
    case .process: "\(variable) counts only in the process environment; export it there"
    case .all, .files: "\(variable) does not count; set '\(name)' in celestra-admin.json"
    }
  }

  private static func variable(_ name: String) -> String {
    let isOurs = !name.hasPrefix("cloudkit.")
    var words = isOurs ? "CELESTRA_ADMIN_" : ""
    var previous: Character = "_"
    for letter in name {
      if letter.isUppercase, previous.isLowercase { words += "_" }
      words += letter == "." ? "_" : letter.uppercased()
      previous = letter
    }
    return words
  }

  package static let httpHosts = SettingKey(
    name: "httpHosts", .list, summary: "hosts that may be reached over plain http", places: .process)
  package static let pingURL = SettingKey(
    name: "pingURL", .address, summary: "the healthchecks-compatible address that jobs report to",
    isSecret: true, places: .process)

  /// The setting that freezes the clock, see ``Settings/timed(_:)``.
  package static let clock = SettingKey(
    name: "clock", .time,
    summary: "the time that the run uses instead of the machine's, so that runs write equal dates")
}
