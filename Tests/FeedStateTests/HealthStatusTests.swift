import CloudKitModel
import Testing

@testable import FeedState

@Suite struct HealthStatusTests {
  @Test("down is worse than degraded, which is worse than the rest")
  func severity() {
    let expected: [HealthStatus: Int] = [.healthy: 0, .unknown: 0, .degraded: 1, .down: 2]
    for status in HealthStatus.allCases { #expect(status.severity == expected[status], "\(status)") }
  }

  @Test("the thresholds (Documentation/reference/feeds.md#status-rules)")
  func thresholds() {
    let thresholds = HealthThresholds()
    #expect(thresholds.failuresUntilDown == 3 && thresholds.redirectSightings == 3)
    #expect(thresholds.hostFailureUntilDown == .seconds(86_400))
    #expect(thresholds.recentSuccess == .seconds(604_800) && thresholds.contentUntilDown == .seconds(3600))
    #expect(thresholds.idShare == 0.9)
    #expect(thresholds.successRate == 0.8 && thresholds.checksForRate == 5)
    #expect(thresholds.refusedUntilDown == .seconds(2_592_000) && thresholds.refusedShare == 0.05)
    #expect(thresholds.staleAge == .seconds(2_592_000) && thresholds.staleGaps == 5)
    #expect(thresholds.slowAnswer == .seconds(10))
    #expect(thresholds.outageShare == 0.5 && thresholds.outageHosts == 5 && thresholds.outageSample == 100)
  }

  @Test("a degraded feed must answer in four fifths of the time and succeed two hundredths more often")
  func tightened() {
    let stricter = HealthThresholds().tightened()
    #expect(stricter.slowAnswer == .seconds(8))
    #expect(abs(stricter.successRate - 0.82) < 1e-9)
    var others = stricter
    others.slowAnswer = .seconds(10)
    others.successRate = 0.8
    #expect(others == HealthThresholds())
    for rate in [0.99, 1] {
      var strict = HealthThresholds()
      strict.successRate = rate
      #expect(strict.tightened().successRate == 1)
    }
  }
}
