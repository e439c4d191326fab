import CloudKitModel
import Testing

@testable import CloudKitClient

@Suite("The pace of requests") struct RateLimiterTests {
  private let time = FakeTime()

  @Test("turns are apart by the interval, and unused time is not saved up")
  func pace() async throws {
    let limiter = RateLimiter(perSecond: 4, time: time)
    for _ in 0..<3 { try await limiter.takeTurn() }
    #expect(time.uptime == .milliseconds(500))
    try await time.sleep(for: .seconds(10))
    for _ in 0..<2 { try await limiter.takeTurn() }
    #expect(time.uptime == .milliseconds(10_750))
  }

  @Test("a pause holds back every turn until its end, and a shorter one after it changes nothing")
  func pause() async throws {
    let limiter = RateLimiter(perSecond: nil, time: time)
    try await time.sleep(for: .seconds(5))
    limiter.pause(for: .seconds(20))
    limiter.pause(for: .seconds(1))
    try await limiter.takeTurn()
    #expect(time.uptime == .seconds(25))
    try await limiter.takeTurn()
    #expect(time.uptime == .seconds(25))
  }
}
