internal import SystemPackage

/// The kind of file at a path, following links.
public enum FileKind: Sendable, Hashable {
  case missing, folder, file
  /// A pipe, a device or a socket: reading may block or never end.
  case other

  /// Throws ``FileFailure`` if the system does not report it, for example in a folder without search permission.
  public init(_ path: String) throws(FileFailure) {
    self = try withErrno({
      FileFailure(
        "cannot access \(path): \($0)",
        hint: "Check the path, and the permissions of the folders on it.")
    }) {
      do {
        switch try Stat(FilePath(path)).type {
        case .directory: return .folder
        case .regular: return .file
        default: return .other
        }
      } catch Errno.noSuchFileOrDirectory {
        return .missing
      }
    }
  }

  /// The path of the folder that holds the file.
  public static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }
}
