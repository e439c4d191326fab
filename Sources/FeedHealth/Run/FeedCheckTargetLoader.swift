internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import FeedState
internal import SchemaLanguage

struct FeedCheckTargetLoader: Sendable {
  let container: any Container
  let options: HealthOptions
  let clock: HealthRunClock

  var mapping: FeedRecordMapping { options.mapping }

  struct Loaded {
    /// The longest due first; feeds due at the same time stay in the container's order.
    var due: [FeedCheckTarget] = []
    var skipped: [SkippedFeed] = []
    /// The feeds by address; `nil` when only some were read.
    var known: [String: KnownFeed]?
    var reading = RunReading.all
    /// By the service's clock; `nil` for feeds of seeds.
    var readingBegan: Timestamp?
  }

  /// Reads the container's feeds. Throws ``HealthCheckError`` when a feed or the category does not exist.
  func load(after former: HealthRunMemory?) async throws -> Loaded {
    // Before it all changes are known, except for those that an index does not show yet.
    let began = (try await container.clock.time()?.earliest ?? clock.now()) - options.settle
    var loaded = Loaded(reading: former?.reading(at: began, options) ?? .all)
    if case .due(let since) = loaded.reading,
      let due = try await loadDue(at: clock.now(), changedSince: since)
    {
      loaded.due = due
    } else {
      if case .due(let since) = loaded.reading {
        loaded.reading = .allWithoutIndexes(try await missingLines(at: clock.now(), changedSince: since))
      }
      let (targets, known) = try await loadAll()
      let now = clock.now()
      loaded.known = known
      for target in targets {
        if let next = target.deferral(at: now, options) {
          loaded.skipped.append(SkippedFeed(target, .notDue(until: next), now: now, policy: options.policy))
        } else {
          loaded.due.append(target)
        }
      }
    }
    loaded.readingBegan = began
    return loaded
  }

  /// The feeds of seeds that the container does not have.
  func load(_ seeds: [SeedFeed]) async throws -> Loaded {
    let known = try await loadAll().known ?? [:]
    return Loaded(
      due: seeds.filter { known[WebAddress.normalized($0.feedURL)] == nil }.map(\.target), known: known)
  }

  /// A retired feed is checked only by its name.
  private func loadAll() async throws -> (targets: [FeedCheckTarget], known: [String: KnownFeed]?) {
    var wanted = RequestedFeeds(options.only, aliases: options.aliases)
    var known: [String: KnownFeed]? = options.category == nil ? [:] : nil
    var pages: [[FeedCheckTarget]] = []
    let query = try await query()
    try await HealthCheckError.namingMissingType(mapping) {
      // A page's state is looked up while the next page is read.
      try await withThrowingTaskGroup(of: (page: Int, targets: [FeedCheckTarget]).self) { lookups in
        try await container.forEachPage(of: query, desiredKeys: mapping.feedFields) { page in
          for record in page.records {
            let url = WebAddress.normalized(record[mapping.feedURL]?.string ?? "")
            if known?[url]?.isRetired ?? true { known?[url] = KnownFeed(record, mapping) }
          }
          let feeds = page.records.filter { record in
            wanted.take(record, mapping) && (!mapping.isRetired(record) || !options.only.isEmpty)
          }
          let number = pages.count
          pages.append([])
          // Not more than two lookups at once, because each holds its page.
          if number >= 2, let lookup = try await lookups.next() { pages[lookup.page] = lookup.targets }
          lookups.addTask { (number, try await withMetadata(feeds)) }
        }
        for try await lookup in lookups { pages[lookup.page] = lookup.targets }
      }
    }
    let missing = wanted.missing
    guard missing.isEmpty else { throw HealthCheckError.unknownFeeds(missing) }
    return (Self.longestDueFirst(pages.flatMap(\.self), force: options.force), known)
  }

  static func longestDueFirst(_ targets: [FeedCheckTarget], force: Bool) -> [FeedCheckTarget] {
    targets.map { (target: $0, time: $0.dueTime(force: force)?.milliseconds ?? .min) }
      .sorted { $0.time < $1.time }.map(\.target)
  }

