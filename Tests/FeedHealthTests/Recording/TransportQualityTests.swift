import FeedState
import Testing

@testable import FeedHealth

@Suite struct TransportQualityTests {
  private func facts(
    https: Bool = true, compressed: Bool = true, etag: String? = "1"
  )
    -> TransportDetails
  {
    TransportDetails(isHTTPS: https, isCompressed: compressed, etag: etag, lastModified: nil)
  }

  private func score(
    _ facts: TransportDetails, conditional: Bool = false, isModified: Bool = true, before: Double? = nil
  ) -> Double {
    var metadata = FeedMetadata(feed: "a")
    metadata.transportQuality = before
    return metadata.transportScore(after: facts, isModified: isModified, wasConditional: conditional)
  }

  @Test("each part is a quarter; whether 304 is honored counts half until it is known")
  func parts() {
    #expect(score(facts()) == 0.875)
    #expect(score(facts(https: false)) == 0.625)
    #expect(score(facts(compressed: false)) == 0.625)
    #expect(score(facts(etag: nil)) == 0.5)
    #expect(score(facts(https: false, compressed: false, etag: nil)) == 0)
  }

  @Test("a 304 completes the score and keeps what was known of compression", arguments: [true, false])
  func honored(compressed: Bool) {
    let first = score(facts(compressed: compressed))
    let second = score(facts(compressed: false), conditional: true, isModified: false, before: first)
    #expect(second == (compressed ? 1 : 0.75))
    #expect(score(facts(compressed: false), conditional: true, isModified: false, before: second) == second)
  }
}
