internal import SystemPackage

/// Reads files such as settings. Refuses pipes and devices, where reading may block or never end.
public enum RegularFile {
  /// Reads the whole file.
  ///
  /// Throws ``FileFailure`` for anything but a regular file of at most `limit` bytes. A link is followed.
  public static func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
    let bytes = try withErrno({ FileFailure("read", path, $0) }) {
      // Without nonBlocking, opening a named pipe would wait for its other end.
      let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
      return try file.closeAfter { () throws -> [UInt8]? in
        let type = try Stat(file).type
        if type == .directory { throw Errno.isDirectory }
        return type == .regular ? try file.bytes(upTo: limit + 1) : nil
      }
    }
    guard let bytes else {
      throw FileFailure(
        "cannot read \(path): it is a pipe or a device", action: .read, hint: "Put a file in its place.")
    }
    guard bytes.count <= limit else {
      throw FileFailure("\(path) is larger than \(limit >> 10) KB", action: .read)
    }
    return bytes
  }

  /// The size of a file in bytes; `nil` for a missing file, or a pipe or device.
  public static func size(_ path: String) -> Int? {
    guard let status = try? Stat(FilePath(path)), status.type == .regular else { return nil }
    return Int(status.size)
  }
}
