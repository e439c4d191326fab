internal import SystemPackage

/// Who decides what a file says: the owner of the file, and the owner of the link that leads to it.
public struct FileOwner: Sendable, Hashable {
  private let users: [UInt32]

  init(users: [UInt32]) { self.users = users }

  init(of file: FileDescriptor, at path: String) throws {
    users = [
      try Stat(file).userID.rawValue, try Stat(FilePath(path), followTargetSymlink: false).userID.rawValue,
    ]
  }

  /// The id of an owner who is neither root nor this user; `nil` if every owner is one of them.
  public func stranger(to user: UInt32 = ProcessUser.id) -> UInt32? {
    users.first { $0 != 0 && $0 != user }
  }
}
