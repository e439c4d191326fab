internal import CloudKitModel
internal import Cryptography
package import Diagnostics
internal import RecordChanges

extension Recount {
  func write(
    _ changes: some Sequence<RecordChange>, through writer: JobWriter?, _ outcome: inout RecountOutcome
  ) async throws {
    guard let writer else {
      outcome.preview = try await titled(Array(changes.prefix(RecountOutcome.maxPreviewed)))
      outcome.phase =
        outcome.result.changed == 0 && outcome.pruning?.changes.isEmpty ?? true ? .done : .planned
      outcome.result.complete = true
      return
    }
    let all = Array(changes)
    if !all.isEmpty {
      let report = await ignoringDeletedTargets(try await writer.apply(all, policy: .reapply))
      outcome.report = report
      outcome.interruption = outcome.interruption ?? report.interruption
      outcome.result.written += Int64(report.applied)
      outcome.result.conflicts += Int64(report.conflicts)
      if report.interruption == nil, outcome.movers.isEmpty {
        outcome.movers = try await titled(report.inContainer.without(copies).largestMoves)
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
    guard !names.isEmpty, let found = try? await container.lookupAll(names, desiredKeys: Record.titleFields)
    else { return [:] }
    return found.compactMap(\.record).keyed(by: \.recordName).compactMapValues(\.shownTitle)
  }

  /// The changes with the titles of their records, for people. A record that copies the number of another one, such as
  /// FeedMetadata, has that one's title; any other record has its own title only.
  private func titled(_ changes: [RecordChange]) async throws -> [RecordChange] {
    let copied = copies.reduce(into: [String: String]()) { $0[$1.recordType] = $1.groupField }
    let records = try await container.lookupAll(
      changes.map(\.recordName), desiredKeys: Record.titleFields + Set(copied.values).sorted()
    ).map(\.record)
    let originals = records.map { record in
      record.flatMap { record in copied[record.recordType].flatMap { record[$0]?.referredName } }
    }
    let titles = await self.titles(of: Set(originals.compactMap(\.self)).sorted())
    return changes.indices.map { index in
      var change = changes[index]
      change.label = change.label ?? records[index]?.shownTitle ?? originals[index].flatMap { titles[$0] }
      return change
    }
  }
}

extension [RecordChange] {
  /// Leaves out the copies of numbers, where there are others.
  fileprivate func without(_ copies: [AggregateDeclaration.Target]) -> [RecordChange] {
    let originals = filter { change in
      change.fields.keys.contains { field in
        !copies.contains { $0.recordType == change.recordType && $0.field == field }
      }
    }
    return originals.isEmpty ? self : originals
  }

  /// The changes with the largest differences, largest first; at most five.
  fileprivate var largestMoves: [RecordChange] {
    let moves = map { change -> (change: RecordChange, move: Double) in
      let field = change.fields.values.first
      return (change, abs((GroupValue(field?.to)?.number ?? 0) - (GroupValue(field?.from)?.number ?? 0)))
    }
    return moves.sorted { ($1.move, $0.change.recordName) < ($0.move, $1.change.recordName) }
      .prefix(5).map(\.change)
  }
}

/// One of N equal parts of all names, so that N runs can divide the work without communication.
///
/// A shard is an interval of the first eight bytes of the name's SHA-256, so it is the same in all runs.
package struct RecountShard: Sendable, Hashable, CustomStringConvertible {
  /// 1...count.
  package let index: Int
  /// 1...10,000.
  package let count: Int

  package static let whole = RecountShard(index: 1, count: 1)
  package static let maxCount = 10_000
}

extension RecountShard {
  /// `nil` unless 1 <= index <= count <= 10,000.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.maxCount).contains(count), (1...count).contains(index) else { return nil }
    self.init(index: index, count: count)
  }

  /// Reads the form of the command line: `3/8`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else { return nil }
    self.init(index, of: count)
  }

  package var isWhole: Bool { count == 1 }
  package var description: String { "\(index)/\(count)" }

  package func contains(_ name: String) -> Bool {
    if isWhole { return true }
    let hash = SHA256.digest(name).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(hash.multipliedFullWidth(by: UInt64(count)).high) == index - 1
  }

  /// The shard that a scheduler gives this process, or `nil` without such variables. Kubernetes sets
  /// `JOB_COMPLETION_INDEX`, from 0, in an Indexed Job.
  ///
  /// - Throws: a usage error for incomplete or contradictory variables, because counting everything instead would be worse.
  package static func scheduled(in environment: [String: String]) throws(CommandFailure) -> RecountShard? {
    if let text = environment["CELESTRA_SHARD"] {
      if let shard = RecountShard(text) { return shard }
      throw .usage("CELESTRA_SHARD is '\(text)': expected I/N, for example 3/8")
    }
    let names = ["CELESTRA_SHARD_INDEX", "JOB_COMPLETION_INDEX"]
    guard let name = names.first(where: { environment[$0] != nil }), let index = environment[name] else {
      return nil
    }
    guard let count = environment["CELESTRA_SHARD_COUNT"] else {
      throw .usage("\(name) is set, but CELESTRA_SHARD_COUNT, the number of shards, is not")
    }
    if let index = Int(index), let count = Int(count), index < maxCount,
      let shard = RecountShard(index + 1, of: count)
    {
      return shard
    }
    throw .usage("\(name) is '\(index)' of CELESTRA_SHARD_COUNT '\(count)': expected 0 to N-1 of N")
  }
}
