internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform

/// The saved tokens, each in a file with mode 0600 in the user's configuration folder (XDG). The first line is the
/// token, the second one the URL of its service; without a second line, the token is for Apple's service.
struct TokenStore {
  enum Kind: String, CaseIterable {
    case management, user

    /// The setting with the URL of the token's service.
    var address: SettingKey { self == .management ? .managementBaseURL : .baseURL }
  }

  struct Saved: Sendable, Hashable {
    let token: Secret
    /// The URL of the token's service; `nil` for Apple's.
    let address: String?
  }

  /// `nil` if the user's configuration folder is unknown.
  private let folder: String?

  init(_ process: ProcessContext) { folder = process.configurationFolder }

  func path(_ kind: Kind) throws -> String {
    guard let folder else {
      throw CommandFailure(
        "a token cannot be saved: HOME is not set", code: "no-home",
        hint: "Set XDG_CONFIG_HOME, or give the token in the environment.")
    }
    return "\(folder)/\(kind.rawValue)-token"
  }

  func contains(_ kind: Kind) throws -> Bool {
    try folder != nil && FileManager.default.fileExists(atPath: path(kind))
  }

  func save(_ token: String, _ kind: Kind, address: String?) throws {
    let lines = [try TokenFormat.checked(token), address].compactMap(\.self)
    let path = try path(kind)
    try FileManager.default.createDirectory(
      atPath: FileKind.folder(of: path), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try PrivateFile.replace(path, Array(lines.joined(separator: "\n").utf8))
  }

  func load(_ kind: Kind) throws -> Saved? {
    guard try contains(kind) else { return nil }
    let text = String(decoding: try InputFile.read(path(kind)), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let token = try TokenFormat.checked(lines.first ?? "", in: path(kind))
    return Saved(token: Secret(token), address: lines.count > 1 ? lines[1] : nil)
  }

  func remove(_ kind: Kind) throws {
    guard try contains(kind) else {
      throw CommandFailure("no \(kind.rawValue) token is saved", code: "no-token")
    }
    try PrivateFile.removeIfPresent(path(kind))
  }
}

/// Checks the form of a token: one word of visible ASCII characters, which needs no escaping in a header or a URL.
enum TokenFormat {
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// - Parameter place: the origin of the text, for the message, which never contains the text.
  static func checked(_ text: String, in place: String? = nil) throws -> String {
    guard isToken(text) else {
      throw CommandFailure(
        "\(place ?? "that") is not a token: it must be one word of visible ASCII characters",
        code: "bad-token", status: place == nil ? .failed : .denied)
    }
    return text
  }
}
