internal import XMLReading

package struct PageLink: Sendable {
  package enum Kind: Sendable { case feed, document }

  package var target: String
  var relations: Set<String>
  /// In lower case, without parameters.
  var type: String
  package var title: String?

  package init(target: String, relation: String, type: String, title: String?) {
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
