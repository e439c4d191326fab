internal import Diagnostics
internal import FeedHealth
internal import FeedState

extension CatalogReport {
  private static let maxListed = 20

  @ReportBodyBuilder var body: ReportBody {
    "\(options.subject), as of \(health.asOf.minute)."
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
        "\(ReadableNumber.shortened(states.advice(for: feed.entry)))")
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
