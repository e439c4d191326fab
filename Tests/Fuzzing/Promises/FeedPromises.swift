internal import FeedParsing

/// What the feed parser promises for any bytes at all.
package enum FeedPromises {
  /// The promise that these bytes break, in words; `nil` when all are kept. Parses the bytes whole and in pieces.
  package static func broken(by bytes: [UInt8]) -> String? {
    let whole = FeedParser.parse(bytes)
    let pieces = inPieces(bytes)
    if pieces.items.count != whole.items.count || pieces.format != whole.format {
      return "the feed depends on how its bytes arrive"
    }
    if whole.items.count > FeedLimits().items { return "the feed has more items than the limit" }
    return whole.wellFormed && whole.recovered ? "a well-formed feed is marked as recovered" : nil
  }

  private static func inPieces(_ bytes: [UInt8]) -> ParsedFeed {
    var parser = FeedParser()
    // The first piece must hold the declaration, as it does on any network.
    let first = min(bytes.count, 2048)
    parser.feed(bytes[..<first])
    for start in stride(from: first, to: bytes.count, by: 997) {
      parser.feed(bytes[start..<min(start + 997, bytes.count)])
    }
    return parser.finish()
  }
}
