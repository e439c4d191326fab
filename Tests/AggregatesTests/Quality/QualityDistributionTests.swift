import Catalog
import CloudKitModel
import FeedState
import Foundation
import Testing

@testable import Aggregates

/// Scores by simulated days, and their distribution over the catalog that Documentation/reference/feeds.md describes.
@Suite("Quality over days") struct QualityDistributionTests {
  private static let day: Int64 = 86_400
  private static let now = Timestamp(milliseconds: 20_000 * day * 1000)

  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var gap: Int64
    var variation: Double
    var newest: Int64
    /// validity, completeness, fullContent, transport
    var measured: [Double]
    var status = HealthStatus.healthy
    /// Whether the check fails, by its number.
    var fails: @Sendable (Int64) -> Bool = { _ in false }
    var testDescription: String { name }
  }

  private static let kinds = [
    Kind(name: "weekly", gap: 7 * day, variation: 0.3, newest: 2 * day, measured: [1, 0.9, 1, 0.75]),
    Kind(name: "news", gap: 3600, variation: 0.8, newest: 1800, measured: [1, 0.9, 0, 1]),
    Kind(name: "comic", gap: day, variation: 0.1, newest: day / 2, measured: [1, 0.7, 0, 0.5]),
    Kind(name: "diary", gap: 30 * day, variation: 1.5, newest: 80 * day, measured: [0.5, 0.6, 0.5, 0.5]),
    Kind(
      name: "third", gap: day, variation: 0.4, newest: day, measured: [1, 0.8, 0.5, 0.75], status: .degraded,
      fails: { $0 % 3 == 2 }),
    Kind(
      name: "down", gap: day, variation: 0.4, newest: 20 * day, measured: [1, 0.8, 0.5, 0.75], status: .down,
      fails: { $0 % 2 == 0 }),
  ]

  /// Days and checks a day.
  private static let histories: [(days: Int64, checks: Int64)] = [(1, 1), (7, 1), (30, 1), (30, 24)]

  /// The state after some days of checks, as health checks record it: a day for each, with its successes and failures.
  private static func inputs(
    _ kind: Kind, days: Int64, checks: Int64, subscribers: Int64 = 0
  ) -> QualityScoreInputs {
    var state = FeedMetadata(feed: "f")
    state.history = DailyCheckHistory(
      (0..<days).map { age in
        let failures = Int64((0..<checks).count { kind.fails(age * checks + $0) })
        return DailyCheckCounts(day: 20_000 - age, successes: checks - failures, failures: failures)
      })
    state.totalAttempts = days * checks
    state.successfulAttempts = state.history.days.reduce(0) { $0 + $1.successes }
    state.status = kind.status
    (state.medianItemGap, state.itemGapVariation) = (.seconds(kind.gap), kind.variation)
    state.newestItem = Timestamp(milliseconds: now.milliseconds - kind.newest * 1000)
    (state.validity, state.completeness) = (kind.measured[0], kind.measured[1])
    (state.fullContent, state.transportQuality, state.idHygiene) = (kind.measured[2], kind.measured[3], 1)
    return QualityScoreInputs(state: state, subscribers: subscribers, isVerified: false)
  }

  private static func score(_ inputs: QualityScoreInputs) -> Double {
    FeedQualityScore(inputs, profile: QualityProfile(.signals), now: now).score
  }

  @Test(
    "a feed that was healthy at its first check scores at least 55, whatever was measured", arguments: kinds)
  func first(_ kind: Kind) {
    var inputs = Self.inputs(kind, days: 1, checks: 1)
    inputs.state.status = .healthy
    (inputs.state.validity, inputs.state.completeness, inputs.state.transportQuality) = (0, 0, 0)
    #expect(Self.score(inputs) >= 55)
  }

  @Test(
    "day by day a healthy feed with a steady rhythm rises to 70 within 30 days, without readers",
    arguments: kinds.filter { $0.status == .healthy && $0.variation <= 0.8 }, [1, 4, 24] as [Int64])
  func steady(_ kind: Kind, _ checks: Int64) {
    let scores = (1...30).map { Self.score(Self.inputs(kind, days: $0, checks: checks)) }
    #expect(zip(scores, scores.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(scores[29] >= 70)
  }

  @Test(
    "a poor but valid feed, too: no text, no readers, a quarter of the transport, half of its information")
  func poor() {
    let kind = Kind(
      name: "poor", gap: Self.day, variation: 0.5, newest: Self.day, measured: [1, 0.5, 0, 0.25])
    #expect(Self.score(Self.inputs(kind, days: 30, checks: 1)) >= 70)
  }

  @Test(
    "a feed that is down scores at most 49, after a perfect month with all readers, too", arguments: kinds)
  func down(_ kind: Kind) {
    var inputs = Self.inputs(kind, days: 30, checks: 24, subscribers: 100_000)
    inputs.state.status = .down
    #expect(Self.score(inputs) <= 49)
  }

  @Test("the distribution over the described catalog is the one that the page shows")
  func distribution() throws {
    let scores = Self.kinds.flatMap { kind in
      Self.histories.flatMap { history in
        [0, 20, 2000].map { readers in
          (Self.score(
            Self.inputs(kind, days: history.days, checks: history.checks, subscribers: readers)) * 10)
            .rounded() / 10
        }
      }
    }
    #expect(scores.count == 72)
    let bounds = [0.0, 50, 55, 70, 80, 101]
    let counts = zip(bounds, bounds.dropFirst()).map { low, high in scores.count { low <= $0 && $0 < high } }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Documentation/reference/feeds.md"), encoding: .utf8)
    let part = try #require(page.components(separatedBy: "| Score | Feeds |").last)
    let shown = part.matches(of: /\n\| [^|]+ \| (\d+) \|/).prefix(5).compactMap { Int($0.1) }
    #expect(shown == counts)
  }

  @Test("without readers and verification the profile of the documents ends at 60, with 13 readers at 70")
  func documents() {
    var inputs = QualityScoreInputs.unknown
    (inputs.state.totalAttempts, inputs.state.successfulAttempts) = (1_000_000, 1_000_000)
    (inputs.state.itemGapVariation, inputs.state.status) = (0, .healthy)
    func score() -> Double {
      FeedQualityScore(inputs, profile: QualityProfile(.celestra), now: Self.now).score
    }
    #expect(score() < 60.001 && score() > 59.9)
    inputs.subscribers = 12
    #expect(score() < 70)
    inputs.subscribers = 13
    #expect(score() > 70)
  }
}
