internal import CloudKitModel

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What stands at a container's path.
enum FilePlace {
  case missing, folder, file

  /// Throws `ContainerFailure` with the system's reason when that cannot be told, as behind a folder that may not
  /// be entered.
  init(_ path: String) throws {
    var status = stat()
    if stat(path, &status) == 0 {
      self = status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
    } else if errno == ENOENT {
      self = .missing
    } else {
      throw ContainerFailure(
        .storage, "\(path) cannot be reached: \(String(cString: strerror(errno)))",
        hint: "Check the path, and the permissions of the folders on it.")
    }
  }

  /// The path of the folder that holds the file.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }
}
