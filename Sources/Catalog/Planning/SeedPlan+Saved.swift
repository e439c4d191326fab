public import CloudKitModel
internal import Diagnostics
public import RecordChanges

extension SeedPlan {
  /// The plan that a file holds, with everything that `seed plan` showed. What endangers readers is read again: of each
  /// type that it deletes from, the container's records are counted, and the readers are those of now.
  ///
  /// Throws ``ChangeCodingError`` and what the container throws.
  public init(saved file: PlanFile, in container: some Container) async throws {
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
    for (change, outcome) in zip(
      deleted, try await container.lookupAll(deleted.map(\.recordName), desiredKeys: []))
    where try outcome.found == nil {
      recordCounts[change.recordType, default: 0] += 1
    }
    try await readMoves(in: container)
    try await readReaders(of: recordsAtStake, in: container)
  }

  /// Finds the feeds that move again, because redirects may be newer than the plan.
  mutating func readMoves(in container: some Container) async throws {
    let known = Dictionary(moves.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
    var moves = changes.compactMap { change in
      MovedFeed(
        change, label: known[change.recordName]?.label, readers: ReaderCount(),
        evidence: known[change.recordName]?.evidence ?? .recordName)
    }
    let names = moves.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    let metadata = try await container.lookupAll(names, desiredKeys: ["redirectURL"])
    for (index, outcome) in metadata.enumerated() {
      moves[index].noteRedirect(outcome.record?["redirectURL"]?.string)
    }
    notes.removeAll { if case .moved = $0 { true } else { false } }
    notes = moves.map { .moved($0) } + notes
  }

  /// Reads the readers of the records at stake, and when their published counts were made.
  mutating func readReaders(of names: Set<String>, in container: some Container) async throws {
    guard !names.isEmpty else { return }
    let names = names.sorted()
    let records = try await container.lookupAll(names, desiredKeys: ["subscriberCount"])
    let published = Dictionary(zip(names, records).map { ($0, $1.record?.publishedReaders) }) { first, _ in
      first
    }
    readers = try await SubscriptionReaders.catalog(in: container).counts(published: published)
    if published.values.contains(where: { $0 != nil }) {
      readersAsOf = await LastSubscriberRecount.date(in: container)
    }
    notes = notes.map { note in
      guard case .moved(var move) = note, let readers = readers[move.recordName] else { return note }
      move.readers = readers
      return .moved(move)
    }
  }

  // MARK: What a plan shows beside its changes

  /// For ``PlanFile/shown``: the notes, and what the texts of the changes say about records.
  var shown: JSONObject {
    let referred = changes.flatMap { change in
      change.fields.values.flatMap { [$0.from, $0.to].compactMap(\.self).flatMap(\.targets) }
    }
    let names = Set(changes.map(\.recordName) + referred).sorted()
    let records = names.compactMap { name -> JSONValue? in
      var record = JSONObject()
      record["label"] = labels[name].map(JSONValue.string)
      record["category"] = categories[name].map(JSONValue.string)
      record["collections"] = memberships[name].map { JSONValue($0) }
      record["changedInContainer"] = changedInContainer[name].map {
        .array($0.sorted().map(JSONValue.string))
      }
      record["reverted"] = revertedInContainer[name].map { fields in
        .object(
          JSONObject(
            fields.sorted { $0.key < $1.key }.map {
              ($0.key, $0.value.map { .integer($0.milliseconds) } ?? .null)
            }))
      }
      return record.members.isEmpty
        ? nil : .object(JSONObject([("recordName", .string(name))] + record.members))
    }
    let readers = readers.filter { deletedNames.contains($0.key) }.sorted { $0.key < $1.key }
    return [
      "unrestorable": .array(unrestorableTypes.sorted().map(JSONValue.string)),
      "readers": .object(JSONObject(readers.map { ($0.key, .integer($0.value.number)) })),
      "unchanged": JSONValue(unchanged), "notes": .array(notes.map(\.json)), "records": .array(records),
    ]
  }

  /// The records that a saved plan deletes and that have more readers than when it was made, each with a sentence.
  public func gainedReaders(since file: PlanFile) -> [String] {
    (file.shown?["readers"]?.object?.members ?? []).compactMap { name, before in
      guard let now = readers[name]?.number, let before = before.integer, now > before else { return nil }
      let label = changes.first { $0.recordName == name }?.label ?? name
      return "\(SanitizedText.line(label)): it has \(now) readers, and had \(before)"
    }
  }

  private mutating func read(_ shown: JSONObject?) throws {
    guard let shown else { return }
    unchanged = shown["unchanged"]?.integer.flatMap(Int.init(exactly:)) ?? 0
    notes = try (shown["notes"]?.array ?? []).map(SeedPlanNote.init(json:))
    unrestorableTypes = Set(shown["unrestorable"]?.strings ?? [])
    for record in shown["records"]?.array ?? [] {
      guard let name = record["recordName"]?.string else { continue }
      labels[name] = record["label"]?.string
      categories[name] = record["category"]?.string
      memberships[name] = record["collections"]?.integer.flatMap(Int.init(exactly:))
      changedInContainer[name] = record["changedInContainer"].map { Set($0.strings) }
      for (field, time) in record["reverted"]?.object?.members ?? [] {
        revertedInContainer[name, default: [:]][field] = .some(
          time.integer.map(Timestamp.init(milliseconds:)))
      }
    }
  }
}

extension SubscriptionReaders {
  /// The readers of feeds and collections.
  public static func catalog(in container: any Container) -> SubscriptionReaders {
    SubscriptionReaders(
      recordType: CatalogRecordType.feedSubscription, field: "feedRecordName", in: container)
  }
}

extension FieldValue {
  /// The names of the records that the value refers to.
  fileprivate var targets: [String] {
    elements?.flatMap(\.targets) ?? reference.map { [$0.recordName] } ?? []
  }
}