  private func query() async throws -> Query {
    guard let slug = options.category else { return Query(mapping.recordType) }
    let category: FieldValue =
      switch mapping.categoryField {
      case .text: .string(slug)
      case .reference:
        try await categoryName(slug).map { .reference(Reference($0)) } ?? .string(slug)
      }
    return Query(mapping.recordType, filters: [Filter(FieldName(mapping.category), equals: category)])
  }

  /// The record that the feeds of a category refer to; `nil` in a container without records of
  /// categories, where a feed has the category's slug as text.
  private func categoryName(_ slug: String) async throws -> String? {
    let categories: [Record]
    do {
      categories = try await container.allRecords(
        Query(CatalogRecordType.feedCategory), desiredKeys: ["slug"])
    } catch let error as ServerError where error.code == .notFound { return nil }
    let known = categories.map { $0["slug"]?.string ?? $0.recordName }
    if let index = known.firstIndex(of: slug) { return categories[index].recordName }
    throw HealthCheckError.unknownCategory(slug, nearest: SpellingSuggestion.nearest(to: slug, among: known))
  }

  func withMetadata(_ feeds: [Record]) async throws -> [FeedCheckTarget] {
    let states = try await container.states(of: feeds, mapping, policy: options.policy)
    return zip(feeds, states).map { FeedCheckTarget($0, metadata: $1, mapping) }
  }
}

/// The feeds named by the caller, and which of them are still missing.
struct RequestedFeeds {
  /// Each with its spellings: the name itself, and the address of the seed with this slug.
  private let names: [(name: String, spellings: Set<String>)]
  private var found: Set<String> = []

  init(_ names: [String], aliases: [String: String]) {
    self.names = names.map { name in
      let spellings = [name, WebAddress.normalized(name), aliases[name].map(WebAddress.normalized)]
      return (name, Set(spellings.compactMap(\.self)))
    }
  }

  var missing: [String] { names.map(\.name).filter { !found.contains($0) } }

  mutating func take(_ feed: Record, _ mapping: FeedRecordMapping) -> Bool {
    guard !names.isEmpty else { return true }
    let stored = mapping.slug.flatMap { feed[$0]?.string }
    let slug = stored ?? feed[mapping.title]?.string.flatMap(Slug.derived(fromTitle:))
    let own = [feed.recordName, WebAddress.normalized(feed[mapping.feedURL]?.string ?? ""), slug ?? ""]
    let taken = names.filter { !$0.spellings.isDisjoint(with: own) }.map(\.name)
    found.formUnion(taken)
    return !taken.isEmpty
  }
}

extension Container {
  /// The record name of a feed that people call by its record name, its address or its slug. Throws
  /// ``HealthCheckError/unknownFeeds(_:)`` for one that the container does not have.
  ///
  /// - Parameter aliases: the feed URLs of slugs that seeds declare.
  package func feedRecordName(
    of name: String, _ mapping: FeedRecordMapping, aliases: [String: String]
  ) async throws -> String {
    if let record = try await lookup(LookupRequest([name], desiredKeys: [])).first?.record,
      record.recordType == mapping.recordType
    {
      return name
    }
    var wanted = RequestedFeeds([name], aliases: aliases)
    var found: String?
    try await HealthCheckError.namingMissingType(mapping) {
      let request = QueryRequest(Query(mapping.recordType), desiredKeys: mapping.feedFields)
      try await walkPages(of: request) { page in
        found = page.records.first { wanted.take($0, mapping) }?.recordName
        return found == nil
      }
    }
    guard let found else { throw HealthCheckError.unknownFeeds([name]) }
    return found
  }
}

extension FeedCheckTargetLoader {
  /// The lines that the schema lacks to read only the feeds to check, found out with a request for each. Throws errors
  /// of reading.
  private func missingLines(at now: Timestamp, changedSince since: Timestamp) async throws -> [String] {
    guard let stateType = mapping.stateType else { return [] }
    let needs = [
      (stateQuery(stateType, at: now), "\(Self.nextCheck) TIMESTAMP QUERYABLE SORTABLE in \(stateType)"),
      (changeQuery(since: since), "\"\(Self.modified)\" TIMESTAMP QUERYABLE in \(mapping.recordType)"),
    ]
    var missing: [String] = []
    for (query, line) in needs {
      do {
        _ = try await container.firstRecords(query, desiredKeys: [], limit: 1)
      } catch let error as ServerError where error.refusesFilter(on: Self.indexed) { missing.append(line) }
    }
    return missing
  }

