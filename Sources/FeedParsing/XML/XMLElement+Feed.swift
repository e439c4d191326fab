internal import XMLReading

extension XMLElement {
  var meaning: Meaning { Meaning(code: code) }

  /// The name as written in HTML: XHTML names without a prefix, others with theirs.
  var markupName: String {
    guard let prefix, Namespace(address: namespace, prefix: prefix) != .xhtml else { return localName }
    return "\(prefix):\(localName)"
  }

  /// The RSS dialect in RDF that a namespace declared here names; `nil` when none does, because other documents use
  /// RDF as well.
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
}
