import Testing

@testable import FeedFetching

@Suite struct FetchPolicyTests {
  @Test("the limits and pauses of checks (Documentation/reference/feeds.md#politeness, #fetch-limits)")
  func defaults() {
    let policy = FetchPolicy()
    #expect(policy.connectTimeout == .seconds(10) && policy.totalTimeout == .seconds(30))
    #expect(policy.maxRedirects == 10 && policy.maxBodyBytes == 10_485_760)
    #expect(!policy.allowPrivateAddresses && !policy.obeysRobots)
    #expect(policy.hostDelay == .seconds(1) && policy.hostPatience == .seconds(5))
    #expect(policy.interval == .seconds(3000) && policy.maxInterval == .seconds(86_400))
    #expect(policy.throttledInterval == .seconds(600))
    #expect(policy.fullFetchDays == 8)
    #expect(policy.userAgent == "celestra-admin/1 (feed health check)")
  }

  @Test(
    "the interval doubles with each failure in a row after the first, up to a day",
    arguments: [
      (-1, 3000), (0, 3000), (1, 3000), (2, 6000), (3, 12_000), (4, 24_000), (5, 48_000), (6, 86_400),
      (7, 86_400),
      (1 << 40, 86_400),
    ] as [(Int64, Int64)])
  func backOff(failures: Int64, seconds: Int64) {
    #expect(FetchPolicy().backOff(failures: failures) == .seconds(seconds))
  }

  @Test("without a limit the interval doubles sixteen times")
  func doublings() {
    var policy = FetchPolicy()
    policy.interval = .seconds(1)
    policy.maxInterval = .seconds(1_000_000)
    #expect(policy.backOff(failures: 16) == .seconds(32_768))
    for failures: Int64 in [17, 18, .max] { #expect(policy.backOff(failures: failures) == .seconds(65_536)) }
  }
}
