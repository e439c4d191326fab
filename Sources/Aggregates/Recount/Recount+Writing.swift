internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

extension Recount {
  /// Writes the changes, or previews them in a dry run, and records the result in the outcome.
  func write(
    _ changes: some Sequence<RecordChange>, through writer: JobWriter?, _ outcome: inout RecountOutcome
  ) async throws {
    let changed = outcome.result.changed
    guard let writer else {
      outcome.preview = try await titled(Array(changes.prefix(RecountOutcome.maxPreviewed)))
      outcome.phase = changed == 0 ? .done : .planned
      outcome.result.complete = true
      return
    }
    if changed > 0 {
      let all = Array(changes)
      let report = await ignoringDeletedTargets(try await writer.apply(all, policy: .reapply))
      outcome.report = report
      outcome.interruption = outcome.interruption ?? report.interruption
      outcome.result.written = Int64(report.applied)
      outcome.result.conflicts = Int64(report.conflicts)
      if report.interruption == nil {
        outcome.movers = try await titled(all.withoutCopies(in: schema).largestMoves)
      }
    }
    let isWritten = outcome.report?.isComplete ?? true
    outcome.phase = isWritten ? .done : .unwritten
    outcome.result.complete = isWritten
  }

  /// Counts changes of targets that were deleted during the run as done. When the lookup fails, the conflicts stay in
  /// the report.
  private func ignoringDeletedTargets(_ report: ChangeReport) async -> ChangeReport {
    let contested = report.results.indices.filter {
      if case .conflict = report.results[$0].outcome { true } else { false }
    }
    let names = contested.map { report.results[$0].change.recordName }
    guard report.interruption == nil, !names.isEmpty,
      let current = try? await container.lookupAll(names, desiredKeys: [])
    else { return report }
    var report = report
    for (index, outcome) in zip(contested, current) where outcome.error?.code == .notFound {
      report.results[index].outcome = .alreadyApplied
    }
    return report
  }

  /// The titles of records, by record name. Without a reply, the report has the record names.
  func titles(of names: [String]) async -> [String: String] {
    let fields = schema.recordTypes.compactMap { schema.titleField(of: $0.name) }
    guard !names.isEmpty,
      let found = try? await container.lookupAll(names, desiredKeys: Set(fields).sorted())
    else { return [:] }
    return Dictionary(
      found.compactMap { outcome in
        outcome.record.flatMap { record in schema.title(of: record).map { (record.recordName, $0) } }
      }
    ) { first, _ in first }
  }

  /// The changes with the titles of their records, for people. A record without a title, such as FeedMetadata, gets the title
  /// of the record that it refers to.
  private func titled(_ changes: [RecordChange]) async throws -> [RecordChange] {
    let records = try await container.lookupAll(
      changes.map(\.recordName), desiredKeys: schema.labelFields(of: changes.map(\.recordType))
    ).map(\.record)
    let targets = records.map { $0.flatMap(schema.referredRecord) }
    let names = Set(targets.compactMap(\.self)).sorted()
    let titles = await self.titles(of: names)
    return changes.indices.map { index in
      var change = changes[index]
      let title = records[index].flatMap(schema.title) ?? targets[index].flatMap { titles[$0] }
      change.label = change.label ?? title
      return change
    }
  }
}

extension Schema {
  /// The field with a record's title; `nil` for a type without one.
  fileprivate func titleField(of recordType: String) -> String? {
    ["title", "name"].first { self[recordType: recordType]?[field: $0]?.type == .string }
  }

  fileprivate func title(of record: Record) -> String? {
    titleField(of: record.recordType).flatMap { record[$0]?.string }
  }

  /// The field that refers to another record; `nil` for a type with several, of which none is the main one.
  fileprivate func referenceField(of recordType: String) -> String? {
    let fields = (self[recordType: recordType]?.fields ?? []).filter { $0.type == .reference && !$0.isSystem }
    return fields.count == 1 ? fields[0].name : nil
  }

  /// The record whose title stands for a record without a title.
  fileprivate func referredRecord(of record: Record) -> String? {
    guard titleField(of: record.recordType) == nil, let field = referenceField(of: record.recordType) else {
      return nil
    }
    return record[field]?.reference?.recordName
  }

  /// The fields that titles are found by.
  fileprivate func labelFields(of recordTypes: [String]) -> [String] {
    Set(recordTypes.compactMap { titleField(of: $0) ?? referenceField(of: $0) }).sorted()
  }
}

extension [RecordChange] {
  /// Leaves out the changes of records without a title, where others have one: these are the copies of the same numbers.
  fileprivate func withoutCopies(in schema: Schema) -> [RecordChange] {
    let titled = filter { schema.titleField(of: $0.recordType) != nil }
    return titled.isEmpty ? self : titled
  }

  /// The changes with the largest differences, largest first; at most five.
  fileprivate var largestMoves: [RecordChange] {
    let moves = map { change -> (change: RecordChange, move: Double) in
      let field = change.fields.values.first
      return (change, abs((field?.to?.number ?? 0) - (field?.from?.number ?? 0)))
    }
    return moves.sorted { ($1.move, $0.change.recordName) < ($0.move, $1.change.recordName) }
      .prefix(5).map(\.change)
  }
}
