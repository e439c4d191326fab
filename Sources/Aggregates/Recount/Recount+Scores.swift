package import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import RecordChanges
internal import SchemaLanguage

/// Quality scores: each feed's from its health record. All health records are read first; when that fails, nothing is
/// written.
extension Recount {
  func scores(
    _ feeds: FeedRecordMapping, _ profile: QualityProfile, through writer: JobWriter?
  ) async throws -> RecountOutcome {
    let scoreType = schema[recordType: feeds.recordType]?[field: feeds.scoreField]?.type
    guard let scoreType, [.int64, .double].contains(scoreType) else {
      throw CommandFailure.invalidDeclaration([
        Diagnostic(
          AggregateRule.unusableField,
          "\(feeds.recordType).\(feeds.scoreField) must be DOUBLE or INT64 to hold a score",
          help: "in RECORD TYPE \(feeds.recordType) write: \(feeds.scoreField) DOUBLE,")
      ])
    }
    // Feeds that keep their own state have names of their own for it.
    let own = feeds.stateType == nil ? try await feeds.matching(container) : nil
    if own == nil { try await feeds.checkNames(in: container) }
    let type = FieldType(scoreType).element
    let asOf = try await asOf()
    var health = try await readHealth(feeds)
    var result = RecountResult(aggregate: "quality", strategy: .sweep)
    result.sources = Int64(health.count)
    result.asOf = asOf
    result.settle = options.settle
    var outcome = RecountOutcome(phase: .done, result: result)
    if options.explains { outcome.explanations = [] }
    var changes: [RecordChange] = []
    var keys = [feeds.scoreField, feeds.subscriberCount, "isVerified", feeds.title]
    keys += own?.stateFieldNames ?? []
    keys = keys.filter { schema[recordType: feeds.recordType]?[field: $0] != nil }
    var defaults = 0
    try await container.forEachPage(of: Query(feeds.recordType), desiredKeys: keys) { page in
      let records = page.records.filter { options.shard.contains($0.recordName) }
      let states =
        if let own {
          try await container.states(of: records, own)
        } else {
          records.map { FeedMetadata(feed: $0.recordName, record: health.removeValue(forKey: $0.recordName)) }
        }
      for (feed, state) in zip(records, states) {
        let score = FeedQualityScore(
          state, subscribers: feed[feeds.subscriberCount]?.int64 ?? 0,
          isVerified: feed["isVerified"]?.flag ?? false, profile: profile, now: now())
        outcome.result.targets += 1
        if feed[feeds.scoreField]?.number == 50, score.observations > 0 { defaults += 1 }
        let value: [String: FieldValue?] = [feeds.scoreField: score.value(as: type)]
        changes += [.toward(value, of: feed, label: feed[feeds.title]?.string)].compactMap(\.self)
        guard options.explains else { continue }
        outcome.explanations?.append(
          ScoreExplanation(
            recordName: feed.recordName, title: feed[feeds.title]?.string, score: score,
            stored: feed[feeds.scoreField], isChecked: state.status != .unknown))
      }
    }
    if feeds.stateType == nil { outcome.result.sources = outcome.result.targets }
    outcome.result.orphans = Int64(health.count)
    // CelestraCloud's updater writes 50 to all feeds (Documentation/reference/catalog.md#quality-field).
    if defaults == outcome.result.targets, defaults > 9 {
      outcome.remarks.append(
        "each checked feed had a stored score of exactly 50: another program probably overwrites scores with the default"
      )
    }
    outcome.result.changed = Int64(changes.count)
    try await write(changes, through: writer, &outcome)
    return outcome
  }

  /// Health records by feed. If a feed has several, the one with the most checks.
  private func readHealth(_ feeds: FeedRecordMapping) async throws -> [String: Record] {
    guard let type = feeds.stateType else { return [:] }
    let declared = schema[recordType: type]
    var health: [String: Record] = [:]
    let keys = (FeedQualityScore.stateFields + ["feedReference"]).filter { declared?[field: $0] != nil }
    do {
      try await container.forEachRecord(of: Query(type), desiredKeys: keys) { record in
        guard let feed = record["feedReference"]?.referredName, options.shard.contains(feed) else { return }
        let known = health[feed]?["totalAttempts"]?.int64 ?? -1
        if record["totalAttempts"]?.int64 ?? 0 > known { health[feed] = record }
      }
    } catch let error as ServerError where declared == nil && [.notFound, .badRequest].contains(error.code) {
      // Without the type there are no checks that this schema can name. A mirror that only lacks it denies access.
    }
    return health
  }
}

package struct ScoreExplanation: Sendable {
  package var recordName: String
  package var title: String?
  package var score: FeedQualityScore
  package var stored: FieldValue?
  /// Whether a check recorded a status, also one without an answer that counts for the score.
  package var isChecked: Bool

  var json: JSONValue {
    score.json.adding([
      "recordName": recordName.json, "title": title?.json, "stored": stored?.plainJSON,
    ])
  }
}

extension RecountOutcome {
  var sortedExplanations: [ScoreExplanation]? {
    explanations?.sorted { ($1.score.score, $0.recordName) < ($0.score.score, $1.recordName) }
  }

  /// Scores and their parts, a feed a line; empty unless asked for.
  var scoreTable: Table {
    let explanations = sortedExplanations ?? []
    let names = explanations.first?.score.parts.map(\.name.rawValue) ?? []
    var table = Table(
      [.init("score", .right, missing: "not checked yet")] + names.map { .init($0, .right) } + [.init("feed")]
    )
    let titles = explanations.keyed(by: \.recordName).mapValues { $0.title ?? $0.recordName }.distinguished
    table.rows = explanations.map { feed in
      let hasScore = feed.score.observations > 0
      let score: StyledText? =
        hasScore
        ? StyledText(FeedQualityScore.decimal(feed.score.score, 1)) : feed.isChecked ? "no score yet" : nil
      return Table.Row(
        [score] + feed.score.parts.map { StyledText(FeedQualityScore.decimal($0.value, 2)) }
          + [StyledText(titles[feed.recordName] ?? feed.recordName)])
    }
    return table
  }
}
