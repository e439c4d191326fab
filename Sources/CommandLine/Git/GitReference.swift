internal import Diagnostics

/// A file in a commit: `git:REF:PATH`. The path is from the repository's root, or with `./` from the folder.
package struct GitReference: Sendable, CustomStringConvertible {
  package let revision: String
  package let path: String

  package static let prefix = "git:"

  /// Throws a usage error for anything but `git:REF:PATH`.
  package init(_ text: String) throws {
    let rest = text.dropFirst(GitReference.prefix.count)
    guard let colon = rest.firstIndex(of: ":"), colon != rest.startIndex,
      rest.index(after: colon) != rest.endIndex
    else {
      throw CommandFailure.usage("'\(text)' must be git:REF:PATH, such as git:origin/main:schema/app.ckdb")
    }
    revision = String(rest[..<colon])
    path = String(rest[rest.index(after: colon)...])
  }

  package var description: String { "\(GitReference.prefix)\(revision):\(path)" }

  func at(_ path: String) -> GitReference { GitReference(revision: revision, path: path) }

  private init(revision: String, path: String) {
    self.revision = revision
    self.path = path
  }
}
