internal import SystemPackage

/// An open file in a ``StateFolder``. Closed at the end of the value's lifetime.
package struct StateFile: ~Copyable, Sendable {
  package let path: String
  let descriptor: FileDescriptor

  deinit {
    // A child process that is just being started may have inherited the descriptor, and would keep a lock.
    SystemCalls.unlock(descriptor)
    // All data was synchronized before, so a failure of close loses nothing.
    try? descriptor.close()
  }

  func isRegular() throws(FileFailure) -> Bool {
    try withErrno("read", path) { try Stat(descriptor).type == .regular }
  }

  /// Writes all the bytes and waits until they are on the disk. After a failure none of them are in the file, unless the
  /// system cannot take them back either.
  package borrowing func append(_ bytes: [UInt8]) throws(FileFailure) {
    try withErrno("write", path) {
      let end = try descriptor.seek(offset: 0, from: .end)
      do {
        try descriptor.writeAll(bytes)
        try SystemCalls.synchronize(descriptor)
      } catch {
        // The first failure says more than a second one of the same disk.
        try? descriptor.resize(to: end)
        throw error
      }
    }
  }

  /// Replaces the content of a file that was opened for it. A process that is killed leaves the former content or the new
  /// one, which lines of the former one may follow: never an empty file.
  package borrowing func rewrite(_ bytes: [UInt8]) throws(FileFailure) {
    try withErrno("write", path) {
      try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
      try descriptor.resize(to: Int64(bytes.count))
      try SystemCalls.synchronize(descriptor)
    }
  }

  package borrowing func content(upTo limit: Int) throws(FileFailure) -> [UInt8] {
    try withErrno("read", path) { try descriptor.bytes(upTo: limit) }
  }

  /// Locks the file for this process; false if another process has locked it. The system releases the lock when the
  /// process ends.
  package borrowing func tryLock() throws(FileFailure) -> Bool {
    try withErrno("lock", path) { try SystemCalls.tryLock(descriptor) }
  }
}

extension FileDescriptor {
  func bytes(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = try chunk.withUnsafeMutableBytes {
        try read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
      }
      if count == 0 { break }
      bytes += chunk.prefix(min(count, limit - bytes.count))
    }
    return bytes
  }
}

package var currentProcessID: Int32 { SystemCalls.processID }
