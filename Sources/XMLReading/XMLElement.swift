package import LibXML2Shim

/// A start tag, valid only while ``XMLHandlers/Start`` handles it.
package struct XMLElement {
  let raw: UnsafePointer<xml_shim_element>

  package init(_ raw: UnsafePointer<xml_shim_element>) { self.raw = raw }

  /// What ``XMLHandlers/Code`` returned for the element's name.
  package var code: UInt16 { raw.pointee.code }
  package var localName: String { String(cString: raw.pointee.local) }
  package var prefix: String? { raw.pointee.prefix.map { String(cString: $0) } }
  package var namespace: String? { raw.pointee.uri.map { String(cString: $0) } }

  package var attributes: XMLAttributes {
    XMLAttributes(raw.pointee.attributes, count: raw.pointee.attribute_count)
  }

  /// Calls `body` for each namespace declared here, with the name of the attribute that declares it.
  package func forEachNamespace(_ body: (_ name: String, _ address: String) -> Void) {
    guard let declared = raw.pointee.namespaces else { return }
    for index in 0..<Int(raw.pointee.namespace_count) {
      guard let address = declared[index * 2 + 1].map({ String(cString: $0) }) else { continue }
      body(declared[index * 2].map { "xmlns:" + String(cString: $0) } ?? "xmlns", address)
    }
  }
}

/// The attributes of one start tag, valid only while the tag is handled.
package struct XMLAttributes {
  private let base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  package let count: Int

  init(_ base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int32) {
    self.base = base
    self.count = base == nil ? 0 : Int(count)
  }

  /// The value of the attribute with this name (in any letter case, in any namespace but XML's own), with references
  /// resolved and without white space at its ends. An empty value counts as absent.
  package func value(_ name: StaticString) -> String? {
    bytes(name, isXML: false).map(Self.resolved).flatMap(\.nonEmpty)
  }

  /// True when the attribute has this value, in any letter case.
  package func equals(_ name: StaticString, _ text: StaticString) -> Bool {
    guard let value = bytes(name, isXML: false) else { return false }
    return value.count == text.utf8CodeUnitCount && value.startsIgnoringCase(text)
  }

  /// The value of `xml:NAME`; an empty value stays empty.
  package func xmlValue(_ name: StaticString) -> String? { bytes(name, isXML: true).map(Self.resolved) }

  package func forEach(_ body: (_ name: String, _ value: String) -> Void) {
    guard let base else { return }
    for index in 0..<count {
      let group = base + index * 5
      guard let local = group[0] else { continue }
      let prefix = group[1].map { String(cString: $0) + ":" } ?? ""
      body(prefix + String(cString: local), Self.resolved(Self.trimmed(group[3], group[4])))
    }
  }

  /// As written, without white space at the ends.
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

  private static func trimmed(
    _ start: UnsafePointer<UInt8>?, _ end: UnsafePointer<UInt8>?
  ) -> UnsafeBufferPointer<UInt8> {
    guard let start, let end, end > start else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start, count: end - start).trimmed
  }

  private static func resolved(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    return CharacterReferences.resolve(bytes)
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
