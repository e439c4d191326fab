internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform

/// Saved tokens: a file each, mode 0600, under the user's configuration folder (XDG). The first line is the token; a
/// second one is the address it belongs to. Without it the token is for Apple's service.
struct TokenStore {
  enum Kind: String, CaseIterable {
    case management, user

    /// The setting with the address of the service that takes the token.
    var address: SettingKey { self == .management ? .managementBaseURL : .baseURL }
  }

  struct Saved: Sendable, Hashable {
    let token: Secret
    /// `nil` for Apple's.
    let address: String?
  }

  /// `nil` where no folder is known to look in.
  private let folder: String?

  init(_ process: ProcessContext) { folder = process.configurationFolder }

  func path(_ kind: Kind) throws -> String {
    guard let folder else {
      throw CommandFailure(
        "HOME is not set, so there is no place to save a token", code: "no-home",
        hint: "Set XDG_CONFIG_HOME, or give the token in the environment.")
    }
    return "\(folder)/\(kind.rawValue)-token"
  }

  func contains(_ kind: Kind) throws -> Bool {
    try folder != nil && FileManager.default.fileExists(atPath: path(kind))
  }

  func save(_ token: String, _ kind: Kind, address: String?) throws {
    let lines = [try TokenText.checked(token), address].compactMap(\.self)
    let path = try path(kind)
    try FileManager.default.createDirectory(
      atPath: PathStatus.folder(of: path), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try PrivateFile.replace(path, Array(lines.joined(separator: "\n").utf8))
  }

  func load(_ kind: Kind) throws -> Saved? {
    guard try contains(kind) else { return nil }
    let text = String(decoding: try InputFile.read(path(kind)), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let token = try TokenText.checked(lines.first ?? "", in: path(kind))
    return Saved(token: Secret(token), address: lines.count > 1 ? lines[1] : nil)
  }

  /// Throws when there is none.
  func remove(_ kind: Kind) throws {
    guard try contains(kind) else {
      throw CommandFailure("no \(kind.rawValue) token is saved", code: "no-token")
    }
    try FileManager.default.removeItem(atPath: path(kind))
  }
}
