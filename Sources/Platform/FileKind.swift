internal import SystemPackage

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
    try withErrno({ FileFailure("read", name, $0) }) {
      let folder = try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
      return try folder.closeAfter { try SystemCalls.names(in: folder) }.sorted()
    }
  }

  package static func resolvedPath(_ path: String) throws(FileFailure) -> String {
    try withErrno({ FileFailure("read", path, $0) }) { try SystemCalls.realPath(path) }
  }

  /// Whether this user owns a file; if it is a link, the link and the file behind it. Throws ``FileFailure`` with the
  /// reason.
  package static func isOwnedByUser(_ path: String) throws(FileFailure) -> Bool {
    try withErrno({ FileFailure("read", path, $0) }) {
      let place = FilePath(path)
      return try [Stat(place), Stat(place, followTargetSymlink: false)]
        .allSatisfy { $0.userID == SystemCalls.userID }
    }
  }

  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }
}
