/// The part of an XML document before the root element. The document type declaration is removed from it, so that no
/// DTD reaches libxml2; the plain entities that it declares are kept.
package struct XMLProlog {
  /// Bytes of the longest declaration that is read.
  package static let limit = 256 << 10

  private(set) var entities: [String: EntityText] = [:]
  package private(set) var isHTML = false
  /// True when the declaration names a DTD outside the document, or entities that are files or addresses. None is
  /// ever opened.
  package private(set) var hasExternal = false
  /// True when the declaration has entities made of other entities or markup. They are not expanded.
  package private(set) var hasNestedEntities = false
  /// Entities that are declared as files or addresses.
  private(set) var externalEntities: Set<String> = []
  /// True when the declaration names the DTD of RSS 0.91, which declares the characters of Latin-1.
  private(set) var declaresLatin1 = false
  /// Why the document cannot be read further: its declaration has no end, or is longer than ``limit``, whether it ends or not.
  private(set) var fault: XMLStatus?

  /// The bytes of the prolog without its document type declaration.
  private(set) var kept: [Range<Int>] = []
  /// Bytes before the root element's `<`.
  private(set) var length = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while let open = bytes.index(of: UInt8(ascii: "<"), from: index) {
      keep(index..<open)
      length = open
      let rest = UnsafeBufferPointer(rebasing: bytes[open...])
      let isDoctype = rest.startsIgnoringCase("<!doctype")
      guard let end = Self.end(of: rest), !isDoctype || end <= Self.limit else {
        if isDoctype { fault = rest.count > Self.limit ? .doctypeTooLong : .illFormed }
        return
      }
      if end == 0 { return }
      if isDoctype {
        readDoctype(UnsafeBufferPointer(rebasing: rest[..<end]))
      } else {
        keep(open..<open + end)
      }
      index = open + end
    }
    keep(index..<bytes.count)
    length = bytes.count
  }

  private mutating func keep(_ range: Range<Int>) {
    if let last = kept.last, last.upperBound == range.lowerBound {
      kept[kept.count - 1] = last.lowerBound..<range.upperBound
    } else {
      kept.append(range)
    }
  }

  /// The length of a comment, instruction or declaration; 0 for an element; `nil` without an end.
  private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "?"): return find("?>", in: bytes, from: 2)
    case UInt8(ascii: "!"):
      guard bytes.count >= 9 else { return nil }
      if bytes.startsIgnoringCase("<!--") { return find("-->", in: bytes, from: 4) }
      return bytes.startsIgnoringCase("<!doctype") ? doctypeEnd(bytes) : 0
    default: return 0
    }
  }

  private static func find(_ text: StaticString, in bytes: UnsafeBufferPointer<UInt8>, from start: Int)
    -> Int?
  {
    bytes.position(of: text, from: start).map { $0 + text.utf8CodeUnitCount }
  }

  private static func doctypeEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var quote: UInt8?
    var brackets = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "<"), index > 0,
        UnsafeBufferPointer(rebasing: bytes[index...]).startsIgnoringCase("<!--")
      {
        guard let end = find("-->", in: bytes, from: index + 4) else { return nil }
        index = end
        continue
      } else {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "["): brackets += 1
        case UInt8(ascii: "]"): brackets -= 1
        case UInt8(ascii: ">") where brackets <= 0: return index + 1
        default: break
        }
      }
      index += 1
    }
    return nil
  }

  private mutating func readDoctype(_ bytes: UnsafeBufferPointer<UInt8>) {
    let name = bytes.dropFirst(9).drop { $0.isSpace }
    isHTML = name.startsIgnoringCase("html")
    let head = bytes.prefix { $0 != UInt8(ascii: "[") }
    let text = String(decoding: head, as: UTF8.self)
    // RSS 0.91 feeds name Netscape's DTD as PUBLIC; it is never needed.
    hasExternal = text.contains("SYSTEM") && !text.contains("PUBLIC")
    declaresLatin1 =
      text.contains("PUBLIC") && text.contains("DTD RSS 0.91") || text.contains("/rss-0.91.dtd")
    var index = head.endIndex
    while let declaration = Self.find("<!ENTITY", in: bytes, from: index) {
      let rest = bytes[declaration...]
      let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
      readEntity(String(decoding: bytes[declaration..<end], as: UTF8.self))
      index = end
      guard entities.count < 1000 else { return }
    }
  }

  private mutating func readEntity(_ text: String) {
    let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, parts[0] != "%" else { return }
    let value = parts[1].drop(while: \.isWhitespace)
    guard let quote = value.first, quote == "\"" || quote == "'" else {
      hasExternal = true
      externalEntities.insert(String(parts[0]))
      return
    }
    let content = value.dropFirst().prefix { $0 != quote }
    guard let plain = Self.plainText(content) else {
      hasNestedEntities = true
      return
    }
    entities[String(parts[0])] = entities[String(parts[0])] ?? EntityText(plain)
  }

  /// Bytes of the longest entity: longer ones could expand to far more text than was sent.
  private static let maxEntityLength = 256

  private static func plainText(_ content: Substring) -> String? {
    guard content.utf8.count <= maxEntityLength, !content.contains("%"), !content.contains("<") else {
      return nil
    }
    guard content.contains("&") else { return String(content) }
    let own = ["#", "amp;", "lt;", "gt;", "quot;", "apos;"]
    let references = content.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
    guard references.allSatisfy({ own.contains(where: $0.hasPrefix) }) else { return nil }
    // XML 1.0, section 4.4: numbers are resolved where the entity is declared (`&#38;#169;`), names where it is used.
    let text = content.replacing("&amp;", with: "&#38;#38;")
    return CharacterReferences.resolve(CharacterReferences.resolve(String(text)))
  }
}

/// The text of an entity. It stays at one address, because libxml2 keeps a pointer to it.
final class EntityText: @unchecked Sendable {
  /// UTF-8, NUL-terminated.
  let text: UnsafePointer<UInt8>
  var count: Int { buffer.count - 1 }
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  init(_ value: String) {
    buffer = .allocate(capacity: value.utf8.count + 1)
    _ = buffer.initialize(from: Array(value.utf8) + [0])
    text = UnsafePointer(buffer.baseAddress.unsafelyUnwrapped)
  }

  deinit { buffer.deallocate() }
}
