import Diagnostics

/// The revision of applied seeds: the id of a commit, and of the seed folder's tree in it.
package struct AppliedRevision: Sendable, Hashable, CustomStringConvertible {
  package let commit: String
  /// `nil` if only the commit is known.
  package let tree: String?

  package var description: String { tree.map { "\(commit) \($0)" } ?? commit }

  /// Reads one or two object ids of git, in full and separated by a space; `nil` for any other text.
  package init?(_ text: String) {
    let ids = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(ids.count), ids.allSatisfy(Self.isID) else { return nil }
    commit = ids[0]
    tree = ids.count > 1 ? ids[1] : nil
  }

  /// SHA-1 or SHA-256 in lowercase hexadecimal digits.
  private static func isID(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count) && text.utf8.allSatisfy(\.isLowercaseHexDigit)
  }
}

/// Why a seed file may differ from the last commit. The text completes a sentence about the file.
package enum UncommittedSeedFile: String, Sendable {
  case changed = "has uncommitted changes"
  case storedInLFS = "is stored in Git LFS, so it cannot be compared with the last commit"
}
