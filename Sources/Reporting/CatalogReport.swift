internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import Platform

/// What the pages of `status` show, and what its JSON has besides the recorded health.
package struct CatalogReport: Sendable {
  package struct Options: Sendable {
    package var subject: String
    /// Feeds in the table; `nil` for all that `maxBytes` allows.
    package var rows: Int?
    /// Of the file; `nil` for the format's own limit.
    package var maxBytes: Int?
    /// Whether the container is a mirror without all records, so that no verdict holds.
    package var isOfPart = false
    /// Adds the container to the commands of a text, as the tool does in what it prints.
    package var completed: @Sendable (String) -> String = { $0 }

    package init(subject: String, rows: Int? = nil, maxBytes: Int? = nil) {
      self.subject = subject
      self.rows = rows
      self.maxBytes = maxBytes
    }
  }

  /// The least that a limit of bytes may be: room for everything but the table.
  package static let leastMaxBytes = 300_000

  let health: CatalogHealth
  let options: Options
  /// The worst first, the retired last. The table, the readers and the changes are about these.
  let allFeeds: [ReportedFeed]
  /// Those that checks ask, in the same order.
  let feeds: [ReportedFeed]
  let changes: ReportChanges?
  let drift: SchemaDrift?
  let distribution: SubscriberDistribution
  let qualityParts: QualityPartMeans
  let snapshot: ReportSnapshot
  let states: CatalogHealthReport
  /// The first line of every page, where there are no feeds to speak of; `nil` for that of the feeds.
  var headline: String?
  var verdict: String {
    options.isOfPart
      ? "The mirror is incomplete, so it does not say how the feeds are." : headline ?? health.verdict
  }
  var worstState: HealthStatus { options.isOfPart ? .unknown : health.worst }
  /// Sentences below the verdict.
  var notes: [String] = []

  init(
    _ health: CatalogHealth, options: Options, drift: SchemaDrift? = nil,
    since previous: ReportSnapshot? = nil, failLevel: CatalogHealthReport.FailLevel? = nil
  ) {
    self.health = health
    self.options = options
    self.drift = drift
    var all = (health.feeds + health.retired).map { ReportedFeed($0, at: health.asOf) }
      .sorted(by: ReportedFeed.isWorse)
    changes = previous.map { ReportChanges(since: $0, to: &all, subject: options.subject) }
    allFeeds = all
    feeds = all.filter { !$0.entry.isRetired }
    distribution = SubscriberDistribution(all)
    qualityParts = QualityPartMeans(feeds)
    snapshot = Self.snapshot(all, health, options, after: previous)
    states = CatalogHealthReport(health, failLevel: failLevel)
  }

  func advice(for entry: CatalogHealth.Entry) -> String { options.completed(states.advice(for: entry)) }

  var worst: ArraySlice<ReportedFeed> { feeds.filter(\.entry.isTroubled).prefix(10) }

  var readers: Int64? { allFeeds.readers }

  /// `1 retired`; `nil` when none is.
  var retired: String? {
    health.retired.isEmpty ? nil : "\(ReadableNumber.grouped(health.retired.count)) retired"
  }

  /// Which feeds are left out by a table that ends early: `the best ones`.
  func lastFeeds(_ count: Int) -> String {
    let noun = count == 1 ? "one" : "ones"
    if count <= health.retired.count { return count == 1 ? "a retired one" : "retired ones" }
    return health.retired.isEmpty ? "the best \(noun)" : "the best and the retired ones"
  }

  /// The median quality of the checked feeds, in tenths; `nil` when none has a score.
  var medianQuality: Int64? {
    let scores = feeds.compactMap(\.quality).sorted()
    return scores.isEmpty ? nil : scores[scores.count / 2]
  }

  /// The same, those of one host with one cause together, each with its first feed.
  var worstGroups: [(group: CatalogHealth.Group, feed: ReportedFeed)] {
    health.troubledGroups.prefix(10).compactMap { group in
      feed(group.feeds[0].recordName).map { (group, $0) }
    }
  }

  struct Cause: Sendable {
    let reasons: [HealthReason]
    let groups: [CatalogHealth.Group]

    var feeds: Int { groups.reduce(0) { $0 + $1.feeds.count } }
    var readers: Int64? { groups.map(\.readers).knownSum }
  }

  /// Causes that a page shows, and groups of feeds of each.
  static let (maxCauses, maxCases) = (8, 5)

  /// The feeds that need attention by their causes, in the order of the worst feed of each.
  var causes: [Cause] {
    health.troubledGroups.groups { $0.feeds[0].reasons }.map {
      Cause(reasons: $0[0].feeds[0].reasons, groups: $0)
    }
  }

  func feed(_ name: String) -> ReportedFeed? { feeds.first { $0.entry.recordName == name } }

  /// How the shares and states are counted. It stands beside the numbers, because people count differently.
  static let accounting = """
    Uptime is the share of the checks of the last 30 days, today included, that brought the feed or found it unchanged. \
    Days are UTC days. A day without a check counts for nothing, and a feed younger than 30 days is judged by the days \
    it has. Checks that a server refused are left out. A day is good when all its checks succeeded, failed when none did, and mixed otherwise. Uptime is rounded \
    down. Readers are as of the last recount.
    """

  private static func snapshot(
    _ feeds: [ReportedFeed], _ health: CatalogHealth, _ options: Options, after earlier: ReportSnapshot?
  ) -> ReportSnapshot {
    let kept = feeds.map { feed in
      (
        feed.entry.recordName,
        ReportSnapshot.Feed(
          title: ReadableNumber.shortened(feed.title, to: 80), status: feed.status,
          readers: feed.entry.readers, quality: feed.quality)
      )
    }
    let total = ReportSnapshot.Total(asOf: health.asOf, readers: feeds.readers ?? 0)
    return ReportSnapshot(
      asOf: health.asOf, subject: options.subject,
      feeds: Dictionary(kept, uniquingKeysWith: { first, _ in first }),
      totals: ((earlier?.totals ?? []) + [total]).suffix(ReportSnapshot.maxTotals))
  }

  var json: JSONObject {
    [
      "verdict": verdict.json, "readers": readers?.json,
      "medianQuality": medianQuality.map { .double(Double($0) / 10) }, "accounting": Self.accounting.json,
      "readerDistribution": .array(
        distribution.steps.map { ["readers": $0.label.json, "feeds": $0.feeds.json] }),
      "qualityParts": .array(
        qualityParts.parts.map {
          ["name": $0.name.json, "meanPercent": $0.mean.json, "weight": $0.weight.json]
        }),
      "schemaDrift": drift.map { ["file": $0.file.json, "changes": $0.lines.json] },
      "worst": .array(worst.map { .string($0.entry.recordName) }), "table": allFeeds.map(\.json).json,
    ]
  }
}

