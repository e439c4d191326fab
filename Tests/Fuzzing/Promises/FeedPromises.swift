internal import FeedParsing

/// What the feed parser promises for any bytes at all.
package enum FeedPromises {
  /// The promise that these bytes break, in words; `nil` when all are kept.
  package static func broken(by bytes: [UInt8]) -> String? {
    let feed = FeedParser.parse(bytes)
    if feed.items.count > FeedLimits().items { return "the feed has more items than the limit" }
    return feed.wellFormed && feed.recovered ? "a well-formed feed is marked as recovered" : nil
  }
}
