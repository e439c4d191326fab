internal import XMLReading

/// Reads the values of HTTP `Link` headers (RFC 8288, section 3).
package enum LinkHeader {
  package static func links(in header: String) -> [PageLink] {
    var rest = Substring(header)
    var links: [PageLink] = []
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = String(rest[rest.index(after: open)..<close])
      rest = rest[rest.index(after: close)...]
      let parameters = parameters(&rest)
      links.append(
        PageLink(
          target: target, relation: parameters["rel"] ?? "", type: parameters["type"] ?? "",
          title: parameters["title"]))
    }
    return links
  }

  /// The parameters up to the comma that ends the link; a comma within quotes does not.
  private static func parameters(_ rest: inout Substring) -> [String: String] {
    var parameters: [String: String] = [:]
    while let first = rest.first, first != "," {
      let name = rest.prefix { !"=;, \t".contains($0) }
      guard !name.isEmpty else {
        rest.removeFirst()
        continue
      }
      rest = rest.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
      let value = rest.first == "=" ? value(&rest) : ""
      parameters[name.lowercased()] = parameters[name.lowercased()] ?? value
    }
    return parameters
  }

  /// After a name: `=value`, `="value"` or `='value'`, as in a header that a server's settings quote.
  private static func value(_ rest: inout Substring) -> String {
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    guard let quote = rest.first, quote == "\"" || quote == "'" && rest.dropFirst().contains("'") else {
      let token = rest.prefix { $0 != ";" && $0 != "," }
      rest = rest.dropFirst(token.count)
      return String(token)
    }
    var value = ""
    rest = rest.dropFirst()
    while let character = rest.popFirst(), character != quote {
      if character == "\\", let next = rest.popFirst() { value.append(next) } else { value.append(character) }
    }
    return value
  }
}

package struct PageLink: Sendable {
  package enum Kind: Sendable { case feed, document }

  package var target: String
  var relations: Set<String>
  /// In lower case, without parameters.
  package var type: String
  package var title: String?
  package var language: String?

  init(target: String, relation: String, type: String, title: String?, language: String? = nil) {
    self.language = language
    self.target = target
    relations = Set(relation.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    self.type = String(type.prefix { $0 != ";" }).lowercased().filter { !$0.isWhitespace }
    self.title = title
  }

  private static let feedTypes: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
    "application/x.atom+xml", "application/x-atom+xml", "text/rss+xml", "text/atom+xml", "application/rss",
    "application/atom", "text/rss",
  ]
  /// Types that feeds share with other documents.
  private static let commonTypes: Set<String> = ["application/json", "text/xml", "application/xml"]

  /// `nil` for a link to no feed (Documentation/reference/curation.md#feed-links). The relation `feed` needs no type (HTML
  /// Standard, section 4.6.7).
  package var feedKind: Kind? {
    let isFeed = relations.contains("feed") || relations.contains("service.feed")
    guard isFeed || relations.contains("alternate") && !relations.contains("stylesheet") else { return nil }
    if Self.feedTypes.contains(type) || isFeed && type.isEmpty { return .feed }
    guard Self.commonTypes.contains(type), !target.contains("wp-json"), !target.contains("oembed") else {
      return nil
    }
    return .document
  }
}