  /// Reads only the feeds that a run checks: those whose next check is due, and of those that changed since the last
  /// complete run the ones that are new, moved or no longer retired
  /// (Documentation/reference/feeds.md#what-a-run-reads). Two requests for each 200 feeds that are due, and two for each
  /// 200 that changed.
  ///
  /// - Parameter since: by the service's clock.
  /// - Returns: `nil` if the container cannot say which feeds these are, because its schema lacks an index.
  /// - Throws: errors of reading the container.
  func loadDue(at now: Timestamp, changedSince since: Timestamp) async throws -> [FeedCheckTarget]? {
    guard let stateType = mapping.stateType else { return nil }
    do {
      let due = try await feedsDue(at: now, stateType)
      let changed = try await feedsChanged(since: since, except: Set(due.map(\.recordName)))
      return Self.longestDueFirst(
        (due + changed).filter { $0.deferral(at: now, options) == nil }, force: false)
    } catch let error as ServerError where error.refusesFilter(on: Self.indexed) {
      return nil
    }
  }

  private static let nextCheck = "nextCheck"
  private static let modified = SystemField.modifiedTimestamp.storedName
  private static let indexed = [nextCheck, modified]

  private func stateQuery(_ stateType: String, at now: Timestamp) -> Query {
    Query(stateType, filters: [Filter(FieldName(Self.nextCheck), .lessThanOrEquals, .timestamp(now))])
  }

  private func changeQuery(since: Timestamp) -> Query {
    Query(
      mapping.recordType,
      filters: [Filter(FieldName(Self.modified), .greaterThanOrEquals, .timestamp(since))])
  }

  private func feedsDue(at now: Timestamp, _ stateType: String) async throws -> [FeedCheckTarget] {
    var states: [FeedMetadata] = []
    try await container.forEachPage(
      of: stateQuery(stateType, at: now), desiredKeys: mapping.stateFieldNames
    ) { page in
      // A record that is not the feed's own says nothing about it.
      states += page.records.compactMap { record in
        guard let feed = record["feedReference"]?.reference?.recordName,
          CatalogRecordNames.metadata(feed: feed) == record.recordName
        else { return nil }
        return FeedMetadata(feed: feed, record: record)
      }
    }
    let outcomes = try await container.lookupAll(
      states.map(\.feedRecordName), desiredKeys: mapping.feedFields)
    return try zip(states, outcomes).compactMap { state, outcome in
      guard let feed = try outcome.found, feed.recordType == mapping.recordType, !mapping.isRetired(feed)
      else { return nil }
      return FeedCheckTarget(feed, metadata: state, mapping)
    }
  }

  private func feedsChanged(
    since: Timestamp, except known: Set<String>
  ) async throws -> [FeedCheckTarget] {
    var feeds: [Record] = []
    try await container.forEachPage(of: changeQuery(since: since), desiredKeys: mapping.feedFields) { page in
      feeds += page.records.filter { !known.contains($0.recordName) && !mapping.isRetired($0) }
    }
    return try await withMetadata(feeds)
  }
}

extension FeedCheckTarget {
  /// Until when the feed need not be checked; `nil` for a feed that is due. A time too far ahead, as a wrong clock or
  /// another program writes it, defers nothing.
  func deferral(at now: Timestamp, _ options: HealthOptions) -> Timestamp? {
    guard !options.force, let next = metadata.nextCheck else { return nil }
    guard next <= now else {
      return next.since(now) <= options.policy.maxInterval + NextCheckTime.maxShift ? next : nil
    }
    // The run may be later, on a day that the publisher excludes. A weekly run may have no other day.
    guard let days = metadata.schedule?.skipDays, !metadata.lastCheckFailed,
      now.since(next) < NextCheckTime.maxShift
    else { return nil }
    let permitted = NextCheckTime.permitted(now, PublisherSchedule(skipDays: days))
    return permitted > now ? permitted : nil
  }
}
