internal import SystemPackage

/// Who decides what a file says: the owner of the file, and the owner of the link that leads to it.
package struct FileOwner: Sendable, Hashable {
  private let users: [UInt32]

  init(users: [UInt32]) { self.users = users }

  init(of file: FileDescriptor, at path: String) throws {
    users = [
      try Stat(file).userID.rawValue, try Stat(FilePath(path), followTargetSymlink: false).userID.rawValue,
    ]
  }

  /// The owner of the file or link at a path, without following a link. Throws ``FileFailure`` if the system does not
  /// report it.
  package init(at path: String) throws(FileFailure) {
    users = try withErrno({ FileFailure("read", path, $0) }) {
      [try Stat(FilePath(path), followTargetSymlink: false).userID.rawValue]
    }
  }

  /// Whether the file is this user's own; root's is not.
  package func isUser(_ user: UInt32 = ProcessUser.id) -> Bool { users.allSatisfy { $0 == user } }

  /// The id of an owner who is neither root nor this user; `nil` if every owner is one of them.
  package func stranger(to user: UInt32 = ProcessUser.id) -> UInt32? {
    users.first { $0 != 0 && $0 != user }
  }
}
