/// Chooses the encoding of a document from its first bytes: byte order mark, then the width of its first characters, then
/// HTTP header, then XML declaration, then UTF-8. A label that the first bytes refute counts for nothing.
package enum EncodingSniffer {
  /// How many bytes of a document are needed.
  package static let window = 1024

  package struct Choice: Sendable {
    package var encoding: EncodingLabel
    /// What the HTTP header declares, or else the XML declaration; of two that differ the one that is not followed.
    package var declared: EncodingLabel?
    package var markLength = 0
    /// The label in the XML declaration, if no encoding is known by it.
    package var unknownLabel: String?
    /// The first bytes decided, and not a label.
    var isByBytes = false
    /// Header and declaration name different encodings, which matters for characters beyond ASCII.
    package var isDisputed = false

    /// True when the first bytes show another encoding than the declaration names.
    package var contradictsBytes: Bool {
      guard isByBytes, let declared, !declared.isUTF8 || !encoding.isUTF8 else { return false }
      return declared.name.prefix(6) != encoding.name.prefix(6)
    }
  }

  package static func choose(_ head: UnsafeBufferPointer<UInt8>, _ contentType: ContentType?) -> Choice {
    let declaration = Self.declaredLabel(head)
    let declared = declaration.flatMap(EncodingLabel.init(_:))
    if let (mark, length) = Self.byteOrderMark(head) {
      return Choice(
        encoding: mark, declared: contentType?.charset ?? declared, markLength: length, isByBytes: true)
    }
    let charset = contentType?.charset.flatMap { Transcoder.knows($0) ? $0 : nil }
    let label = charset ?? declared
    if let shape = Self.wideShape(head) { return Choice(encoding: shape, declared: label, isByBytes: true) }
    let isRefuted = label.map { !Self.mayBegin(head, in: $0) } ?? false
    if let charset {
      guard isRefuted else { return Self.choice(charset, beside: declared) }
    } else if contentType?.isTextXML == true, head.isASCII {
      // RFC 3023, section 3.1: text/xml without a charset is US-ASCII whatever the declaration says.
      return Choice(encoding: .ascii, declared: declared, isByBytes: isRefuted)
    }
    guard let declared else { return Choice(encoding: .utf8, declared: label, isByBytes: isRefuted) }
    guard Transcoder.knows(declared) else {
      return Choice(encoding: .utf8, declared: label, unknownLabel: declaration, isByBytes: isRefuted)
    }
    let isReadable = Self.mayBegin(head, in: declared)
    return Choice(
      encoding: isReadable ? declared : .utf8, declared: label, isByBytes: isRefuted || !isReadable)
  }

  /// The header's encoding; but that of the declaration if its bytes say more.
  private static func choice(_ charset: EncodingLabel, beside declared: EncodingLabel?) -> Choice {
    guard let declared, !charset.isUTF8, !declared.isUTF8, declared.converterName != charset.converterName,
      !declared.isWide, Transcoder.knows(declared)
    else { return Choice(encoding: charset, declared: charset) }
    let follows = charset.isSingleByte && !declared.isSingleByte
    return Choice(
      encoding: follows ? declared : charset, declared: follows ? charset : declared, isDisputed: true)
  }

  /// False when the document begins with ASCII, which are other characters in this encoding.
  private static func mayBegin(_ head: UnsafeBufferPointer<UInt8>, in encoding: EncodingLabel) -> Bool {
    let start = UnsafeBufferPointer(rebasing: head.prefix(4))
    guard !encoding.isUTF8, start.allSatisfy({ $0.isSpace || (0x21...0x7E).contains($0) }),
      let transcoder = Transcoder(encoding)
    else { return true }
    var text = ByteBuffer()
    transcoder.convert(start, into: &text)
    return text.bytes.elementsEqual(start)
  }

  private static func byteOrderMark(_ head: UnsafeBufferPointer<UInt8>) -> (EncodingLabel, Int)? {
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if head.starts(with: [0xFF, 0xFE, 0, 0]) { return (EncodingLabel(known: "utf-32le"), 4) }
    if head.starts(with: [0, 0, 0xFE, 0xFF]) { return (EncodingLabel(known: "utf-32be"), 4) }
    if head.starts(with: [0xFF, 0xFE]) { return (EncodingLabel(known: "utf-16le"), 2) }
    if head.starts(with: [0xFE, 0xFF]) { return (EncodingLabel(known: "utf-16be"), 2) }
    return nil
  }

  /// The wide encoding that the first four bytes show, because a document begins with an ASCII character (XML 1.0,
  /// appendix F.1).
  private static func wideShape(_ head: UnsafeBufferPointer<UInt8>) -> EncodingLabel? {
    guard head.count >= 4 else { return nil }
    switch (head[0] == 0, head[1] == 0, head[2] == 0, head[3] == 0) {
    case (true, true, true, false): return EncodingLabel(known: "utf-32be")
    case (false, true, true, true): return EncodingLabel(known: "utf-32le")
    case (true, false, true, false): return EncodingLabel(known: "utf-16be")
    case (false, true, false, true): return EncodingLabel(known: "utf-16le")
    default: return nil
    }
  }

  /// The label in `<?xml … encoding="…"?>`, in any encoding that extends ASCII or is two bytes wide.
  private static func declaredLabel(_ head: UnsafeBufferPointer<UInt8>) -> String? {
    // Most documents begin with the declaration; then only its bytes are copied.
    let isPlain = head.starts(with: "<?xml".utf8)
    let end = isPlain ? head.prefix(window).firstIndex(of: UInt8(ascii: ">")) : nil
    let ascii = head.prefix(end.map { $0 + 1 } ?? window).filter { $0 != 0 && $0 < 0x80 }
    return ascii.withUnsafeBufferPointer { text in
      guard let start = text.position(of: "<?xml"), let end = text.position(of: "?>", from: start),
        let name = text.position(of: "encoding", from: start), name < end
      else { return nil }
      let rest = text[(name + "encoding".utf8.count)..<end].drop { $0.isSpace || $0 == UInt8(ascii: "=") }
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        return nil
      }
      return String(decoding: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }
  }
}

package struct ContentType: Sendable {
  /// In lower case, without parameters.
  package let mediaType: String
  package let charset: EncodingLabel?

  package init?(_ header: String?) {
    guard let header = header?.nonEmpty else { return nil }
    let parts = header.split(separator: ";", omittingEmptySubsequences: false)
    mediaType = String(parts.first ?? "").nonEmpty?.lowercased() ?? ""
    charset =
      parts.dropFirst().compactMap { part -> EncodingLabel? in
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, String(pair[0]).nonEmpty?.lowercased() == "charset" else { return nil }
        return EncodingLabel(String(pair[1]))
      }.first
  }

  var isTextXML: Bool {
    mediaType.hasPrefix("text/xml") || mediaType.hasPrefix("text/") && mediaType.hasSuffix("+xml")
  }
}
