internal import ArgumentParser
public import Diagnostics
internal import Platform

/// Reads what a user names on the command line: a file, or standard input for `-`.
public enum InputFile {
  /// Bytes read at most, so that a mistaken path to something endless ends.
  static let sizeLimit = 1 << 30

  public static func source(_ path: String) throws -> SourceText {
    SourceText(name: displayName(path), bytes: try read(path))
  }

  public static func displayName(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  /// Refuses `-` for a file that must be one, as a database or a checkpoint: a usage error that says why.
  public static func requireNamed(_ path: String?, _ option: String, because reason: String) throws {
    if path == "-" { throw ValidationError("\(option) takes a file's path, not -: \(reason)") }
  }

  /// Throws ``CommandFailure`` naming the file and the reason.
  public static func read(_ path: String) throws -> [UInt8] {
    try withDescriptor(path) { descriptor in
      // A file is read in one piece into its place, and anything else, or what grows meanwhile, in more.
      var bytes = try readPiece(descriptor, atMost: fileSize(descriptor) + 1, path)
      while bytes.count <= sizeLimit {
        let piece = try readPiece(descriptor, atMost: 1 << 16, path)
        if piece.isEmpty { return bytes }
        bytes += piece
      }
      throw CommandFailure(
        "\(displayName(path)) is larger than \(sizeLimit >> 20) MB", code: "file-too-large")
    }
  }

  /// Bytes of a settings file at most.
  static let settingsLimit = 1 << 20

  /// A settings file that the user did not name: a regular file, since opening a pipe would wait for its other end.
  public static func readSettings(_ path: String) throws -> [UInt8] {
    do { return try RegularFile.read(path, upTo: settingsLimit) } catch { throw CommandFailure(error) }
  }

  /// The same piece by piece, until `take` wants no more.
  public static func readPieces(_ path: String, _ take: (_ piece: ArraySlice<UInt8>) throws -> Bool) throws {
    try withDescriptor(path) { descriptor in
      while true {
        let piece = try readPiece(descriptor, atMost: 1 << 16, path)
        guard !piece.isEmpty, try take(piece[...]) else { return }
      }
    }
  }

  private static func withDescriptor<Result>(_ path: String, _ body: (Int32) throws -> Result) throws
    -> Result
  {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    return try body(descriptor)
  }

  /// So many bytes, or fewer where the input ends.
  private static func readPiece(_ descriptor: Int32, atMost size: Int, _ path: String) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<size])
        let count = Posix.readSome(descriptor, into: rest)
        if count < 0 { throw unreadable(path) }
        if count == 0 { return }
        filled += count
      }
    }
  }

  /// The size of a file, in bytes; `nil` of what has none beforehand, and of what is not there.
  public static func size(_ path: String) -> Int? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  private static func fileSize(_ descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? min(Int(status.st_size), sizeLimit) : 0
  }

  private static func unreadable(_ path: String) -> CommandFailure {
    CommandFailure(
      "cannot read \(displayName(path)): \(Posix.message())", code: "unreadable-file")
  }
}
