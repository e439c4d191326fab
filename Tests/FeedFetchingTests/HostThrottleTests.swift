import Testing

@testable import CloudKitModel
@testable import FeedFetching

@Suite struct HostThrottleTests {
  private let policy = FetchPolicy()

  @Test("places are given out a pause apart")
  func pause() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    #expect(throttle.admit(at: .monday) == .after(.zero))
    #expect(throttle.admit(at: .monday) == .after(.seconds(1)))
    throttle.finished(at: .monday + .seconds(10))
    #expect(throttle.admit(at: .monday + .seconds(10)) == .after(.seconds(1)))
  }

  @Test("the refusal of one feed leaves its host open, however often it comes")
  func oneFeed() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for _ in 0..<2 { throttle.refused("f", until: .monday + .seconds(60)) }
    #expect(throttle.admit(at: .monday) == .after(.zero))
    #expect(throttle.blockedUntil == nil)
  }

  @Test("from the second feed on a short wish is waited for, a long one blocks")
  func block() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    throttle.refused("f", until: .monday)
    throttle.refused("g", until: .monday + .seconds(3))
    #expect(throttle.admit(at: .monday) == .after(.seconds(3)))
    throttle.refused("g", until: .monday + .seconds(60))
    #expect(throttle.admit(at: .monday) == .blocked(until: .monday + .seconds(60)))
    #expect(throttle.admit(at: .monday + .seconds(60)) == .after(.zero))
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

  /// A throttle whose host asked two feeds to wait for so many milliseconds.
  private func blocked(for milliseconds: Int64) -> HostThrottle {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for feed in ["f", "g"] { throttle.refused(feed, until: .monday + .milliseconds(milliseconds)) }
    return throttle
  }

  @Test("a wish of five seconds is waited for, a longer one is not")
  func patience() {
    #expect(blocked(for: 5000).admit(at: .monday) == .after(.seconds(5)))
    #expect(blocked(for: 5001).admit(at: .monday) == .blocked(until: .monday + .milliseconds(5001)))
    #expect(blocked(for: 0).admit(at: .monday) == .after(.zero))
    // Requests that were admitted before reach as far as the wish.
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for place: Int64 in 0...5 { #expect(throttle.admit(at: .monday) == .after(.seconds(place))) }
    for feed in ["f", "g"] { throttle.refused(feed, until: .monday + .seconds(6)) }
    #expect(throttle.admit(at: .monday) == .after(.seconds(6)))
  }

  @Test("a later, shorter wish does not shorten the pause, and a second admission waits longer")
  func wishes() {
    let throttle = blocked(for: 4000)
    throttle.refused("h", until: .monday + .seconds(2))
    #expect(throttle.blockedUntil == .monday + .seconds(4))
    #expect(throttle.admit(at: .monday) == .after(.seconds(4)))
    #expect(throttle.admit(at: .monday) == .after(.seconds(5)))
  }

  @Test("the end of a request moves the next place, never forward")
  func finished() {
    let throttle = HostThrottle(host: "a.example", policy: policy)
    for _ in 0..<3 { _ = throttle.admit(at: .monday) }
    throttle.finished(at: .monday)
    #expect(throttle.admit(at: .monday) == .after(.seconds(3)))
    throttle.finished(at: .monday + .seconds(4))
    #expect(throttle.admit(at: .monday + .seconds(4)) == .after(.seconds(1)))
    let fresh = HostThrottle(host: "a.example", policy: policy)
    fresh.finished(at: .monday)
    #expect(fresh.admit(at: .monday) == .after(.seconds(1)))
    #expect(fresh.admit(at: .monday + .seconds(60)) == .after(.zero))
  }

  @Test("requests to this machine follow one another at once")
  func noPause() {
    let throttle = HostThrottle(host: "localhost", policy: policy)
    for _ in 0..<3 { #expect(throttle.admit(at: .monday) == .after(.zero)) }
    throttle.finished(at: .monday)
    #expect(throttle.admit(at: .monday) == .after(.zero))
  }
}
