internal import SystemPackage

/// An open file, pipe, device or standard input. Closed at the end of the value's lifetime.
public struct ReadableFile: ~Copyable, Sendable {
  private let descriptor: FileDescriptor
  private let name: String

  /// Opens a file. Throws ``FileFailure`` with the name that the user knows it by, and the reason.
  ///
  /// - Parameters:
  ///   - path: `nil` for standard input.
  ///   - waitsForWriter: whether to wait for the other end of a named pipe.
  public init(_ path: String?, named name: String, waitsForWriter: Bool = true) throws(FileFailure) {
    self.name = name
    descriptor = try withErrno({ FileFailure("read", name, $0) }) {
      guard let path else { return .standardInput }
      return try FileDescriptor.open(
        path, .readOnly, options: waitsForWriter ? .closeOnExec : [.closeOnExec, .nonBlocking])
    }
  }

  deinit { if descriptor != .standardInput { try? descriptor.close() } }

  /// The size in bytes; `nil` if this is not a regular file. Throws ``FileFailure`` if the system does not report it.
  public borrowing func size() throws(FileFailure) -> Int? {
    try withErrno({ FileFailure("read", name, $0) }) {
      let status = try Stat(descriptor)
      return status.type == .regular ? Int(status.size) : nil
    }
  }

  /// Reads `size` bytes, or fewer at the end of the file.
  public borrowing func piece(atMost size: Int) throws(FileFailure) -> [UInt8] {
    try withErrno({ FileFailure("read", name, $0) }) {
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
}
