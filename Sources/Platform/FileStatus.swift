internal import SystemPackage

/// What the system reports about a file. A link is not followed: its own status is reported.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case file, folder, link
    /// A pipe, a device or a socket.
    case other
  }

  package let kind: Kind
  package let owner: UInt32
  /// In bytes.
  package let size: Int64
  package let isWritableByGroup: Bool
  package let isWritableByOthers: Bool
  package let identity: FileIdentity

  /// `nil` for a missing file. Throws ``FileFailure`` if the system does not report the status, for example in a folder
  /// without search permission.
  package static func of(_ path: String) throws(FileFailure) -> FileStatus? {
    try withErrno({ FileFailure("cannot access \(path): \($0)", hint: FileKind.accessHint) }) {
      try ifPresent { FileStatus(try Stat(FilePath(path), followTargetSymlink: false)) }
    }
  }

  private init(_ status: Stat) {
    kind =
      switch status.type {
      case .regular: .file
      case .directory: .folder
      case .symbolicLink: .link
      default: .other
      }
    owner = status.userID.rawValue
    size = status.size
    isWritableByGroup = status.permissions.contains(.groupWrite)
    isWritableByOthers = status.permissions.contains(.otherWrite)
    identity = FileIdentity(status)
  }
}

/// What distinguishes a file from its copies, whatever their paths are.
package struct FileIdentity: Sendable, Hashable {
  package let device: Int64
  package let inode: Int64

  package init(device: Int64, inode: Int64) {
    self.device = device
    self.inode = inode
  }

  init(_ status: Stat) {
    self.init(
      device: Int64(truncatingIfNeeded: status.deviceID.rawValue),
      inode: Int64(truncatingIfNeeded: status.inode.rawValue))
  }
}

package enum FileKind: Sendable, Hashable {
  case missing, folder, file
  /// A pipe, a device or a socket: reading may block or never end.
  case other

  static let accessHint = "Check the path, and the permissions of the folders on it."

  /// Throws ``FileFailure`` if the system does not report it, for example in a folder without search permission.
  package init(_ path: String) throws(FileFailure) {
    self = try withErrno({
      FileFailure("cannot access \(path): \($0)", hint: Self.accessHint)
    }) {
      switch try ifPresent({ try Stat(FilePath(path)).type }) {
      case nil: .missing
      case .directory?: .folder
      case .regular?: .file
      default: .other
      }
    }
  }

  /// The sorted names in a folder. Throws ``FileFailure`` with the name that the user knows it by, and the reason.
  package static func names(inFolder path: String, named name: String) throws(FileFailure) -> [String] {
    try withErrno("read", name) {
      let folder = try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
      return try folder.closeAfter { try SystemCalls.names(in: folder) }.sorted()
    }
  }

  package static func resolvedPath(_ path: String) throws(FileFailure) -> String {
    try withErrno("read", path) { try SystemCalls.realPath(path) }
  }

  /// Whether this user owns a file; if it is a link, the link and the file behind it. Throws ``FileFailure`` with the
  /// reason.
  package static func isOwnedByUser(_ path: String) throws(FileFailure) -> Bool {
    try withErrno("read", path) {
      let place = FilePath(path)
      return try [Stat(place), Stat(place, followTargetSymlink: false)]
        .allSatisfy { $0.userID == SystemCalls.userID }
    }
  }

  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }
}

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
    users = try withErrno("read", path) {
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
