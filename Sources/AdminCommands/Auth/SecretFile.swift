internal import FoundationEssentials

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Files only their owner may read (mode 0600).
enum SecretFile {
  /// Makes a new file; refuses to touch one that is there.
  static func create(_ path: String, _ bytes: [UInt8]) throws {
    try write(path, bytes, flags: O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
  }

  /// Makes the file or replaces what is in it, in a folder only its owner may enter.
  static func replace(_ path: String, _ bytes: [UInt8]) throws {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let partial = path + ".partial"
    unlink(partial)
    try create(partial, bytes)
    guard rename(partial, path) == 0 else { throw CommandFailure.unwritable(path) }
  }

  private static func write(_ path: String, _ bytes: [UInt8], flags: Int32) throws {
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw CommandFailure.unwritable(path) }
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { bytes in
      try Posix.writeAll(bytes, to: descriptor) { _ in CommandFailure.unwritable(path) }
    }
    guard fsync(descriptor) == 0 else { throw CommandFailure.unwritable(path) }
  }
}
