package import CloudKitModel
internal import Cryptography
package import Diagnostics
package import RecordChanges

/// Values that files and container both had after the commit that was applied last, as digests. They show which side changed
/// a value since. The job's lease record keeps them, so that any machine knows
/// (Documentation/reference/curation.md#pulling).
package struct AgreedValues: Sendable, Hashable {
  /// How both sides got a value; the member of the job's result that has it.
  package enum Source: String, Sendable, Hashable, CaseIterable {
    /// `seed pull` took it from the container.
    case pulled
    /// `seed apply` wrote it from seeds that are in no commit.
    case applied
    /// `undo` of an apply brought it back.
    case undone
    /// `seed pull --prefer files` left it to the next apply.
    case declined
  }

  /// The values that are remembered, at most, so that the lease record stays small.
  static let limit = 5_000

  private struct Key: Hashable {
    let recordName: String
    let field: String
  }

  private struct Value: Hashable {
    let digest: String
    let source: Source
    /// Whether a run of this clone of the seeds took, declined or replaced the value.
    var isOwn = false
  }

  private var values: [Key: Value] = [:]

  /// What the memory of the last apply holds; empty without one.
  package init(in last: LastJobRun? = nil) {
    for source in Source.allCases {
      for (recordName, digests) in last?.result[source.rawValue]?.object?.members ?? [] {
        for (field, digest) in digests.object?.members ?? [] {
          values[Key(recordName: recordName, field: field)] = Value(
            digest: digest.string ?? "", source: source)
        }
      }
    }
  }

  package var isEmpty: Bool { values.isEmpty }
  /// Whether values may be missing.
  package var isFull: Bool { values.count >= Self.limit }

  /// - Parameter stored: as the record has it; `nil` for none.
  package mutating func add(
    _ stored: FieldValue?, _ field: SeedField, of recordName: String, _ source: Source
  ) {
    let value = Value(digest: Self.digest(field.compared(stored)), source: source, isOwn: true)
    set(value, Key(recordName: recordName, field: field.key))
  }

  /// Adds the values that a run wrote from seeds that are in no commit.
  package mutating func add(_ changes: [RecordChange]) {
    for change in changes {
      if change.action == .delete { values = values.filter { $0.key.recordName != change.recordName } }
      for (_, row, value) in change.seedFields where change.action == .create || value != nil {
        add(value?.to, row, of: change.recordName, .applied)
      }
    }
  }

  /// Takes over what the undo of an apply brought back where both sides had what it replaced: by what is remembered, else
  /// by the commit, if that is known. What seeds in no commit replaced, both had only if the lines of ``noteOwn(_:)`` have it.
  package mutating func update(with changes: [RecordChange], knowsCommit: Bool, own: Set<String>) {
    for change in changes where change.action == .update {
      for case (_, let row, let value?) in change.seedFields {
        let last = match(row.compared(value.from), row, of: change.recordName)
        guard last?.isSame ?? knowsCommit else { continue }
        add(value.to, row, of: change.recordName, .undone)
        let key = Key(recordName: change.recordName, field: row.key)
        if last?.source == .applied, let new = values[key], !own.contains(Self.line(key, new)) {
          values[key] = nil
        }
      }
    }
  }

  /// What a plan replaces that both sides had, so that an undo may bring it back; not what it marks as the container's.
  package init(replacedBy plan: SeedPlan) {
    for change in plan.pending where change.action == .update {
      for case (let name, let row, let value?) in change.seedFields
      where [nil, .uncommitted].contains(plan.origins[change.recordName]?[name]) {
        add(value.from, row, of: change.recordName, .undone)
      }
    }
  }

  package mutating func merge(_ other: AgreedValues) {
    for (key, value) in other.values { set(value, key) }
  }

  package func filter(_ isIncluded: (_ recordName: String) -> Bool) -> AgreedValues {
    var kept = self
    kept.values = values.filter { isIncluded($0.key.recordName) }
    return kept
  }

  /// The values as lines for ``noteOwn(_:)`` of later runs of this clone.
  package var lines: [String] { values.map { Self.line($0.key, $0.value) }.sorted() }

  /// Notes which values this clone had, by the lines of its earlier runs.
  package mutating func noteOwn(_ lines: Set<String>) {
    guard !lines.isEmpty else { return }
    for (key, value) in values { values[key]?.isOwn = lines.contains(Self.line(key, value)) }
  }

  /// With the source: what one clone pulled, another may have declined.
  private static func line(_ key: Key, _ value: Value) -> String {
    "\(key.recordName) \(key.field) \(value.digest) \(value.source.rawValue)"
  }

  /// Whether some are of another clone's pulls or undos, so that these seeds may never have had them.
  package var haveOthers: Bool { values.values.contains { !$0.isOwn && $0.source != .applied } }

  private mutating func set(_ value: Value, _ key: Key) {
    guard !isFull || values[key] != nil else { return }
    values[key] = value
  }

  /// How both sides got the value that is remembered, and whether it is the given one; `nil` if none is remembered.
  ///
  /// - Parameter value: in the form of ``SeedField/compared(_:)``.
  func match(_ value: JSONValue?, _ field: SeedField, of recordName: String) -> (
    source: Source, isSame: Bool, isOwn: Bool
  )? {
    values[Key(recordName: recordName, field: field.key)].map {
      ($0.source, $0.digest == Self.digest(value), $0.isOwn)
    }
  }

  /// Whether a value of the record was applied from seeds in no commit.
  package func wasApplied(_ recordName: String) -> Bool {
    values.contains { $0.key.recordName == recordName && $0.value.source == .applied }
  }

  private static func digest(_ value: JSONValue?) -> String {
    String(SHA256.hex((value ?? .null).sorted.bytes()).prefix(16))
  }

  // MARK: In the lease record

  package func stored(in result: JSONObject) -> JSONObject {
    var result = result
    for source in Source.allCases {
      var digests: [String: [String: String]] = [:]
      for (key, value) in values where value.source == source {
        digests[key.recordName, default: [:]][key.field] = value.digest
      }
      result[source.rawValue] = digests.isEmpty ? nil : digests.json
    }
    return result
  }

  /// The memory of the last apply with these values in it.
  ///
  /// - Parameter now: the time of a container that no apply has completed in.
  package func lastRun(after last: LastJobRun?, at now: Timestamp) -> LastJobRun {
    LastJobRun(
      finishedAt: last?.finishedAt ?? now, result: stored(in: last?.result ?? [:]), revision: last?.revision)
  }
}

extension RecordChange {
  /// The kind and slug of the record's entry: `feed six-colors`; `nil` for a record without one.
  package var seedKey: String? {
    SeedKind(recordType: recordType).flatMap { label.map($0.key) }
  }

  /// The rows of the record's fields, by their names, with what the change does to each; empty for a type without seeds.
  var seedFields: [(name: String, row: SeedField, value: FieldChange?)] {
    guard let kind = SeedKind(recordType: recordType) else { return [] }
    return SeedFields.celestra[kind].compactMap { row in row.recordField.map { ($0, row, fields[$0]) } }
  }
}
