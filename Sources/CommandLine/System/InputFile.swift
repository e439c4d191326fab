internal import ArgumentParser
public import Diagnostics
internal import Platform

/// Reads a file that the user names, or standard input for `-`.
public enum InputFile {
  /// The maximum number of bytes to read, so that an endless device does not fill the memory.
  static let sizeLimit = 1 << 30

  public static func source(_ path: String) throws -> SourceText {
    SourceText(name: displayName(path), bytes: try read(path))
  }

  /// Throws ``CommandFailure`` if the file is not UTF-8 either.
  public static func text(_ path: String) throws -> String {
    guard let text = String(validating: try read(path), as: UTF8.self) else {
      throw CommandFailure("\(displayName(path)) is not UTF-8", code: "bad-input")
    }
    return text
  }

  public static func displayName(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  /// Throws a usage error for `-` if the option needs a real file, such as a database or a checkpoint.
  public static func requireNamed(_ path: String?, _ option: String, because reason: String) throws {
    if path == "-" { throw ValidationError("\(option) takes a file's path, not -: \(reason)") }
  }

  /// Throws ``CommandFailure`` naming the file and the reason.
  public static func read(_ path: String) throws -> [UInt8] {
    try withDescriptor(path) { descriptor in
      // Read a file in one piece; read pipes and growing files in several.
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

  /// The maximum size of a settings file in bytes.
  static let settingsLimit = 1 << 20

  /// Reads a settings file at a default path. Only regular files are read, because opening a pipe would block.
  public static func readSettings(_ path: String) throws -> [UInt8] {
    do { return try RegularFile.read(path, upTo: settingsLimit) } catch { throw CommandFailure(error) }
  }

  /// Reads in pieces, until `take` returns false or the input ends.
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

  /// Reads `size` bytes, or fewer at the end of the input.
  private static func readPiece(_ descriptor: Int32, atMost size: Int, _ path: String) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<size])
        let count = PosixFunctions.readSome(descriptor, into: rest)
        if count < 0 { throw unreadable(path) }
        if count == 0 { return }
        filled += count
      }
    }
  }

  /// The size of a file in bytes; `nil` for a missing file, or a pipe or device.
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
      "cannot read \(displayName(path)): \(PosixFunctions.message())", code: "unreadable-file")
  }
}
