internal import ArgumentParser
package import Diagnostics
internal import Platform

package enum InputFile {
  /// The maximum number of bytes to read, so that an endless device does not fill the memory.
  package static let sizeLimit = 1 << 30

  package static func source(_ path: String) throws -> SourceText {
    SourceText(name: displayName(path), bytes: try read(path))
  }

  /// Throws ``CommandFailure`` if the file is not UTF-8 either.
  package static func text(_ path: String) throws -> String {
    guard let text = String(validating: try read(path), as: UTF8.self) else {
      throw CommandFailure("\(displayName(path)) is not UTF-8", code: "bad-input")
    }
    return text
  }

  package static func displayName(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  /// Throws a usage error for `-` if the option needs a real file, such as a database or a checkpoint.
  package static func requireNamed(_ path: String?, _ option: String, because reason: String) throws {
    if path == "-" { throw ValidationError("\(option) takes a file's path, not -: \(reason)") }
  }

  /// Throws ``CommandFailure`` naming the file and the reason.
  ///
  /// - Parameter limit: the maximum number of bytes.
  package static func read(_ path: String, upTo limit: Int = sizeLimit) throws -> [UInt8] {
    try readOwned(path, upTo: limit).bytes
  }

  static func readOwned(
    _ path: String, upTo limit: Int = sizeLimit
  ) throws -> (bytes: [UInt8], owner: FileOwner) {
    try withFile(path) { file in
      let owner = try file.owner()
      // Read a file in one piece; read pipes and growing files in several.
      var bytes = try file.piece(atMost: min((try? file.size()) ?? 0, limit) + 1)
      while bytes.count <= limit {
        let piece = try file.piece(atMost: 1 << 16)
        if piece.isEmpty { return (bytes, owner) }
        bytes += piece
      }
      throw CommandFailure(
        "\(displayName(path)) is larger than \(limit >> 20 > 0 ? "\(limit >> 20) MB" : "\(limit >> 10) KB")",
        code: "file-too-large")
    }
  }

  /// The maximum size of a settings file at a default path, in bytes. Such a file is read only if it is a regular one,
  /// because opening a pipe would block.
  package static let settingsLimit = 1 << 20

  /// Reads in pieces, until `take` returns false or the input ends.
  ///
  /// - Parameter isConversation: the other side waits for an answer before it writes more, so no piece waits to be full.
  package static func readPieces(
    _ path: String, isConversation: Bool = false, _ take: (_ piece: ArraySlice<UInt8>) throws -> Bool
  ) throws {
    try withFile(path) { file in
      while true {
        let piece = try isConversation ? file.available(atMost: 1 << 16) : file.piece(atMost: 1 << 16)
        guard !piece.isEmpty, try take(piece[...]) else { return }
      }
    }
  }

  private static func withFile<Result>(
    _ path: String, _ body: (borrowing ReadableFile) throws -> Result
  ) throws -> Result {
    do {
      // Others may wait for a writer, already when they are opened, and a device may never end.
      if try path != "-" && FileKind(path) != .other { return try body(ReadableFile(path, named: path)) }
      return try InterruptSignals.whileReading {
        try body(ReadableFile(path == "-" ? nil : path, named: displayName(path)))
      }
    } catch let error as FileFailure {
      throw CommandFailure(error)
    }
  }
}