extension ReportedFeed {
  fileprivate var json: JSONValue {
    let reasons = entry.reasons.map { JSONValue.string($0.code) }
    return .object([
      "recordName": entry.recordName.json, "feedURL": entry.feedURL.json,
      "status": .string(status == .unknown ? "unchecked" : status.word),
      "title": entry.title?.json, "category": entry.category?.json,
      "statusSince": entry.statusSince?.iso8601.json,
      "lastCheck": entry.lastCheck?.iso8601.json, "uptimePercentage": uptime.map { .double(Double($0) / 10) },
      "days": strip.blocks.json, "quality": quality.map { .double(Double($0) / 10) },
      "readers": entry.readers?.json, "readersChange": readersChange?.json,
      "newestItem": entry.metadata.newestItem?.iso8601.json,
      "reasons": entry.isTroubled ? .array(reasons) : nil,
      "suggestedURL": entry.suggestedURL?.json,
    ])
  }
}

extension CatalogReport {
  private static let maxListed = 20

  @ReportBodyBuilder var body: ReportBody {
    if options.isOfPart {
      "\(options.subject), incomplete."
    } else {
      "\(options.subject), as of \(health.asOf.minute)."
    }
    for late in states.overdue { "Late: \(late)" }
    for note in notes { "\(note)" }
    if !allFeeds.isEmpty {
      numbers
      if let changes { Section("Since \(changes.since.minute)") { items(of: changes) } }
      Section("Look at these first") { first }
      if let drift {
        Section("Schema: what \(drift.file) would change") {
          ReportBody.first(Self.maxListed, of: drift.lines) { ListItem("\(ReadableNumber.shortened($0))") }
        }
      }
      Section("How this is counted") { "\(Self.accounting)" }
      Section("All feeds") { table }
    }
  }

