internal import FoundationEssentials

/// Saved tokens: a file each, mode 0600, under the user's configuration folder (XDG).
struct TokenStore {
  enum Kind: String, CaseIterable { case management, user }

  private let folder: String

  init(_ world: World) throws {
    guard
      let base = world.environment["XDG_CONFIG_HOME"] ?? world.environment["HOME"].map({ "\($0)/.config" })
    else { throw CommandFailure("there is no HOME to keep a token under", code: "no-home") }
    folder = "\(base)/celestra-admin"
  }

  func path(_ kind: Kind) -> String { "\(folder)/\(kind.rawValue)-token" }

  func contains(_ kind: Kind) -> Bool { FileManager.default.fileExists(atPath: path(kind)) }

  func save(_ token: String, _ kind: Kind) throws { try SecretFile.replace(path(kind), Array(token.utf8)) }

  func load(_ kind: Kind) throws -> String? {
    guard contains(kind) else { return nil }
    return String(decoding: try InputFile.read(path(kind)), as: UTF8.self)
  }

  /// Throws when there is none.
  func remove(_ kind: Kind) throws {
    guard contains(kind) else {
      throw CommandFailure("no \(kind.rawValue) token is saved", code: "no-token")
    }
    try FileManager.default.removeItem(atPath: path(kind))
  }
}
