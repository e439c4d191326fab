internal import Diagnostics
internal import Platform

/// Reads a `.env` file by the rules that shells and other tools share:
///
/// - each line is `NAME=value`, optionally after `export `; other lines are ignored, and the last assignment of a
///   name applies;
/// - a value without quotes ends at the end of the line or at a `#` after a space, and is trimmed;
/// - text in 'single quotes' is literal; "double quotes" allow the escapes `\n`, `\r`, `\t`, `\"`, `\\` and `\$`;
///   both may span several lines, as a PEM key does. Variables are not expanded.
///
/// The text may be secret: messages give the line number and never quote it.
struct DotEnvFile {
  struct Malformed: Error, Equatable {
    /// The line number, from 1.
    let line: Int
    let reason: String
  }

  private(set) var values: [String: String] = [:]
  /// Who decides what the file says; `nil` if it does not exist.
  private(set) var owner: FileOwner?
  private let bytes: [UInt8]
  private var place = 0
  private let required: Set<String>?

  /// The file at `path`. It has no variables if it does not exist or is a folder, such as a Python virtual
  /// environment.
  ///
  /// - Parameter required: names whose lines must be valid. Malformed lines with other names, written for other
  ///   tools, are ignored.
  static func read(_ path: String, required: Set<String>) throws -> DotEnvFile {
    guard ![.missing, .folder].contains(try FileKind(path)) else { return try DotEnvFile([]) }
    do {
      let (bytes, owner) = try RegularFile.readOwned(path, upTo: InputFile.settingsLimit)
      var file = try DotEnvFile(bytes, required: required)
      file.owner = owner
      return file
    } catch let malformed as Malformed {
      throw CommandFailure(".env:\(malformed.line): \(malformed.reason)", code: "bad-input")
    } catch let unreadable as FileFailure {
      throw CommandFailure(
        unreadable.message, code: unreadable.failure.code,
        hint: "Settings are read from this file: correct it, or move it away.")
    }
  }

  /// - Parameter required: as for ``read(_:required:)``; `nil` for all names.
  init(_ bytes: [UInt8], required: Set<String>? = nil) throws(Malformed) {
    self.required = required
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    while place < self.bytes.count { try readLine() }
  }

  private mutating func readLine() throws(Malformed) {
    skipBlanks()
    if let name = readName() {
      let start = place
      do throws(Malformed) {
        values[name] = try readValue()
      } catch {
        if required?.contains(name) ?? true { throw error }
        place = start
      }
    }
    skip { $0 != .newline }
    place += 1
  }

  private mutating func readName() -> String? {
    var name = word()
    if name == "export", current.map(isBlank) == true {
      skipBlanks()
      name = word()
    }
    skipBlanks()
    guard !name.isEmpty, current == UInt8(ascii: "=") else { return nil }
    place += 1
    return name
  }

  private mutating func readValue() throws(Malformed) -> String {
    skipBlanks()
    guard current == UInt8(ascii: "'") || current == UInt8(ascii: "\"") else { return unquoted() }
    let line = lineNumber
    var value = ""
    // As in a shell, adjacent quoted parts are one value, and a backslash between them escapes the next character:
    // 'it'\''s' means it's.
    while let part = current, !isBlank(part), part != .newline {
      place += 1
      if part == UInt8(ascii: "'") || part == UInt8(ascii: "\"") {
        value += try quoted(by: part, from: line)
      } else if part == UInt8(ascii: "\\"), let next = current, next != .newline {
        value += String(decoding: [next], as: UTF8.self)
        place += 1
      } else {
        throw Malformed(line: lineNumber, reason: "unexpected text after the closing quote")
      }
    }
    skipBlanks()
    guard current == nil || current == .newline || current == UInt8(ascii: "#") else {
      throw Malformed(line: lineNumber, reason: "unexpected text after the closing quote")
    }
    return value
  }

  private mutating func unquoted() -> String {
    let start = place
    skip { $0 != .newline }
    let line = bytes[start..<place]
    let end = line.indices.first {
      line[$0] == UInt8(ascii: "#") && ($0 == start || isBlank(line[$0 - 1]))
    }
    var value = line[..<(end ?? place)]
    while let last = value.last, isBlank(last) { value.removeLast() }
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func quoted(by quote: UInt8, from line: Int) throws(Malformed) -> String {
    var value: [UInt8] = []
    while let byte = current {
      place += 1
      if byte == quote { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let escape = current.flatMap(meaning) {
        value.append(escape)
        place += 1
      } else {
        value.append(byte)
      }
    }
    throw Malformed(line: line, reason: "the closing quote is missing")
  }

  private func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "n"): .newline
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): letter
    default: nil
    }
  }

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }
  private var lineNumber: Int { bytes[..<place].count { $0 == .newline } + 1 }

  private mutating func word() -> String {
    let start = place
    skip { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func skipBlanks() { skip(isBlank) }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = current, isSkipped(byte) { place += 1 }
  }
}

/// Includes the carriage return of a CRLF line end, which is not part of the value.
private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}

extension UInt8 {
  fileprivate static let newline = UInt8(ascii: "\n")
}
