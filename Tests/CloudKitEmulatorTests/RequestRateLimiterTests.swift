import Testing

@testable import CloudKitEmulator

@Suite struct RequestRateLimiterTests {
  @Test("the requests of one second may come at once, and at least one", arguments: [0.001, 1, 5])
  func burst(perSecond: Double) {
    let throttle = RequestRateLimiter(perSecond: perSecond)
    let passed = (0..<20).prefix { _ in throttle.refusal() == nil }.count
    #expect(passed == max(1, Int(perSecond)))
  }

  @Test("the wait is in whole seconds, at least one", arguments: [(0.001, 1000), (0.3, 4), (5.0, 1)])
  func wait(perSecond: Double, seconds: Int) {
    let limiter = RequestRateLimiter(perSecond: perSecond)
    #expect((0..<20).lazy.compactMap { _ in limiter.refusal() }.first == .seconds(seconds))
  }
}
