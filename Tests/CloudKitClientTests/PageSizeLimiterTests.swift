import CloudKitModel
import Testing

@testable import CloudKitClient

@Suite struct PageSizeLimiterTests {
  private let failure = ContainerFailure(.tooLarge, "m")

  @Test("a number is halved, never grows again, and is kept for its type and fields")
  func halved() throws {
    let limiter = PageSizeLimiter()
    let kind = PageSizeLimiter.RequestKind(recordType: "T", keys: ["a"])
    #expect(limiter.limit(for: kind, asked: nil) == nil && limiter.limit(for: kind, asked: 7) == 7)
    for (count, limit) in [(200, 100), (50, 25), (101, 25), (25, 12), (3, 1), (2, 1)] {
      try limiter.halve(kind, from: count, failure)
      #expect(limiter.limit(for: kind, asked: nil) == limit && limiter.limit(for: kind, asked: 200) == limit)
      #expect(limiter.limit(for: kind, asked: 1) == 1)
    }
    for other in [
      PageSizeLimiter.RequestKind(recordType: "T", keys: nil), .init(recordType: nil, keys: ["a"]),
    ] {
      #expect(limiter.limit(for: other, asked: 200) == 200)
    }
  }

  @Test("of one record there is no half", arguments: [0, 1])
  func single(count: Int) {
    let kind = PageSizeLimiter.RequestKind(recordType: "T", keys: nil)
    #expect(throws: failure) { try PageSizeLimiter().halve(kind, from: count, failure) }
  }
}
