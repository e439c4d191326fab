/// The attributes of one start tag, as libxml2 hands them out: read only while the tag is handled.
struct Attributes {
  private let base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  let count: Int

  init(_ base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int32) {
    self.base = base
    self.count = base == nil ? 0 : Int(count)
  }

  /// The value of the attribute of this name (in any letter case, in any namespace but XML's own), resolved and
  /// without white space around it. An empty value counts as absent.
  func value(_ name: StaticString) -> String? { find(name, isXML: false).flatMap(\.nonEmpty) }

  /// True when the attribute has this value, in any letter case.
  func says(_ name: StaticString, _ text: StaticString) -> Bool {
    guard let value = bytes(name, isXML: false) else { return false }
    return value.count == text.utf8CodeUnitCount && value.startsIgnoringCase(text)
  }

  /// The value of `xml:NAME`, empty where it is written so.
  func xmlValue(_ name: StaticString) -> String? { find(name, isXML: true) }

  private func find(_ name: StaticString, isXML: Bool) -> String? {
    bytes(name, isXML: isXML).map(Self.resolved)
  }

  /// As written, without white space around it.
  private func bytes(_ name: StaticString, isXML: Bool) -> UnsafeBufferPointer<UInt8>? {
    guard let base else { return nil }
    for index in 0..<count {
      let group = base + index * 5
      // Most attributes have no prefix.
      guard Self.isXML(group[1]) == isXML, let local = group[0], Self.matches(local, name) else { continue }
      return Self.trimmed(group[3], group[4])
    }
    return nil
  }

  func forEach(_ body: (_ name: String, _ value: String) -> Void) {
    guard let base else { return }
    for index in 0..<count {
      let group = base + index * 5
      guard let local = group[0] else { continue }
      let prefix = group[1].map { String(cString: $0) + ":" } ?? ""
      body(prefix + String(cString: local), Self.resolved(Self.trimmed(group[3], group[4])))
    }
  }

  private static func trimmed(
    _ start: UnsafePointer<UInt8>?, _ end: UnsafePointer<UInt8>?
  ) -> UnsafeBufferPointer<UInt8> {
    guard let start, let end, end > start else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start, count: end - start).trimmed
  }

  private static func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    return References.resolve(bytes)
  }

  private static func isXML(_ prefix: UnsafePointer<UInt8>?) -> Bool {
    guard let prefix else { return false }
    return matches(prefix, "xml")
  }

  private static func matches(_ text: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
    let letters = name.utf8Start
    let count = name.utf8CodeUnitCount
    for index in 0..<count {
      guard text[index].lowercased == letters[index] else { return false }
    }
    return text[count] == 0
  }
}
