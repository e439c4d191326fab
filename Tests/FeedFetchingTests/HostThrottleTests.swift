import Testing

@testable import CloudKitModel
@testable import FeedFetching

@Suite struct HostThrottleTests {
  private let policy = FetchPolicy()

  @Test("the refusal of one feed leaves its host open, however often it comes")
  func oneFeed() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for _ in 0..<2 { throttle.refused("f", until: .monday + .seconds(60)) }
    #expect(throttle.admit(at: .monday, elapsed: .zero) == Duration.zero && throttle.blockedUntil == nil)
    // The clock was set back.
    #expect(throttle.admit(at: .monday + .seconds(-3600), elapsed: .seconds(1)) == Duration.zero)
  }

  @Test("from the second feed on a short wish is waited for, a long one blocks")
  func block() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for (feed, pause) in [("f", 0), ("g", 3)] { throttle.refused(feed, until: .monday + .seconds(pause)) }
    #expect(throttle.admit(at: .monday, elapsed: .zero) == Duration.seconds(3))
    throttle.refused("g", until: .monday + .seconds(60))
    #expect(throttle.admit(at: .monday, elapsed: .zero) == nil)
    #expect(throttle.blockedUntil == Timestamp.monday + .seconds(60))
    #expect(throttle.admit(at: .monday + .seconds(60), elapsed: .seconds(60)) == Duration.zero)
  }

  @Test(
    "this machine needs no pause",
    arguments: [
      ("localhost", true), ("x.localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
      ("127.0.0.1.example", false), ("127.1", false), ("127.0.0.1.1", false), ("127.0.0.256", false),
      ("127.0.0.", false), ("[::2]", false), ("notlocalhost", false), ("10.0.0.1", false),
    ])
  func loopback(host: String, expected: Bool) {
    #expect(HostName.isLoopback(host) == expected)
  }
}
