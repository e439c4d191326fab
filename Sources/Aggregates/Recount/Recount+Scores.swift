internal import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import RecordChanges
internal import SchemaLanguage

/// Quality scores: each feed's from its health record. All health records are read first; when that fails, nothing is
/// written.
extension Recount {
  func scores(
    _ layout: QualityRecordMapping, _ profile: QualityProfile, through writer: JobWriter?
  ) async throws -> RecountOutcome {
    let scoreType = schema[recordType: layout.feedType]?[field: layout.scoreField]?.type
    guard let scoreType, [.int64, .double].contains(scoreType) else {
      throw CommandFailure.invalidDeclaration([
        Diagnostic(
          AggregateRule.unusableField,
          "\(layout.feedType).\(layout.scoreField) must be DOUBLE or INT64 to hold a score")
      ])
    }
    let type = FieldType(scoreType).element
    let asOf = try await asOf()
    var health = try await readHealth(layout)
    var result = RecountResult(aggregate: "quality", strategy: .sweep)
    result.sources = Int64(health.count)
    result.asOf = asOf
    result.settle = options.settle
    var outcome = RecountOutcome(phase: .done, result: result)
    if options.explains { outcome.explanations = [] }
    var changes: [RecordChange] = []
    var keys = [layout.scoreField, layout.subscriberCount, "isVerified", layout.title]
    // Feeds that keep their own state have names of their own for it.
    let own = layout.metadataType == nil ? try await layout.feeds.matching(container) : nil
    keys += own?.stateFieldNames ?? []
    keys = keys.filter { schema[recordType: layout.feedType]?[field: $0] != nil }
    var defaults = 0
    try await container.forEachPage(of: Query(layout.feedType), desiredKeys: keys) { page in
      let feeds = page.records.filter { options.shard.contains($0.recordName) }
      let states =
        if let own {
          try await container.states(of: feeds, own)
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
        if let change = change(of: feed, layout, to: score.value(as: type)) { changes.append(change) }
        guard options.explains else { continue }
        outcome.explanations?.append(
          ScoreExplanation(
            recordName: feed.recordName, title: feed[layout.title]?.string, score: score,
            stored: feed[layout.scoreField]))
      }
    }
    if layout.metadataType == nil { outcome.result.sources = outcome.result.targets }
    outcome.result.orphans = Int64(health.count)
    if defaults == outcome.result.targets, defaults > 9 { outcome.remarks.append(Self.overwritten) }
    outcome.result.changed = Int64(changes.count)
    try await write(changes, through: writer, &outcome)
    return outcome
  }

  /// CelestraCloud's updater writes 50 to all feeds (Documentation/reference/catalog.md#quality-field).
  private static let overwritten =
    "each checked feed had a stored score of exactly 50: another program probably overwrites scores with the default"

  private func change(
    of feed: Record, _ layout: QualityRecordMapping, to value: FieldValue?
  ) -> RecordChange? {
    .toward([layout.scoreField: value] as [String: FieldValue?], of: feed, label: feed[layout.title]?.string)
  }

  /// Health records by feed. If a feed has several, the one with the most checks.
  private func readHealth(_ layout: QualityRecordMapping) async throws -> [String: Record] {
    guard let type = layout.metadataType, let declared = schema[recordType: type] else { return [:] }
    var health: [String: Record] = [:]
    let keys = (QualityScoreInputs.stateFields + [layout.feedReference]).filter {
      declared[field: $0] != nil
    }
    try await container.forEachRecord(of: Query(type), desiredKeys: keys) { record in
      guard let feed = record[layout.feedReference]?.groupName, options.shard.contains(feed) else { return }
      let known = health[feed]?["totalAttempts"]?.int64 ?? -1
      if record["totalAttempts"]?.int64 ?? 0 > known { health[feed] = record }
    }
    return health
  }
}
