internal import CloudKitModel

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A file that only its owner may read (mode 0600).
enum PrivateFile {
  /// Makes an empty one where there is none. SQLite gives the files it keeps beside it the same permissions.
  ///
  /// - Parameter name: the file the user asked for, when this one only stands for it.
  static func makeIfMissing(_ path: String, for name: String? = nil) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return
    }
    guard errno == EEXIST else {
      throw ContainerFailure(
        .storage, "\(name ?? path) cannot be made: \(String(cString: strerror(errno)))",
        hint: "Check its folder and the space on the disk.")
    }
  }
}
