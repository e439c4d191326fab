internal import LibXML2Shim

/// A start tag, as libxml2 hands it out: read only while it is handled.
struct Element {
  private let raw: UnsafePointer<feed_xml_element>

  init(_ raw: UnsafePointer<feed_xml_element>) { self.raw = raw }

  var meaning: Meaning { Meaning(code: raw.pointee.meaning) }
  var localName: String { String(cString: raw.pointee.local) }
  var prefix: String? { raw.pointee.prefix.map { String(cString: $0) } }
  var namespace: String? { raw.pointee.uri.map { String(cString: $0) } }

  /// As written in HTML: the names of XHTML without a prefix, others with theirs.
  var markupName: String {
    guard let prefix, Namespace(address: namespace, prefix: prefix) != .xhtml else { return localName }
    return "\(prefix):\(localName)"
  }

  var attributes: Attributes { Attributes(raw.pointee.attributes, count: raw.pointee.attribute_count) }

  /// Which of the two RSS dialects in RDF the document is in, where a namespace declared here says so: other
  /// documents are in RDF too.
  var rdfDialect: FeedFormat? {
    var dialect: FeedFormat?
    forEachNamespace { _, address in
      guard dialect == nil else { return }
      if address.contains("rdf/simple/0.9") || address.contains("formats/rss-0.9") {
        dialect = .rss090
      } else if Namespace.known(address) == .core, address.contains("rss") {
        dialect = .rss10
      }
    }
    return dialect
  }

  /// The namespaces declared here, as attributes.
  func forEachNamespace(_ body: (_ name: String, _ address: String) -> Void) {
    guard let declared = raw.pointee.namespaces else { return }
    for index in 0..<Int(raw.pointee.namespace_count) {
      guard let address = declared[index * 2 + 1].map({ String(cString: $0) }) else { continue }
      body(declared[index * 2].map { "xmlns:" + String(cString: $0) } ?? "xmlns", address)
    }
  }
}
