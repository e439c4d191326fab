internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// Plans seeds for a database of celestra-cloud: its feeds only, because it has no types for categories and collections
/// (Documentation/reference/catalog.md#feeds-of-celestra-cloud). Only reads.
///
/// That program may write at any time. So a plan changes fields that it never writes, or writes only as it read them, and
/// a change tag shows the rest: its update of a record that seeding has just changed is refused, and comes with its next
/// run.
extension SeedPlanner {
  private static let cloudType = CatalogRecordType.cloudFeed

  /// Throws ``SeedSchemaCheckError`` if the schema, as far as it is known, lacks what every feed needs.
  package func checkCloudSchema() throws(SeedSchemaCheckError) {
    guard let schema else { return }
    let gaps = SeedSchemaCheck.cloudGaps(in: schema)
    if !gaps.isEmpty { throw SeedSchemaCheckError(gaps: gaps) }
  }

  /// The fields of seeds that the container cannot store, sorted: its schema is older than May 2026. Where the schema is not
  /// known, one query finds that out.
  package func unstoredCloudFields() async throws -> [String] {
    if let type = schema?[recordType: Self.cloudType] {
      return CloudFeedField.seeded.map(\.name).filter { type[field: $0] == nil }.sorted()
    }
    let isNew = try await container.hasField(
      CloudFeedField.name(of: .activity), of: Self.cloudType, sample: .int64(1))
    return isNew ? [] : CloudFeedField.seededSinceMay2026.sorted()
  }

  /// The plan that makes the feeds match the catalog.
  ///
  /// Costs one query a page of 200 feeds, one lookup for each 200 that seem to be missing, and one query for 200
  /// subscriptions of the feeds at stake. Throws the container's errors.
  package func cloudPlan(_ catalog: SeedCatalog, without unstored: [String]) async throws -> SeedPlan {
    var records = try await container.allRecords(Query(Self.cloudType), desiredKeys: Self.cloudKeys)
      .keyed(by: \.recordName)
    // A record that another run has just made may not be in the index yet.
    let named = catalog.feeds.map(\.expectedRecordName)
    let new = recentlyCreated.union(named).filter { records[$0] == nil }.sorted()
    var foreign: [String: String] = [:]
    for outcome in try await container.lookupAll(new, desiredKeys: Self.cloudKeys) {
      guard let record = try outcome.found else { continue }
      if record.recordType == Self.cloudType {
        records[record.recordName] = record
      } else {
        foreign[record.recordName] = record.recordType
      }
    }
    var matching = CloudFeedMatching(catalog.feeds, records)
    var plan = SeedPlan(target: container.identity)
    plan.recordCounts[Self.cloudType] = records.count
    try await noteRenamed(catalog.feeds, records, &matching, &plan)
    let categories = catalog.categories.keyed(by: \.slug).mapValues(\.name)
    for feed in catalog.feeds {
      guard let name = matching.names[feed.slug] else { continue }
      if let type = foreign[name] {
        plan.conflicts.append(
          PlanConflict(
            recordType: Self.cloudType, slug: feed.slug,
            reason: "its record name \(name) belongs to a \(type)"))
        continue
      }
      plan.add(
        feed, recordName: name, category: categories[feed.category], existing: records[name],
        without: unstored)
    }
    plan.conflicts = (matching.conflicts + plan.conflicts).sorted { $0.slug < $1.slug }
    let mentioned = Set(matching.names.values).union(matching.disputed)
    plan.notes += records.values.filter { !mentioned.contains($0.recordName) }
      .sorted { $0.recordName < $1.recordName }.map {
        .unmentioned(recordType: $0.recordType, recordName: $0.recordName, label: $0.catalogLabel)
      }
    try await plan.readReaders(of: plan.recordsAtStake, in: container) { records[$0]?.publishedReaders() }
    return plan
  }

  private static let cloudKeys = Set(CloudFeedField.seeded.map(\.name)).union(Record.readerFields).sorted()

  /// A feed without a record may be one that no seed mentions, under another address.
  private func noteRenamed(
    _ feeds: [SeedFeed], _ records: [String: Record], _ matching: inout CloudFeedMatching,
    _ plan: inout SeedPlan
  ) async throws {
    let new = feeds.filter { feed in matching.names[feed.slug].map { records[$0] == nil } ?? false }
    let taken = Set(matching.names.values).union(matching.disputed)
    let rest = records.values.filter { !taken.contains($0.recordName) }.sorted {
      $0.recordName < $1.recordName
    }
    let found = ExistingCatalogRecords().moves(of: new, among: rest)
    let moves = found.certain + found.suspected
    guard !moves.isEmpty else { return }
    let published = moves.map { ($0.recordName, records[$0.recordName]?.publishedReaders()) }
    plan.readers = try await container.readers(published: Dictionary(published) { first, _ in first })
    for var move in moves {
      move.readers = plan.readers[move.recordName] ?? move.readers
      let hasTitle = move.evidence == .title || move.evidence == .titleOnly
      if hasTitle, move.readers.mayHaveReaders, !acceptsLoss {
        matching.refuse(move)
      } else {
        plan.notes.append(.probablyMoved(slug: move.slug, recordName: move.recordName, label: move.label))
      }
    }
  }
}

