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
    identity = FileIdentity(
      device: Int64(truncatingIfNeeded: status.deviceID.rawValue),
      inode: Int64(truncatingIfNeeded: status.inode.rawValue))
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
}
