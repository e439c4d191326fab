internal import Diagnostics

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Reads what a user names on the command line: a file, or standard input for `-`.
enum InputFile {
  /// Bytes read at most, so that a mistaken path to something endless ends.
  static let sizeLimit = 1 << 30

  static func source(_ path: String) throws -> SourceText {
    SourceText(name: displayName(path), bytes: try read(path))
  }

  static func displayName(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  /// Throws ``CommandFailure`` naming the file and the reason.
  static func read(_ path: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try readPieces(path) { piece, size in
      if bytes.isEmpty { bytes.reserveCapacity(min(size + 1, sizeLimit)) }
      bytes += piece
      guard bytes.count <= sizeLimit else {
        throw CommandFailure(
          "\(displayName(path)) is larger than \(sizeLimit >> 20) MB", code: "file-too-large")
      }
      return true
    }
    return bytes
  }

  /// The same piece by piece, with the size of the whole file where it is known, until `take` wants no more.
  static func readPieces(_ path: String, _ take: (_ piece: ArraySlice<UInt8>, _ size: Int) throws -> Bool)
    throws
  {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let size = fileSize(descriptor)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Posix.readSome(descriptor, &chunk)
      if count < 0 { throw unreadable(path) }
      guard count > 0, try take(chunk.prefix(count), size) else { return }
    }
  }

  private static func fileSize(_ descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func unreadable(_ path: String) -> CommandFailure {
    CommandFailure(
      "cannot read \(displayName(path)): \(Posix.message())", code: "unreadable-file")
  }
}
