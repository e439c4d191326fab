import Testing

@testable import CloudKitModel
@testable import FeedFetching

@Suite struct HostThrottleTests {
  private let policy = FetchPolicy()

  @Test("the refusal of one feed leaves its host open, however often it comes")
  func oneFeed() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for _ in 0..<2 { throttle.refused("f", until: .monday + .seconds(60)) }
    #expect(throttle.admit(at: .monday) == Duration.zero)
    #expect(throttle.blockedUntil == nil)
  }

  @Test("from the second feed on a short wish is waited for, a long one blocks")
  func block() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    throttle.refused("f", until: .monday)
    throttle.refused("g", until: .monday + .seconds(3))
    #expect(throttle.admit(at: .monday) == Duration.seconds(3))
    throttle.refused("g", until: .monday + .seconds(60))
    #expect(throttle.admit(at: .monday) == nil && throttle.blockedUntil == Timestamp.monday + .seconds(60))
    #expect(throttle.admit(at: .monday + .seconds(60)) == Duration.zero)
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
