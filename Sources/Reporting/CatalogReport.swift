internal import CloudKitModel
public import Diagnostics
public import FeedHealth

/// The report of `report`: one value, from which the HTML file, Markdown and JSON are made.
public struct CatalogReport: Report {
  /// What a report is about, and how much of it is written.
  public struct Options: Sendable {
    /// The container and environment.
    public var subject: String
    /// Feeds in the table; `nil` for all that `maxBytes` allows.
    public var rows: Int?
    /// Of the file; `nil` for the format's own limit.
    public var maxBytes: Int?

    public init(subject: String, rows: Int? = nil, maxBytes: Int? = nil) {
      self.subject = subject
      self.rows = rows
      self.maxBytes = maxBytes
    }
  }

  /// The least that a limit of bytes may be: room for everything but the table.
  public static let leastMaxBytes = 300_000

  let health: CatalogHealth
  let options: Options
  /// The worst first.
  let feeds: [ReportedFeed]
  let changes: ReportChanges?
  let drift: SchemaDrift?
  let distribution: SubscriberDistribution
  let qualityParts: QualityPartMeans
  let snapshot: ReportSnapshot
  private let states: CatalogHealthReport

  /// - Parameters:
  ///   - drift: `nil` when no file declares the schema, or the container's cannot be read.
  ///   - previous: what this report is compared with.
  ///   - failLevel: from which state of a feed on the report is a finding.
  public init(
    _ health: CatalogHealth, options: Options, drift: SchemaDrift? = nil,
    since previous: PreviousReport? = nil,
    failLevel: CatalogHealthReport.FailLevel? = nil
  ) {
    self.health = health
    self.options = options
    self.drift = drift
    var feeds = health.feeds.map { ReportedFeed($0, at: health.asOf) }.sorted(by: ReportedFeed.isWorse)
    changes = previous.map { ReportChanges(since: $0.snapshot, to: &feeds, subject: options.subject) }
    self.feeds = feeds
    distribution = SubscriberDistribution(feeds)
    qualityParts = QualityPartMeans(feeds)
    snapshot = Self.snapshot(feeds, health, options, after: previous?.snapshot)
    states = CatalogHealthReport(health, failLevel: failLevel)
  }

  public var status: ExitStatus { states.status }

  /// The feeds that need attention most.
  var worst: ArraySlice<ReportedFeed> { feeds.filter(\.entry.isTroubled).prefix(10) }

  /// Of all feeds that were counted.
  var readers: Int64? {
    let counts = feeds.compactMap(\.entry.readers)
    return counts.isEmpty ? nil : counts.reduce(0, &+)
  }

  /// The median quality of the checked feeds, in tenths; `nil` when none has a score.
  var medianQuality: Int64? {
    let scores = feeds.compactMap(\.quality).sorted()
    return scores.isEmpty ? nil : scores[scores.count / 2]
  }

  func state(of feed: ReportedFeed) -> String { states.state(of: feed.entry) }
  func advice(for feed: ReportedFeed) -> String { states.advice(for: feed.entry) }
  /// Jobs that are late, a sentence each.
  var overdue: [String] { states.overdue }
  /// How old the knowledge is, a line each.
  var ages: [String] { states.ages }

  /// How the shares and states are counted. It stands beside the numbers, because people count differently.
  static let accounting = """
    Uptime is the share of the checks of the last 30 days, today included, that brought the feed or found it unchanged. \
    Days are UTC days. A day without a check counts for nothing, and a feed younger than 30 days is judged by the days \
    it has. A day is good when all its checks succeeded, failed when none did, and mixed otherwise. Uptime is rounded \
    down. Readers are as of the last recount.
    """

  private static func snapshot(
    _ feeds: [ReportedFeed], _ health: CatalogHealth, _ options: Options, after earlier: ReportSnapshot?
  ) -> ReportSnapshot {
    let kept = feeds.map { feed in
      (
        feed.entry.recordName,
        ReportSnapshot.Feed(
          title: ReadableNumber.shortened(feed.title, to: 80), status: feed.entry.status,
          readers: feed.entry.readers,
          quality: feed.quality)
      )
    }
    let total = ReportSnapshot.Total(
      asOf: health.asOf, readers: feeds.reduce(0) { $0 &+ ($1.entry.readers ?? 0) })
    return ReportSnapshot(
      asOf: health.asOf, subject: options.subject,
      feeds: Dictionary(kept, uniquingKeysWith: { first, _ in first }),
      totals: ((earlier?.totals ?? []) + [total]).suffix(ReportSnapshot.maxTotals))
  }
}
