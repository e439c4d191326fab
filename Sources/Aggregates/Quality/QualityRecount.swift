public import CloudKitModel
internal import Diagnostics
public import FeedState
public import RecordChanges
public import SchemaLanguage

/// The record types and fields that hold feeds, their health and their scores.
public struct QualityRecordMapping: Sendable, Hashable {
  let feeds: FeedRecordMapping
  public var feedType: String { feeds.recordType }
  public var title: String { feeds.title }
  public var subscriberCount: String { feeds.subscriberCount }
  public let scoreField = "qualityScore"
  /// `nil` when the feed record itself holds its health.
  public var metadataType: String? { feeds.stateType }
  /// The field of the health record that refers to the feed.
  public let feedReference = "feedReference"

  init(_ feeds: FeedRecordMapping) { self.feeds = feeds }

  /// The layout that fits a schema: PublicFeed with FeedMetadata, or Feed alone
  /// (Documentation/reference/catalog.md#record-types).
  ///
  /// - Parameter feeds: the types and fields of the project's feeds, in place of these.
  public static func builtIn(for schema: Schema, feeds: FeedRecordMapping? = nil) -> QualityRecordMapping? {
    let layouts = feeds.map { [Self($0)] } ?? [Self(.celestra), Self(.celestraCloud)]
    return layouts.first { layout in
      schema[recordType: layout.feedType]?[field: layout.scoreField] != nil
    }
  }
}

/// Computes the quality score of each feed from its health record, and writes the scores that changed.
///
/// Reads all health records first. When that fails, nothing is written.
public struct QualityRecount: Sendable {
  /// One feed's score, for `--explain`.
  public struct Explanation: Sendable {
    public var recordName: String
    public var title: String?
    public var score: FeedQualityScore
    /// The value in the record now.
    public var stored: FieldValue?
  }

  private let profile: QualityProfile
  private let layout: QualityRecordMapping
  private let schema: Schema
  private let options: RecountOptions
  private let now: @Sendable () -> Timestamp
  private let job: RecountJob

  public init(
    profile: QualityProfile, layout: QualityRecordMapping, schema: Schema, container: any Container,
    options: RecountOptions = RecountOptions(), now: @escaping @Sendable () -> Timestamp,
    clock: any MonotonicClock = SystemClock()
  ) {
    self.profile = profile
    self.layout = layout
    self.schema = schema
    self.options = options
    self.now = now
    job = RecountJob(
      "recount quality", schema: schema, container: container, options: options, clock: clock)
  }

  /// The job that a run writes as.
  public var writingJob: WritingJob { job.writing }
  /// The container that a run reads and writes. It counts the requests.
  public var container: any Container { job.container }

  /// - Parameters:
  ///   - writer: `nil` for a dry run.
  ///   - explain: called with the score of each feed, in the order of the container.
  public func run(
    through writer: LeasedJobWriter?, explain: (Explanation) -> Void = { _ in }
  ) async throws -> RecountOutcome {
    let type = schema[recordType: layout.feedType]?[field: layout.scoreField]?.type
    guard let type, [.int64, .double].contains(type) else {
      throw RecountError.invalidDeclaration([
        Diagnostic(
          AggregateRule.unusableField,
          "\(layout.feedType).\(layout.scoreField) must be DOUBLE or INT64 to hold a score")
      ])
    }
    let keys = try await job.keys(of: writer)
    var outcome = try await score(as: FieldType(type).element, through: writer, explain)
    job.finish(&outcome, keys, through: writer, at: now())
    return outcome
  }

  private func score(
    as type: ScalarType, through writer: LeasedJobWriter?, _ explain: (Explanation) -> Void
  ) async throws -> RecountOutcome {
    let asOf = try await job.asOf(now(), options)
    var health = try await readHealth()
    var result = RecountResult(aggregate: "quality", strategy: .sweep)
    result.sources = Int64(health.count)
    result.asOf = asOf
    result.settle = options.settle
    var outcome = RecountOutcome(phase: .done, result: result)
    var changes: [RecordChange] = []
    var keys = [layout.scoreField, layout.subscriberCount, "isVerified", layout.title]
    // Feeds that keep their own state have names of their own for it.
    let own = layout.metadataType == nil ? try await layout.feeds.matching(job.container) : nil
    keys += own?.stateFieldNames ?? []
    keys = keys.filter { schema[recordType: layout.feedType]?[field: $0] != nil }
    var defaults = 0
    try await job.container.forEachPage(of: Query(layout.feedType), desiredKeys: keys) { page in
      let feeds = page.records.filter { options.shard.contains($0.recordName) }
      let states =
        if let own {
          try await job.container.states(of: feeds, own)
        } else {
          feeds.map { FeedMetadata(feed: $0.recordName, record: health.removeValue(forKey: $0.recordName)) }
        }
      for (feed, state) in zip(feeds, states) {
        let inputs = QualityScoreInputs(
          state: state,
          subscribers: feed[layout.subscriberCount]?.int64 ?? 0, isVerified: feed["isVerified"]?.flag ?? false
        )
        let score = FeedQualityScore(inputs, profile: profile, now: now())
        outcome.result.targets += 1
        if feed[layout.scoreField]?.number == 50, score.observations > 0 { defaults += 1 }
        changes += change(of: feed, to: score.value(as: type))
        explain(
          Explanation(
            recordName: feed.recordName, title: feed[layout.title]?.string, score: score,
            stored: feed[layout.scoreField]))
      }
    }
    if layout.metadataType == nil { outcome.result.sources = outcome.result.targets }
    outcome.result.orphans = Int64(health.count)
    if defaults == outcome.result.targets, defaults > 9 { outcome.remarks.append(Self.overwritten) }
    outcome.result.changed = Int64(changes.count)
    try await job.write(changes, through: writer, &outcome)
    return outcome
  }

  /// CelestraCloud's updater writes 50 to all feeds (Documentation/reference/catalog.md#quality-field).
  private static let overwritten =
    "each checked feed had a stored score of exactly 50: another program probably overwrites scores with the default"

  private func change(of feed: Record, to value: FieldValue?) -> [RecordChange] {
    let change = RecordChange.toward(
      [layout.scoreField: value] as [String: FieldValue?], recordType: layout.feedType,
      recordName: feed.recordName, existing: feed,
      label: feed[layout.title]?.string)
    return change.map { [$0] } ?? []
  }

  /// Health records by feed. If a feed has several, the one with the most checks.
  private func readHealth() async throws -> [String: Record] {
    guard let type = layout.metadataType, let declared = schema[recordType: type] else { return [:] }
    var health: [String: Record] = [:]
    let keys = (QualityScoreInputs.stateFields + [layout.feedReference]).filter {
      declared[field: $0] != nil
    }
    try await job.container.forEachPage(of: Query(type), desiredKeys: keys) { page in
      for record in page.records {
        guard let feed = record[layout.feedReference]?.groupName, options.shard.contains(feed) else {
          continue
        }
        let known = health[feed]?["totalAttempts"]?.int64 ?? -1
        if record["totalAttempts"]?.int64 ?? 0 > known { health[feed] = record }
      }
    }
    return health
  }
}
