public import CloudKitModel
public import Diagnostics
internal import RecordChanges

/// How much storing articles takes (Documentation/reference/articles.md#forecast).
public struct ArticleForecast: Report {
  /// Number of feeds.
  public let feeds: Int
  /// New items of a feed in a day.
  public let itemsPerDay: Double
  /// New items a day of the feed in the middle, when all are sorted by it; `nil` unless it was measured.
  public let medianPerDay: Double?
  public let content: ArticleOptions.Content
  /// Articles in the container once the first ones expire.
  public let records: Int
  /// Their size.
  public let bytes: Int
  /// Of an hourly run.
  public let requestsPerRun: Int
  public let minutesPerRun: Double

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
  ///   - lifetime: as ``ArticleOptions/lifetime``.
  ///   - otherWriters: as ``ArticleOptions/otherWriters``.
  public init(
    feeds: Int, itemsPerDay: Double, medianPerDay: Double? = nil, content: ArticleOptions.Content,
    lifetime: Duration, otherWriters: Bool
  ) {
    self.feeds = feeds
    self.itemsPerDay = itemsPerDay
    self.medianPerDay = medianPerDay
    self.content = content
    let days = Double(lifetime.components.seconds) / 86_400
    let total = Double(feeds) * itemsPerDay * days
    let size = Self.bytesPerArticle[content] ?? 0
    records = Int(total.rounded())
    bytes = Int((total * size).rounded())
    let new = Double(feeds) * itemsPerDay / Self.runsPerDay
    // A feed with news has at least one new item.
    let feedsWithNews = min(Double(feeds), new)
    let batch = 200.0
    let reads = 2 * (Double(feeds) / batch).rounded(.up) + (feedsWithNews * 20 / batch).rounded(.up)
    // By title, and by guid where others write too.
    let lookups = (new / Self.guidsInQuery).rounded(.up) * (otherWriters ? 2 : 1)
    let articles = max((new / batch).rounded(.up), (new * size / Self.requestBytes).rounded(.up))
    let states = (Double(feeds) / batch).rounded(.up)
    let requests = reads + lookups + articles + states
    requestsPerRun = Int(requests)
    minutesPerRun = requests / Self.requestsPerSecond / 60
  }

  public var json: JSONValue {
    [
      "feeds": JSONValue(feeds), "perDay": .double(itemsPerDay),
      "medianPerDay": medianPerDay.map(JSONValue.double) ?? .null, "content": .string(content.rawValue),
      "records": JSONValue(records), "bytes": JSONValue(bytes), "requestsPerRun": JSONValue(requestsPerRun),
      "minutesPerRun": .double((minutesPerRun * 10).rounded() / 10),
    ]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    let megabytes = (Double(bytes) / 1_000_000).rounded()
    let minutes = (minutesPerRun * 10).rounded() / 10
    let median = medianPerDay.map { " on average (median \(($0 * 100).rounded() / 100))" } ?? ""
    return """
      \(feeds) feeds with \((itemsPerDay * 100).rounded() / 100) new items a day\(median), stored as \(content.rawValue):
        \(records) articles, about \(Int(megabytes)) MB
        an hourly run: at most \(requestsPerRun) requests, \(minutes) minutes at 8 requests a second

      """
  }
}

extension ArticleForecast {
  /// What is known of a container's feeds.
  public struct Measurement: Sendable {
    public var feeds = 0
    /// New items of a feed in a day, the mean of the feeds whose rate is known; `nil` when none is.
    public var itemsPerDay: Double?
    /// The median of them.
    public var medianPerDay: Double?
  }

  /// Counts the feeds, and reads the rates that health checks measured.
  ///
  /// - Parameters:
  ///   - feedType: the record type of feeds.
  ///   - stateType: the record type of their state.
  /// - Throws: errors of reading the container.
  public static func measure(
    feedType: String, stateType: String?, in container: any Container
  ) async throws -> Measurement {
    var found = Measurement()
    try await container.forEachPage(of: Query(feedType), desiredKeys: []) { found.feeds += $0.records.count }
    guard let stateType else { return found }
    var rates: [Double] = []
    try await container.forEachPage(of: Query(stateType), desiredKeys: ["averageArticlesPerWeek"]) { page in
      rates += page.records.compactMap { $0["averageArticlesPerWeek"]?.number }
    }
    guard !rates.isEmpty else { return found }
    rates.sort()
    let (low, high) = (rates[(rates.count - 1) / 2], rates[rates.count / 2])
    found.itemsPerDay = rates.reduce(0, +) / Double(rates.count) / 7
    found.medianPerDay = (low + high) / 2 / 7
    return found
  }
}