  private var numbers: Table {
    let total = health.total
    let asOf = health.readersAsOf.map { "as of \($0.minute)" } ?? health.readersUnknown
    let counts =
      "\(total.feeds): \(total[.down]) down, \(total[.degraded]) degraded, \(total[.unknown]) not checked, \(total[.healthy]) healthy"
      + (retired.map { "; also \($0)" } ?? "")
    var facts: [(name: StyledText, value: StyledText)] = [
      ("Feeds", "\(counts)"),
      ("Subscriptions", "\(readers.map { ReadableNumber.grouped($0) } ?? "not counted yet"), \(asOf)"),
      ("Quality, median", "\(medianQuality.map(ReadableNumber.tenths) ?? "unknown")"),
      ("Schema", "\(ReadableNumber.shortened(drift?.words ?? "not compared"))"),
    ]
    if let articles = health.articlesSentence {
      facts.append(("Articles", "\(articles) by the last complete check"))
    }
    return Table(facts: facts)
  }

  @ReportBodyBuilder private func items(of changes: ReportChanges) -> ReportBody {
    if changes.isEmpty {
      "Nothing changed."
    } else {
      ReportBody.first(Self.maxListed, of: changes.moves) {
        ListItem("\(short($0.feed)): \($0.before.word) → \($0.feed.status.word)")
      }
      ReportBody.first(Self.maxListed, of: changes.new) {
        ListItem("new: \(short($0)), \($0.status.word)")
      }
      ReportBody.first(Self.maxListed, of: changes.retired) { ListItem("\(short($0)): \($0.retirement)") }
      ReportBody.first(Self.maxListed, of: changes.gone) { ListItem("no longer in the container: \($0)") }
      if let readers = changes.readers { ListItem("subscriptions: \(ReadableNumber.change(readers))") }
    }
  }

  private var first: Table {
    var table = Table(["feed", "state", "why", "what to do"].map { .init($0) })
    for (group, feed) in worstGroups {
      let name =
        group.feeds.count == 1 ? short(feed) : "\(states.name(of: group)): \(states.place(of: group))"
      let facts = [states.state(of: group), states.facts(of: group)].filter { !$0.isEmpty }
      let why =
        feed.entry.reasons.map { "\($0.code) \($0.explanation)" }
        + [states.detail(of: group)].compactMap(\.self)
      table.add(
        "\(name)", "\(facts.joined(separator: "; "))", "\(why.joined(separator: "; "))",
        "\(ReadableNumber.shortened(advice(for: feed.entry)))")
    }
    return table
  }

  @ReportBodyBuilder private var table: ReportBody {
    let columns = FeedColumn.all(of: self)
    let shown = allFeeds.prefix(options.rows ?? .max)
    Table(
      columns.map { Table.Column($0.title, $0.alignment) },
      rows: shown.map { feed in Table.Row(columns.map { $0.text(feed) }) })
    let left = allFeeds.count - shown.count
    if left > 0 { "and \(counted(left, "more feed")), \(lastFeeds(left))" }
  }

  private func short(_ feed: ReportedFeed) -> String { ReadableNumber.shortened(feed.title, to: 80) }
}
