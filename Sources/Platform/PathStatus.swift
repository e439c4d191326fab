internal import SystemPackage

/// What stands at a path, links followed.
public enum PathStatus: Sendable, Hashable {
  case missing, folder, file
  /// A pipe, a device or a socket, which may wait or never end.
  case other

  /// Throws ``FileFailure`` where the system does not say, as behind a folder that may not be entered.
  public init(_ path: String) throws(FileFailure) {
    self = try withErrno({
      FileFailure(
        "\(path) cannot be reached: \($0)",
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
