#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A file of this user's alone, opened by its path. Closed when the value goes away.
struct OwnFile: ~Copyable {
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let code: Int32
    var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
  }

  private let path: String
  private let descriptor: Int32

  /// Opens for appending, made with mode 0600 when it is not there.
  init(appendingTo path: String) throws(Failure) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw Failure(path: path, code: errno) }
  }

  deinit { close(descriptor) }

  /// Writes all the bytes and waits until they are on the disk.
  func append(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      if written < 0 { throw failure }
      rest = rest.dropFirst(written)
    }
    if fsync(descriptor) != 0 { throw failure }
  }

  /// Replaces the content.
  func rewrite(_ bytes: [UInt8]) throws(Failure) {
    if ftruncate(descriptor, 0) != 0 { throw failure }
    try append(bytes)
  }

  func content() throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
      if count < 0 { throw failure }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
  }

  /// Takes the file for this process; false when another has it. The system lets go when the process ends,
  /// however it ends.
  func tryLock() throws(Failure) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw failure
  }

  private var failure: Failure { Failure(path: path, code: errno) }
}

var currentProcessID: Int32 { getpid() }
