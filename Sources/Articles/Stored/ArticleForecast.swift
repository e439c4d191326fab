package import CloudKitModel
package import Diagnostics
package import FeedState
internal import RecordChanges
internal import SchemaLanguage

/// How much storing articles takes (Documentation/reference/articles.md#forecast).
package struct ArticleForecast: Report {
  package let feeds: Int
  /// New items of a feed in a day.
  package let itemsPerDay: Double
  package let origin: Origin
  /// New items a day of the feed in the middle, when all are sorted by it; `nil` unless it was measured for each feed.
  package let medianPerDay: Double?
  /// How many feeds these two were measured for, if not for all.
  private let measuredFeeds: Int?
  package let content: ArticleOptions.Content
  /// Articles in the container once the first ones expire.
  package let records: Int
  package let bytes: Int
  /// Of an hourly run whose feeds answer at once, so that every request is full.
  package let requestsPerRun: Int
  package let minutesPerRun: Double

  /// Where the number of new items comes from.
  package enum Origin: String, Sendable, Hashable {
    case given, measured
    /// Nothing is known of the feeds.
    case assumed
  }

  /// Bytes of an average article, measured on the project's collection of feeds, and the record around it.
  private static let bytesPerArticle: [ArticleOptions.Content: Double] = [.excerpt: 1_000, .full: 8_000]
  /// Requests that the service takes in a second (Documentation/reference/web-services.md#throttling).
  private static let requestsPerSecond = 8.0
  private static let runsPerDay = 24.0
  private static let requestBytes = 1_500_000.0
  private static let guidsInQuery = Double(StoredArticles.valuesPerQuery)

  /// - Parameters:
  ///   - itemsPerDay: 0 or more.
  ///   - medianPerDay: shown beside it, because a few busy feeds make most of the sum.
  package init(
    feeds: Int, itemsPerDay: Double, origin: Origin = .given, medianPerDay: Double? = nil,
    measuredFeeds: Int? = nil, options: ArticleOptions
  ) {
    self.feeds = feeds
    self.itemsPerDay = itemsPerDay
    self.origin = origin
    self.medianPerDay = medianPerDay
    self.measuredFeeds = measuredFeeds.flatMap { $0 < feeds ? $0 : nil }
    content = options.content
    let days = Double(options.lifetime.components.seconds) / 86_400
    let total = Double(feeds) * itemsPerDay * days
    let size = Self.bytesPerArticle[content] ?? 0
    records = Int(exactly: total.rounded()) ?? .max
    bytes = Int(exactly: (total * size).rounded()) ?? .max
    let new = Double(feeds) * itemsPerDay / Self.runsPerDay
    // A feed with news has at least one new item.
    let feedsWithNews = min(Double(feeds), new)
    let batch = 200.0
    let reads = 2 * (Double(feeds) / batch).rounded(.up) + (feedsWithNews * 20 / batch).rounded(.up)
    // By title, and by guid where others write too.
    let lookups = (new / Self.guidsInQuery).rounded(.up) * (options.otherWriters ? 2 : 1)
    let articles = max((new / batch).rounded(.up), (new * size / Self.requestBytes).rounded(.up))
    let states = (Double(feeds) / batch).rounded(.up)
    let requests = reads + lookups + articles + states
    requestsPerRun = Int(requests)
    minutesPerRun = requests / Self.requestsPerSecond / 60
  }

  package var json: JSONValue {
    [
      "feeds": feeds.json, "perDay": itemsPerDay.json, "perDayIs": origin.rawValue.json,
      "medianPerDay": medianPerDay?.json ?? .null, "content": content.rawValue.json, "records": records.json,
      "bytes": bytes.json, "requestsPerRun": requestsPerRun.json,
      "minutesPerRun": .double((minutesPerRun * 10).rounded() / 10),
    ]
  }

  package var body: ReportBody {
    let megabytes = (Double(bytes) / 1_000_000).rounded()
    let minutes = (minutesPerRun * 10).rounded() / 10
    ListItem(
      "\(counted(feeds, "feed")) with \((itemsPerDay * 100).rounded() / 100) new items a day\(median), stored as \(content.rawValue):",
      details: [
        "\(counted(records, "article")), about \(Int(megabytes)) MB",
        "an hourly run: \(counted(requestsPerRun, "request")), \(minutes) minutes at 8 requests a second; each second of fetching adds at most 5 requests",
      ])
  }

  private var median: String {
    switch (medianPerDay, origin) {
    case (let median?, _):
      " on average (median \((median * 100).rounded() / 100)\(measuredFeeds.map { ", known of \(counted($0, "feed"))" } ?? ""))"
    case (nil, .measured): " on average"
    case (nil, .assumed): " (assumed: no rate is known)"
    case (nil, .given): ""
    }
  }

  /// What is known of a container's feeds, without the retired ones.
  package struct Measurement: Sendable {
    package var feeds = 0
    /// New items of a feed in a day, the mean of the feeds whose rate is known; `nil` when none is.
    package var itemsPerDay: Double?
    /// The median of them; `nil` when only the sum of all feeds is known.
    package var medianPerDay: Double?
    /// The feeds whose rate is known; `nil` when only the sum of all feeds is.
    package var measuredFeeds: Int?
  }

  /// Counts the feeds, and reads the rates that health checks measured. Where checks keep no rates, the dates of the newest
  /// articles give the sum, because the program that owns such a container has stored them.
  ///
  /// - Throws: errors of reading the container.
  package static func measure(
    _ feeds: FeedRecordMapping, _ articles: ArticleRecordMapping, in container: any Container,
    at now: Timestamp
  ) async throws -> Measurement {
    var found = Measurement()
    var rates: [String: Double?] = [:]
    try await container.forEachPage(of: Query(feeds.recordType), desiredKeys: feeds.fieldsOfRetirement) {
      page in
      for feed in page.records where !feeds.isRetired(feed) { rates[feed.recordName] = .some(nil) }
    }
    found.feeds = rates.count
    guard let stateType = feeds.stateType else {
      let sum = try await newItemsPerDay(articles.matching(container), in: container, at: now)
      found.itemsPerDay = found.feeds > 0 ? sum.map { $0 / Double(found.feeds) } : nil
      return found
    }
    let keys = ["averageArticlesPerWeek", "feedReference"]
    try await container.forEachPage(of: Query(stateType), desiredKeys: keys) { page in
      for state in page.records {
        guard let feed = state["feedReference"]?.reference?.recordName, rates.keys.contains(feed) else {
          continue
        }
        // At most what --per-day takes: another program may have written the number.
        rates[feed] = state["averageArticlesPerWeek"]?.number.map { min(max(0, $0), 70_000) }
      }
    }
    let known = rates.values.compactMap(\.self).sorted()
    guard !known.isEmpty else { return found }
    let (low, high) = (known[(known.count - 1) / 2], known[known.count / 2])
    found.itemsPerDay = known.reduce(0, +) / Double(known.count) / 7
    found.medianPerDay = (low + high) / 2 / 7
    found.measuredFeeds = known.count
    return found
  }

  /// The articles of a day, of all feeds together: by the newest of the last 28 days.
  private static func newItemsPerDay(
    _ articles: ArticleRecordMapping, in container: any Container, at now: Timestamp
  ) async throws -> Double? {
    let published = FieldName(articles.published)
    let newest = Query(
      articles.recordType,
      filters: [
        Filter(published, .greaterThanOrEquals, .timestamp(now + .seconds(-28 * 86_400))),
        Filter(published, .lessThanOrEquals, .timestamp(now)),
      ], sorts: [Sort(published, ascending: false)])
    let records = try await container.firstRecords(
      newest, desiredKeys: [articles.published], limit: maxDates
    ).records
    let moments = records.compactMap { $0[articles.published]?.timestamp?.milliseconds }.sorted()
    return ItemRate.perDay(of: moments, now: now.milliseconds)
  }

  /// Ten pages of articles.
  private static let maxDates = 2000
}
