/// How well a feed is served: four parts of a quarter each (feeds.md section 3.2).
struct TransportQuality {
  let score: Double

  /// - Parameters:
  ///   - isModified: a whole document came, not 304.
  ///   - before: what was known until now, its validators included.
  init(_ facts: TransportFacts, isModified: Bool, before: FeedMetadata) {
    let known = before.transportQuality.map { $0 * 4 }
    let https = facts.isHTTPS ? 1.0 : 0
    if isModified {
      let compression = facts.isCompressed ? 1.0 : 0
      let validator = facts.hasValidator ? 1.0 : 0
      score = (https + validator + compression + Self.honours(facts, before)) / 4
    } else {
      // A 304 has no body to compress: that part is what is left of the last full fetch's score.
      let compression = (known ?? 0) - https - 1 > 1 ? 1.0 : 0
      score = (https + 1 + compression + 1) / 4
    }
  }

  /// 0 when the same validator came back with a whole document, 0.5 when nothing is known.
  private static func honours(_ facts: TransportFacts, _ before: FeedMetadata) -> Double {
    guard facts.hasValidator else { return 0 }
    guard facts.wasConditional else { return 0.5 }
    let isSame =
      facts.etag.map { $0 == before.etag } ?? facts.lastModified.map { $0 == before.lastModified } ?? false
    return isSame ? 0 : 0.5
  }
}
