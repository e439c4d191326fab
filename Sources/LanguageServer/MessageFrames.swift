/// Splits the bytes of a stream into messages: headers, an empty line, and as many bytes as `Content-Length` says
/// (Language Server Protocol 3.17, "Base Protocol").
package struct MessageFrames: Sendable {
  /// A stream in which no further message can be found.
  package enum Failure: Error, Sendable, Equatable {
    case noLength
    case tooLong
  }

  private var buffer: [UInt8] = []
  /// The largest message in bytes. A file of 10 MB, with each character escaped, fits.
  private static let maxLength = 64 << 20
  private static let maxHeaders = 4096

  package init() {}

  /// The messages that are complete with these bytes. Throws ``Failure``; the stream is of no use then.
  package mutating func append(_ bytes: some Sequence<UInt8>) throws(Failure) -> [[UInt8]] {
    buffer += bytes
    var messages: [[UInt8]] = []
    var start = 0
    while let body = try bodyRange(from: start), body.upperBound <= buffer.count {
      messages.append(Array(buffer[body]))
      start = body.upperBound
    }
    if start > 0 { buffer.removeSubrange(..<start) }
    return messages
  }

  /// The bytes of a message with its header.
  package static func framed(_ text: String) -> String { "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" }

  /// The place of the body; `nil` while the headers are not complete.
  private func bodyRange(from start: Int) throws(Failure) -> Range<Int>? {
    guard let end = buffer[start...].firstRange(of: "\r\n\r\n".utf8) else {
      guard buffer.count - start <= Self.maxHeaders else { throw .noLength }
      return nil
    }
    let lines = buffer[start..<end.lowerBound].split(separator: UInt8(ascii: "\n"))
    let values = lines.compactMap { line -> Int? in
      let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
      return Int(parts[1].filter { $0 != " " && $0 != "\r" })
    }
    guard let length = values.first, length >= 0 else { throw .noLength }
    guard length <= Self.maxLength else { throw .tooLong }
    return end.upperBound..<end.upperBound + length
  }
}
