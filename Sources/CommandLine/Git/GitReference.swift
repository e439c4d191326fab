internal import Diagnostics

/// A file in a commit: `git:REF:PATH`. The path is from the repository's root, or with `./` from the folder.
public struct GitReference: Sendable, CustomStringConvertible {
  public let revision: String
  public let path: String

  public static let prefix = "git:"

  /// Throws a usage error for anything but `git:REF:PATH`.
  public init(_ text: String) throws {
    let rest = text.dropFirst(GitReference.prefix.count)
    guard let colon = rest.firstIndex(of: ":"), colon != rest.startIndex,
      rest.index(after: colon) != rest.endIndex
    else {
      throw CommandFailure.usage("'\(text)' must be git:REF:PATH, such as git:origin/main:schema/app.ckdb")
    }
    revision = String(rest[..<colon])
    path = String(rest[rest.index(after: colon)...])
  }

  public var description: String { "\(GitReference.prefix)\(revision):\(path)" }

  func at(_ path: String) -> GitReference { GitReference(revision: revision, path: path) }

  private init(revision: String, path: String) {
    self.revision = revision
    self.path = path
  }
}
