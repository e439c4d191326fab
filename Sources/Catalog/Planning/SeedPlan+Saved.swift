package import CloudKitModel
internal import Diagnostics
package import RecordChanges

extension SeedPlan {
  /// The plan that a file holds, with everything that `seed plan` showed. What endangers readers is read again: of each
  /// type that it deletes from, the container's records are counted, and the readers are those of now.
  ///
  /// Throws ``FileFormError`` and what the container throws.
  package init(saved file: PlanFile, in container: some Container) async throws {
    self.init(target: file.target, changes: file.changes, conflicts: file.conflicts)
    revision = file.revision
    schemaDigest = file.schemaDigest
    try read(file.shown)
    for share in deletions {
      var count = 0
      try await container.forEachPage(of: Query(share.recordType), desiredKeys: []) {
        count += $0.records.count
      }
      recordCounts[share.recordType] = count
    }
    // What an earlier run of the plan deleted still counts, so that finishing the plan carries no other risk.
    let deleted = changes.filter { $0.action == .delete }
    let present = try await container.existingRecords(deleted.map(\.recordName))
    for change in deleted where present[change.recordName] == nil {
      recordCounts[change.recordType, default: 0] += 1
    }
    findMoves()
    try await readRedirects(in: container)
    try await readReaders(of: recordsAtStake, in: container)
  }

  /// Finds the feeds that move, whatever the notes of a file say.
  mutating func findMoves() {
    let known = moves.keyed(by: \.recordName)
    let moves = changes.compactMap { change in
      MovedFeed(
        change, label: known[change.recordName]?.label, readers: ReaderCount(),
        evidence: known[change.recordName]?.evidence ?? .recordName, feeds)
    }
    notes.removeAll { if case .moved = $0 { true } else { false } }
    notes = moves.map { .moved($0) } + notes
  }

  /// Reads whether health checks saw redirects to where feeds move.
  mutating func readRedirects(in container: some Container) async throws {
    let names = moves.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    // Without the right to read what checks found, no redirect is known.
    let metadata = try await container.lookupAll(names, desiredKeys: ["redirectURL"])
      .filter { $0.error?.code != .accessDenied }.compactMap { try $0.found }.keyed(by: \.recordName)
    changeMoves { move in
      let name = CatalogRecordNames.metadata(feed: move.recordName)
      move.noteRedirect(metadata[name]?["redirectURL"]?.string)
    }
  }

  private mutating func changeMoves(_ change: (inout MovedFeed) -> Void) {
    notes = notes.map { note in
      guard case .moved(var move) = note else { return note }
      change(&move)
      return .moved(move)
    }
  }

  /// Reads the published counts of the records at stake, and ``readReaders(of:in:published:)``.
  mutating func readReaders(of names: Set<String>, in container: some Container) async throws {
    let records = try await container.existingRecords(names, desiredKeys: feeds.readers.sorted())
    try await readReaders(of: names, in: container) { [feeds] in records[$0]?.publishedReaders(feeds) }
  }

  /// Reads the readers of the records at stake that are not known yet, and when their published counts were made.
  mutating func readReaders(
    of names: Set<String>, in container: some Container, published: (String) -> Int64?
  ) async throws {
    let unknown = names.filter { readers[$0] == nil }
    if !unknown.isEmpty {
      let counts = Dictionary(unknown.map { ($0, published($0)) }) { first, _ in first }
      readers.merge(try await container.readers(published: counts)) { $1 }
    }
    if readers.values.contains(where: { $0.published != nil }) {
      // As of when readers were counted last, from the job's lease record
      // (Documentation/reference/catalog.md#what-jobs-remember). A date that cannot be read must not stop a plan.
      readersAsOf = try? await LastJobRun.lastOfEachShard(
        of: LeaseName("recount subscribers"), in: container
      ).countedAsOf
    }
    let found = readers
    changeMoves { $0.readers = found[$0.recordName] ?? $0.readers }
  }

  // MARK: What a plan shows beside its changes

  /// For ``PlanFile/shown``: the notes, and what the texts of the changes say about records.
  var shown: JSONObject {
    let names = changes.referenceTargets.union(changes.map(\.recordName)).sorted()
    let deleted = deletedNames
    let records = names.compactMap { name -> JSONValue? in
      let origins = (origins[name] ?? [:]).mapValues(\.json)
      let record: JSONObject = [
        "recordName": name.json, "label": labels[name]?.json, "category": categories[name]?.json,
        "namedBy": deleted.contains(name) ? memberships[name]?.json : nil,
        "origins": origins.isEmpty ? nil : origins.json,
      ]
      return record.members.count == 1 ? nil : .object(record)
    }
    return [
      "unrestorable": unrestorableTypes.sorted().json,
      "readers": readers.filter { deleted.contains($0.key) }.mapValues(\.number).json,
      "takenOut": takenOut.isEmpty ? nil : takenOut.sorted().json, "unchanged": unchanged.json,
      "notes": notes.map(\.json).json, "records": .array(records), "basis": basis.map(JSONValue.object),
      "seeds": seeds.map(JSONValue.object),
    ]
  }

  /// The records that a saved plan deletes and that have more readers than when it was made, each with a sentence.
  package func gainedReaders(since file: PlanFile) -> [String] {
    (file.shown?["readers"]?.object?.members ?? []).compactMap { name, before in
      guard let now = readers[name]?.number, let before = before.integer, now > before else { return nil }
      let label = changes.first { $0.recordName == name }?.label ?? name
      return "\(label): it has \(now) readers, and had \(before)"
    }
  }

  private mutating func read(_ shown: JSONObject?) throws {
    guard let shown else { return }
    // A plan without changes says nothing about the container as it is now.
    unchanged = changes.isEmpty ? 0 : shown["unchanged"]?.integer.flatMap(Int.init(exactly:)) ?? 0
    notes = try (shown["notes"]?.array ?? []).map(SeedPlanNote.init(json:))
    unrestorableTypes = Set(shown["unrestorable"]?.strings ?? [])
    basis = shown["basis"]?.object
    seeds = shown["seeds"]?.object
    takenOut = Set(shown["takenOut"]?.strings ?? [])
    for record in shown["records"]?.array ?? [] {
      guard let name = record["recordName"]?.string else { continue }
      labels[name] = record["label"]?.string
      categories[name] = record["category"]?.string
      memberships[name] = record["namedBy"]?.strings
      for (field, origin) in record["origins"]?.object?.members ?? [] {
        origins[name, default: [:]][field] = ValueOrigin(json: origin)
      }
    }
  }
}

extension ValueOrigin {
  private static let words: [(origin: ValueOrigin, word: String)] = [
    (.changed, "changed"), (.otherRecord, "other-record"), (.uncommitted, "uncommitted"), (.unseen, "unseen"),
    (.reverted(nil), "reverted"), (.unknown, "unknown"),
  ]

  /// A word, or the milliseconds since 1970 at which the record of a reverted value was changed.
  fileprivate var json: JSONValue {
    if case .reverted(let time?) = self { return .integer(time.milliseconds) }
    return Self.words.first { $0.origin == self }.map { .string($0.word) } ?? .null
  }

  /// `nil` for what ``json`` does not make.
  fileprivate init?(json: JSONValue) {
    let word = Self.words.first { $0.word == json.string }?.origin
    guard let origin = json.integer.map({ .reverted(Timestamp(milliseconds: $0)) }) ?? word else {
      return nil
    }
    self = origin
  }
}
