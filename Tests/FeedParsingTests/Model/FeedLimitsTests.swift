import Testing

@testable import FeedParsing

@Suite struct FeedLimitsTests {
  @Test("the limits of a document")
  func defaults() {
    let limits = FeedLimits()
    #expect(limits.bytes == 10_485_760 && limits.startTag == 65_536 && limits.depth == 200)
    #expect(limits.items == 20_000 && limits.text == 1_048_576)
    #expect(limits.keepsSummaries && !limits.keepsArticles)
    #expect(limits.resolvedLinks == 2_097_152 && limits.jsonDepth == 64)
    #expect(limits.wantedBytes == 10_485_761)
  }

  @Test("limits are lowered so that 32 bits suffice")
  func bounded() {
    var limits = FeedLimits()
    limits.bytes = 536_870_913
    #expect(limits.bounded.bytes == 536_870_912 && limits.wantedBytes == 536_870_913)
    limits.bytes = 100
    limits.text = 101
    limits.resolvedLinks = 101
    #expect(limits.bounded.text == 100 && limits.bounded.resolvedLinks == 100 && limits.bounded.bytes == 100)
    limits.text = 99
    limits.resolvedLinks = 98
    #expect(limits.bounded.text == 99 && limits.bounded.resolvedLinks == 98)
  }

  @Test(
    "a longer document leaves less room for its text in UTF-8",
    arguments: [(0, 100), (49, 100), (50, 100), (51, 99), (60, 90), (99, 51), (100, 50), (101, 50)])
  func converted(count: Int, expected: Int) {
    var limits = FeedLimits()
    limits.bytes = 100
    #expect(limits.converted(of: count) == expected)
  }
}
