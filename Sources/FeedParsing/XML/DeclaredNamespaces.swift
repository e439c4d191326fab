/// The namespaces that one start tag declares, as libxml2 hands them out: read only while the tag is handled.
struct DeclaredNamespaces {
  private let base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  let count: Int

  init(_ base: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int32) {
    self.base = base
    self.count = base == nil ? 0 : Int(count)
  }

  /// Which of the two RSS dialects in RDF the document is in, where a namespace says so: other documents are in RDF
  /// too.
  var rdfDialect: FeedFormat? {
    guard let base else { return nil }
    for index in 0..<count {
      guard let address = base[index * 2 + 1].map({ String(cString: $0) }) else { continue }
      if address.contains("rdf/simple/0.9") || address.contains("formats/rss-0.9") { return .rss090 }
      if Namespace(address: address, prefix: nil) == .core, address.contains("rss") { return .rss10 }
    }
    return nil
  }
}
