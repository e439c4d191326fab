/// A score for how well a feed is served, in 0...1: four parts of a quarter each.
struct TransportQuality {
  let score: Double

  /// - Parameters:
  ///   - isModified: true for a whole document, false for a 304.
  ///   - before: the state before this observation, with its validators.
  init(_ facts: TransportDetails, isModified: Bool, before: FeedMetadata) {
    let known = before.transportQuality.map { $0 * 4 }
    let https = facts.isHTTPS ? 1.0 : 0
    if isModified {
      let compression = facts.isCompressed ? 1.0 : 0
      let validator = facts.hasValidator ? 1.0 : 0
      score = (https + validator + compression + Self.honors(facts, before)) / 4
    } else {
      // A 304 has no body, so the compression part is derived from the score of the last full fetch.
      let compression = (known ?? 0) - https - 1 > 1 ? 1.0 : 0
      score = (https + 1 + compression + 1) / 4
    }
  }

  /// 0 when the server sent a whole document although the validator matched; 0.5 when unknown.
  private static func honors(_ facts: TransportDetails, _ before: FeedMetadata) -> Double {
    guard facts.hasValidator else { return 0 }
    guard facts.wasConditional else { return 0.5 }
    let isSame =
      facts.etag.map { $0 == before.etag } ?? facts.lastModified.map { $0 == before.lastModified } ?? false
    return isSame ? 0 : 0.5
  }
}
