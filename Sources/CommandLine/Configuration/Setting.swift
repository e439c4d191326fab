public import Diagnostics
internal import SystemPackage

/// The value of a setting, with the place it comes from.
public struct Setting: Sendable, Hashable {
  public let key: SettingKey
  public let value: String
  public let origin: Origin

  public struct Origin: Sendable, Hashable {
    /// As `config show --origin` names it.
    public let name: String
    public let trust: Trust
    /// The folder that relative paths start from, where it is not the working directory.
    let folder: String?

    init(name: String, trust: Trust, folder: String? = nil) {
      self.name = name
      self.trust = trust
      self.folder = folder
    }

    /// The value with a relative path in it made one from the working directory.
    func resolved(_ value: String, of key: SettingKey) -> String {
      guard let folder, let prefix = key.pathPrefix, value.hasPrefix(prefix) else { return value }
      let path = FilePath(String(value.dropFirst(prefix.count)))
      guard path.isRelative, !path.isEmpty, path.string != "-" else { return value }
      return prefix + FilePath(folder).pushing(path).lexicallyNormalized().string
    }
  }

  /// How far a place is trusted, the least first. A credential is sent only to an address from a place that is trusted
  /// at least as far as the place of the credential (Documentation/ThreatModel.md#tokens-and-hosts).
  public enum Trust: Int, Sendable, Hashable, Comparable {
    /// A project file or `.env`: the author of the folder wrote it.
    case folder
    /// The user's own file, or a saved token.
    case user
    /// A flag or the environment of the process.
    case process

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// A value that its setting does not take. The message never shows it: a secret may stand in the wrong variable.
  public func refused(mustBe what: String, hint: String? = nil) -> CommandFailure {
    .usage("\(label) must be \(what)", hint: hint)
  }

  /// The setting as its place names it, and the place.
  public var label: String {
    let isVariable = ["environment", ".env", "flag"].contains(origin.name)
    return "\(isVariable ? key.variable : key.name) (from \(origin.name))"
  }

  /// The value as it may be shown: without secrets, whatever variable they stand in.
  public var shown: String {
    let isHidden = key.isSecret || value.contains("-----BEGIN") || value.contains { $0.isNewline }
    return isHidden ? "[redacted]" : value.withoutUserInfo
  }
}
