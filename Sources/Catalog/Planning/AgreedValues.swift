package import CloudKitModel
internal import Cryptography
package import Diagnostics
package import RecordChanges

/// Values that files and container both had after the commit that was applied last, as digests. They show that a value was
/// changed in the container since, and not in the files. The job's lease record keeps them, so that any machine knows
/// (Documentation/reference/curation.md#pulling).
package struct AgreedValues: Sendable, Hashable {
  /// How both sides got them; the member of the job's result that has them.
  package enum Source: String, Sendable, Hashable {
    /// `seed pull` took them from the container; by record name.
    case pulled
    /// `seed apply` wrote them from seeds that are in no commit; by kind and slug.
    case applied
  }

  /// The values that are remembered, at most, so that the lease record stays small.
  static let limit = 5_000

  private struct Key: Hashable {
    let entry: String
    let key: String
  }

  private let source: Source
  private var digests: [Key: String] = [:]

  /// What the memory of the last apply holds; empty without one.
  package init(_ source: Source, in last: LastJobRun? = nil) {
    self.source = source
    for (entry, digests) in last?.result[source.rawValue]?.object?.members ?? [] {
      for (key, digest) in digests.object?.members ?? [] {
        self.digests[Key(entry: entry, key: key)] = digest.string
      }
    }
  }

  /// What the container remembers; empty where the record cannot be read: a plan then says less, and is the same.
  package static func remembered(_ source: Source, in container: any Container) async -> AgreedValues {
    AgreedValues(source, in: try? await LastJobRun.last(of: .seed, in: container))
  }

  package var isEmpty: Bool { digests.isEmpty }
  /// Whether values may be missing.
  package var isFull: Bool { digests.count >= Self.limit }

  /// - Parameter value: as a seed publishes it; `nil` for none.
  package mutating func add(_ value: JSONValue?, _ key: String, of entry: String) {
    set(Self.digest(value), Key(entry: entry, key: key))
  }

  /// Adds later values.
  package mutating func merge(_ other: AgreedValues) {
    for (key, digest) in other.digests { set(digest, key) }
  }

  /// The values of some entries.
  package func only(_ entries: Set<String>) -> AgreedValues {
    var values = self
    values.digests = digests.filter { entries.contains($0.key.entry) }
    return values
  }

  private mutating func set(_ digest: String, _ key: Key) {
    guard !isFull || digests[key] != nil else { return }
    digests[key] = digest
  }

  /// Whether both sides had this value last.
  package func contains(_ value: JSONValue?, _ key: String, of entry: String) -> Bool {
    digests[Key(entry: entry, key: key)] == Self.digest(value)
  }

  /// Whether a value of the key is remembered.
  func has(_ key: String, of entry: String) -> Bool { digests[Key(entry: entry, key: key)] != nil }

  /// Whether a value of the entry is remembered.
  package func has(_ entry: String) -> Bool { digests.keys.contains { $0.entry == entry } }

  private static func digest(_ value: JSONValue?) -> String {
    String(SHA256.hex((value ?? .null).sorted.bytes()).prefix(16))
  }

  // MARK: In the lease record

  /// The result of a job with these values in it.
  package func stored(in result: JSONObject) -> JSONObject {
    let entries = Dictionary(grouping: digests, by: \.key.entry).sorted { $0.key < $1.key }
    let members = entries.map { entry, values in
      let keys = values.sorted { $0.key.key < $1.key.key }.map { ($0.key.key, JSONValue.string($0.value)) }
      return (entry, JSONValue.object(JSONObject(keys)))
    }
    var result = result
    result[source.rawValue] = .object(JSONObject(members))
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

// MARK: Of a plan

extension AgreedValues {
  /// Adds the values that a run wrote.
  ///
  /// - Parameter changes: the changes of the plan that are in the container.
  package mutating func add(_ changes: [RecordChange], of plan: SeedPlan) {
    for change in changes where change.action != .delete {
      guard let entry = change.seedEntry else { continue }
      for row in entry.fields where change.action == .create || change.fields[row.name] != nil {
        let value = plan.seedValue(change.fields[row.name]?.to, row.field)
        if case .value(let value) = value { add(value, row.field.key, of: entry.key) }
        if case .absent = value { add(row.field.usual, row.field.key, of: entry.key) }
      }
    }
  }

  /// Whether both sides had the stored value last; `nil` if that is unknown.
  fileprivate func contains(_ value: StoredSeedValue, _ field: SeedField, of entry: String) -> Bool? {
    guard has(field.key, of: entry) else { return nil }
    return switch value {
    case .absent: contains(field.usual, field.key, of: entry)
    case .value(let value): contains(value, field.key, of: entry)
    case .invalid: false
    }
  }
}

extension SeedPlan {
  /// Marks what was changed in the container since the seeds were last applied, and what was applied from seeds that are in
  /// no commit. Returns whether that is known of all values that the plan replaces.
  ///
  /// - Parameters:
  ///   - applied: the seeds of the commit that was applied last; `nil` if it is unknown.
  ///   - written: what was applied after it from uncommitted seeds.
  ///   - isInGit: whether the seeds could be in a commit.
  package mutating func markChanges(
    since applied: SeedCatalog?, _ written: AgreedValues, isInGit: Bool, in existing: ExistingCatalogRecords
  ) -> Bool {
    if let applied { markChanges(since: applied, in: existing) }
    var isKnown = true
    for change in changes where change.action == .update {
      guard let entry = change.seedEntry else { continue }
      for row in entry.fields {
        guard let value = change.fields[row.name] else { continue }
        switch written.contains(seedValue(value.from, row.field), row.field, of: entry.key) {
        case true?:
          changedInContainer[change.recordName]?.remove(row.name)
          if isInGit { appliedUncommitted[change.recordName, default: []].insert(row.name) }
        case false?: changedInContainer[change.recordName, default: []].insert(row.name)
        case nil: isKnown = isKnown && applied != nil
        }
      }
    }
    return isKnown
  }

  /// A record's value as a seed has it.
  fileprivate func seedValue(_ stored: FieldValue?, _ field: SeedField) -> StoredSeedValue {
    field.value(of: stored) { labels[$1] }
  }
}

extension RecordChange {
  /// The entry of the seeds that the record belongs to, and the record's fields with their rows.
  fileprivate var seedEntry: (key: String, fields: [(name: String, field: SeedField)])? {
    guard let kind = SeedKind.allCases.first(where: { $0.recordType == recordType }), let label else {
      return nil
    }
    return (
      "\(kind.rawValue) \(label)",
      SeedFields.celestra[kind].compactMap { row in row.recordField.map { ($0, row) } }
    )
  }
}
