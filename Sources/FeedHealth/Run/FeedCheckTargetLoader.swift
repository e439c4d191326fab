internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import FeedState

/// Reads the feeds to check, each with its state.
struct FeedCheckTargetLoader: Sendable {
  let container: any Container
  let options: HealthOptions
  let shared: SharedMapping

  init(container: any Container, options: HealthOptions) {
    self.container = container
    self.options = options
    shared = SharedMapping(options.mapping)
  }

  var mapping: FeedRecordMapping { options.mapping }

  /// The feeds to check, and the addresses of all feeds when all were read. A retired feed is checked only by its name.
  struct Loaded {
    var targets: [FeedCheckTarget] = []
    var known: [String: KnownFeed]?
    var reading = RunReading.all
  }

  /// Returns the feeds that are due longest first; feeds due at the same time stay in the container's order. Throws
  /// ``HealthCheckError`` when a feed or the category does not exist.
  func load() async throws -> Loaded {
    var wanted = RequestedFeeds(options.only, aliases: options.aliases)
    var loaded = Loaded(known: options.category == nil ? [:] : nil)
    let query = try await query()
    try await HealthCheckError.namingMissingType(mapping) {
      // A page's state is looked up while the next page is read.
      try await withThrowingTaskGroup(of: (page: Int, targets: [FeedCheckTarget]).self) { lookups in
        var pages: [[FeedCheckTarget]] = []
        try await container.forEachPage(of: query, desiredKeys: mapping.feedFields) { page in
          for record in page.records {
            let url = WebAddress.normalized(record[mapping.feedURL]?.string ?? "")
            if loaded.known?[url]?.isRetired ?? true { loaded.known?[url] = KnownFeed(record, mapping) }
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
        loaded.targets = pages.flatMap(\.self)
      }
    }
    let missing = wanted.missing
    guard missing.isEmpty else { throw HealthCheckError.unknownFeeds(missing) }
    loaded.targets = Self.longestDueFirst(loaded.targets, force: options.force)
    return loaded
  }

  static func longestDueFirst(_ targets: [FeedCheckTarget], force: Bool) -> [FeedCheckTarget] {
    let times = targets.map { $0.dueTime(force: force)?.milliseconds ?? .min }
    return targets.indices.sorted { (times[$0], $0) < (times[$1], $1) }.map { targets[$0] }
  }

  private func query() async throws -> Query {
    guard let slug = options.category else { return Query(mapping.recordType) }
    let category: FieldValue =
      switch mapping.categoryField {
      case .text: .string(slug)
      case .reference: .reference(Reference(try await categoryName(slug)))
      }
    return Query(mapping.recordType, filters: [Filter(FieldName(mapping.category), equals: category)])
  }

  /// The record that the feeds of a category refer to.
  private func categoryName(_ slug: String) async throws -> String {
    let categories = try await container.allRecords(
      Query(CatalogRecordType.feedCategory), desiredKeys: ["slug"])
    let known = categories.map { $0["slug"]?.string ?? $0.recordName }
    if let index = known.firstIndex(of: slug) { return categories[index].recordName }
    throw HealthCheckError.unknownCategory(slug, nearest: SpellingSuggestion.nearest(to: slug, among: known))
  }

  func withMetadata(_ feeds: [Record]) async throws -> [FeedCheckTarget] {
    let states = try await container.states(of: feeds, mapping, policy: options.policy)
    return zip(feeds, states).map { FeedCheckTarget($0, metadata: $1, mapping: shared) }
  }
}

/// The feeds named by the caller, and which of them are still missing.
struct RequestedFeeds {
  private let names: [String]
  /// The spellings of a name: the name itself, and the address of the seed with this slug.
  private let spellings: [String: Set<String>]
  private var found: Set<String> = []

  init(_ names: [String], aliases: [String: String]) {
    self.names = names
    spellings = Dictionary(
      names.map { name in
        (
          name,
          Set(
            [name, WebAddress.normalized(name), aliases[name].map(WebAddress.normalized)].compactMap(\.self))
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  var missing: [String] { names.filter { !found.contains($0) } }

  mutating func take(_ feed: Record, _ mapping: FeedRecordMapping) -> Bool {
    guard !names.isEmpty else { return true }
    let stored = mapping.slug.flatMap { feed[$0]?.string }
    let slug = stored ?? feed[mapping.title]?.string.flatMap(Slug.derived(fromTitle:))
    let own = [feed.recordName, WebAddress.normalized(feed[mapping.feedURL]?.string ?? ""), slug ?? ""]
    let taken = names.filter { name in own.contains { spellings[name]?.contains($0) == true } }
    found.formUnion(taken)
    return !taken.isEmpty
  }
}
