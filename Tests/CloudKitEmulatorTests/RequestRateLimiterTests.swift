import Testing

@testable import CloudKitEmulator

@Suite struct RequestRateLimiterTests {
  @Test("the requests of one second may come at once, and at least one", arguments: [0.001, 1, 5])
  func burst(perSecond: Double) {
    let throttle = RequestRateLimiter(perSecond: perSecond)
    let passed = (0..<20).prefix { _ in throttle.refusal() == nil }.count
    #expect(passed == max(1, Int(perSecond)))
  }
}
