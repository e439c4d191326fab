internal import SystemPackage

/// An open file, pipe, device or standard input. Closed at the end of the value's lifetime.
package struct ReadableFile: ~Copyable, Sendable {
  private let descriptor: FileDescriptor
  private let name: String
  private let path: String?

  /// Opens a file. Throws ``FileFailure`` with the name that the user knows it by, and the reason.
  ///
  /// - Parameters:
  ///   - path: `nil` for standard input.
  ///   - waitsForWriter: whether to wait for the other end of a named pipe.
  package init(_ path: String?, named name: String, waitsForWriter: Bool = true) throws(FileFailure) {
    self.name = name
    self.path = path
    descriptor = try withErrno("read", name) {
      guard let path else {
        try RunFiles.read(.standardInput)
        return .standardInput
      }
      let file = try FileDescriptor.open(
        path, .readOnly, options: waitsForWriter ? .closeOnExec : [.closeOnExec, .nonBlocking])
      do { try RunFiles.read(file) } catch {
        try file.close()
        throw error
      }
      return file
    }
  }

  deinit { if descriptor != .standardInput { try? descriptor.close() } }

  /// The size in bytes; `nil` if this is not a regular file. Throws ``FileFailure`` if the system does not report it.
  package borrowing func size() throws(FileFailure) -> Int? {
    try withErrno("read", name) {
      let status = try Stat(descriptor)
      return status.type == .regular ? Int(status.size) : nil
    }
  }

  /// The user who decides what the file says; `nil` for standard input. Throws ``FileFailure`` if the system does not
  /// report it.
  package borrowing func owner() throws(FileFailure) -> FileOwner {
    try withErrno("read", name) {
      try path.map { try FileOwner(of: descriptor, at: $0) } ?? FileOwner(users: [])
    }
  }

  package borrowing func piece(atMost size: Int) throws(FileFailure) -> [UInt8] {
    try withErrno("read", name) {
      try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
        while filled < size {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<size])
          let count = try descriptor.read(into: rest)
          if count == 0 { return }
          filled += count
        }
      }
    }
  }

  /// What can be read at once, at most `size` bytes; waits only for the first of them. Empty at the end.
  package borrowing func available(atMost size: Int) throws(FileFailure) -> [UInt8] {
    try withErrno("read", name) {
      try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
        filled = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }
}

/// Reads files such as settings. Refuses pipes and devices, where reading may block or never end.
package enum RegularFile {
  /// Reads the whole file. Throws ``FileFailure`` for anything but a regular file of at most `limit` bytes. A link is
  /// followed.
  package static func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
    try readOwned(path, upTo: limit).bytes
  }

  package static func readOwned(
    _ path: String, upTo limit: Int
  ) throws(FileFailure) -> (bytes: [UInt8], owner: FileOwner) {
    let (bytes, owner) = try withErrno("read", path) {
      // Without nonBlocking, opening a named pipe would wait for its other end.
      let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
      return try file.closeAfter { () throws -> ([UInt8]?, FileOwner) in
        let type = try Stat(file).type
        if type == .directory { throw Errno.isDirectory }
        let bytes = type == .regular ? try file.bytes(upTo: limit + 1) : nil
        return (bytes, try FileOwner(of: file, at: path))
      }
    }
    guard let bytes else {
      throw FileFailure(
        "cannot read \(path): it is a pipe or a device", action: .read, hint: "Put a file in its place.")
    }
    guard bytes.count <= limit else {
      throw FileFailure("\(path) is larger than \(limit >> 10) KB", action: .read)
    }
    return (bytes, owner)
  }

  package static func size(_ path: String) -> Int? {
    guard let status = try? Stat(FilePath(path)), status.type == .regular else { return nil }
    return Int(status.size)
  }
}
