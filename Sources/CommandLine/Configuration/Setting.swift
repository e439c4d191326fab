public import Diagnostics
internal import SystemPackage

/// The value of a setting, with its origin.
public struct Setting: Sendable, Hashable {
  public let key: SettingKey
  public let value: String
  public let origin: Origin

  /// The place that a setting comes from.
  public struct Origin: Sendable, Hashable {
    /// The origin's name, as `config show --origin` prints it.
    public let name: String
    public let trust: Trust
    /// The folder that relative paths start from; `nil` for the working directory.
    let folder: String?

    init(name: String, trust: Trust, folder: String? = nil) {
      self.name = name
      self.trust = trust
      self.folder = folder
    }

    /// The value with its path, if it has one, made relative to the working directory.
    func resolved(_ value: String, of key: SettingKey) -> String {
      guard let folder, let prefix = key.pathPrefix, value.hasPrefix(prefix) else { return value }
      let path = FilePath(String(value.dropFirst(prefix.count)))
      guard path.isRelative, !path.isEmpty, path.string != "-" else { return value }
      return prefix + FilePath(folder).pushing(path).lexicallyNormalized().string
    }
  }

  /// How far an origin is trusted, least first. A credential is only sent to a URL whose origin is trusted at least
  /// as much as the credential's (Documentation/ThreatModel.md#tokens-and-hosts).
  public enum Trust: Int, Sendable, Hashable, Comparable {
    /// A project file or `.env`, written by the author of the folder.
    case folder
    /// The user's configuration file, or a saved token.
    case user
    /// An option or an environment variable of the process.
    case process

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The error for an invalid value. The message never contains the value, which may be a secret in the wrong
  /// variable.
  public func refused(mustBe what: String, hint: String? = nil) -> CommandFailure {
    .usage("\(label) must be \(what)", hint: hint)
  }

  /// The setting's name at its origin, and the origin.
  public var label: String {
    let isVariable = ["environment", ".env", "flag"].contains(origin.name)
    return "\(isVariable ? key.variable : key.name) (from \(origin.name))"
  }

  /// The value for display: secrets are hidden, even in the wrong variable.
  public var shown: String {
    let isHidden = key.isSecret || value.contains("-----BEGIN") || value.contains { $0.isNewline }
    return isHidden ? "[redacted]" : value.withoutUserInfo
  }
}
