internal import LibXML2Shim

/// A start tag, as libxml2 hands it out: read only while it is handled.
struct Element {
  private let raw: UnsafePointer<feed_xml_element>

  init(_ raw: UnsafePointer<feed_xml_element>) { self.raw = raw }

  var meaning: Meaning { Meaning(code: raw.pointee.meaning) }
  var localName: String { String(cString: raw.pointee.local) }
  var prefix: String? { raw.pointee.prefix.map { String(cString: $0) } }
  var namespace: String? { raw.pointee.uri.map { String(cString: $0) } }
  /// With its prefix.
  var name: String { Self.name(raw.pointee.local, raw.pointee.prefix) }

  var attributes: Attributes { Attributes(raw.pointee.attributes, count: raw.pointee.attribute_count) }

  static func name(_ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?) -> String {
    let prefix = prefix.map { String(cString: $0) + ":" } ?? ""
    return prefix + String(cString: local)
  }

  /// Which of the two RSS dialects in RDF the document is in, where a namespace declared here says so: other
  /// documents are in RDF too.
  var rdfDialect: FeedFormat? {
    guard let declared = raw.pointee.namespaces else { return nil }
    for index in 0..<Int(raw.pointee.namespace_count) {
      guard let address = declared[index * 2 + 1].map({ String(cString: $0) }) else { continue }
      if address.contains("rdf/simple/0.9") || address.contains("formats/rss-0.9") { return .rss090 }
      if Namespace(address: address, prefix: nil) == .core, address.contains("rss") { return .rss10 }
    }
    return nil
  }
}