extension SeedPlan {
  /// Plans a feed of celestra-cloud.
  ///
  /// - Parameters:
  ///   - category: the name of its category.
  ///   - current: its record; `nil` for a new one.
  ///   - unstored: the fields that the container cannot store.
  fileprivate mutating func add(
    _ feed: SeedFeed, recordName name: String, category: String?, existing current: Record?,
    without unstored: [String]
  ) {
    let url = WebAddress.normalized(current?["feedURL"]?.string ?? "")
    // The spelling of an address is that program's.
    let hasMoved = feed.recordName != nil && url != WebAddress.normalized(feed.feedURL)
    let fields = CloudFeedField.seeded.filter { !unstored.contains($0.name) }.compactMap { field in
      field.seedValue(from: feed, category: category, existing: (isNew: current == nil, hasMoved: hasMoved))
        .map { (key: field.name, value: $0 as FieldValue?) }
    }
    labels[name] = feed.slug
    categories[name] = feed.category
    guard
      let change = RecordChange.toward(
        fields, recordType: CatalogRecordType.cloudFeed, recordName: name, existing: current,
        label: feed.slug)
    else {
      unchanged += 1
      return
    }
    changes.append(change)
    let move = MovedFeed(
      change, label: current?.catalogLabel, readers: ReaderCount(published: current?.publishedReaders()),
      evidence: .recordName)
    if let move { notes.append(.moved(move)) }
  }
}

extension SeedSchemaCheck {
  /// What a schema lacks for the feeds of celestra-cloud. The fields that only some of its versions have may be absent, but
  /// not of another type.
  static func cloudGaps(in schema: Schema) -> [MissingSchemaElement] {
    gaps(of: CatalogRecordType.cloudFeed, in: schema) { type in
      let needed = CloudFeedField.seeded.filter {
        CloudFeedField.required.contains($0.name) || type[field: $0.name] != nil
      }
      return Dictionary(uniqueKeysWithValues: needed.map { ($0.name, $0.type) })
    }
  }
}

/// Finds the record of each feed among records of the type Feed, whose names are random: the record that the seed names,
/// else the one with its address, else a new one named after the address. So two runs at once, and a run after one that
/// was stopped, make no second record. Of several records with its address the seed names the one to keep; a record with
/// another address cannot take it from one that has it.
struct CloudFeedMatching {
  /// Record names by slug. A retired feed without a record has none, and neither has one in conflict.
  private(set) var names: [String: String] = [:]
  private(set) var conflicts: [PlanConflict] = []
  /// Records that are part of a conflict.
  private(set) var disputed: Set<String> = []
  private var claims: [String: [SeedFeed]] = [:]

  init(_ feeds: [SeedFeed], _ records: [String: Record]) {
    let declared = Set(feeds.compactMap(\.recordName))
    let byAddress = Dictionary(grouping: records.values.sorted { $0.recordName < $1.recordName }) {
      WebAddress.normalized($0["feedURL"]?.string ?? "")
    }.mapValues { $0.map(\.recordName) }
    for feed in feeds {
      let holders = byAddress[WebAddress.normalized(feed.feedURL)] ?? []
      if let name = feed.recordName {
        if let rival = holders.first, !holders.contains(name) {
          report(
            feed.slug, [name, rival],
            "it names the record \(name), but its feed URL belongs to the record \(rival)",
            "Delete the record without readers, or remove the \"recordName\".")
        } else if !feed.isRetired || records[name] != nil {
          claims[name, default: []].append(feed)
        }
        continue
      }
      let free = holders.filter { !declared.contains($0) }
      if free.count > 1 {
        report(
          feed.slug, free, "its feed URL belongs to several records: \(free.joined(separator: ", "))",
          "Choose the one to keep, for example with \"recordName\": \"\(free[0])\". The others stay until you delete them."
        )
      } else if let name = free.first {
        claims[name, default: []].append(feed)
      } else if !feed.isRetired {
        claimNew(feed, records)
      }
    }
    for (name, feeds) in claims {
      if feeds.count == 1 {
        names[feeds[0].slug] = name
      } else {
        for feed in feeds {
          let other = feeds.first { $0.slug != feed.slug }?.slug ?? feed.slug
          report(
            feed.slug, [name], "its record \(name) also belongs to the feed '\(other)'",
            "Give one of the two a \"recordName\" of its own.")
        }
      }
    }
    conflicts.sort { $0.slug < $1.slug }
  }

  private mutating func claimNew(_ feed: SeedFeed, _ records: [String: Record]) {
    let name = CatalogRecordNames.feed(url: feed.feedURL)
    if let url = records[name]?["feedURL"]?.string {
      report(
        feed.slug, [name],
        "the record name for its feed URL, \(name), belongs to a record with another URL, \(url)",
        "If it is that feed, add \"recordName\": \"\(name)\" to '\(feed.slug)'; else give it another \"recordName\"."
      )
    } else {
      claims[name, default: []].append(feed)
    }
  }

  /// A new record would leave the readers of an existing one behind.
  mutating func refuse(_ move: MovedFeed) {
    names[move.slug] = nil
    report(
      move.slug, [move.recordName],
      "\(move.label.quoted) at \(move.from) has its title and "
        + "\(move.readers.wordsWithReason), and no seed mentions it",
      "If it is that feed, add \"recordName\": \"\(move.recordName)\" to '\(move.slug)', and its readers stay. "
        + "If it is another feed, apply with --accept-risk subscriber-loss.")
  }

  private mutating func report(_ slug: String, _ records: [String], _ reason: String, _ help: String) {
    disputed.formUnion(records)
    conflicts.append(
      PlanConflict(recordType: CatalogRecordType.cloudFeed, slug: slug, reason: reason, help: help))
  }
}
