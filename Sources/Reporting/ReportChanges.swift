internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
package import SchemaLanguage

struct ReportChanges: Sendable {
  let since: Timestamp
  /// The earlier report is about another container or environment.
  let otherSubject: String?
  /// Feeds with another status, the worst first.
  private(set) var moves: [(feed: ReportedFeed, before: HealthStatus?)] = []
  private(set) var new: [ReportedFeed] = []
  /// The retired feeds that the earlier report does not have as retired.
  private(set) var retired: [ReportedFeed] = []
  private(set) var gone: [String] = []
  /// Of the subscriptions to all feeds; `nil` when one of the reports has no counts.
  private(set) var readers: Int64?
  /// The feeds whose readers changed most, the largest change first.
  private(set) var movers: [ReportedFeed] = []

  var isEmpty: Bool {
    moves.isEmpty && new.isEmpty && retired.isEmpty && gone.isEmpty && movers.isEmpty && (readers ?? 0) == 0
  }

  init(since earlier: ReportSnapshot, to feeds: inout [ReportedFeed], subject: String) {
    since = earlier.asOf
    otherSubject = earlier.subject == subject ? nil : earlier.subject
    for index in feeds.indices {
      let before = earlier.feeds[feeds[index].entry.recordName]
      feeds[index].readersChange = Self.change(from: before?.readers, to: feeds[index].entry.readers)
      let feed = feeds[index]
      if feed.status == nil {
        if before == nil || before?.status != nil { retired.append(feed) }
      } else if let before {
        if before.status != feed.status { moves.append((feed, before.status)) }
      } else {
        new.append(feed)
      }
    }
    let names = Set(feeds.map(\.entry.recordName))
    gone = earlier.feeds.filter { !names.contains($0.key) }.map(\.value.title).sorted()
    let wasCounted = earlier.feeds.values.contains { $0.readers != nil }
    readers = Self.change(from: wasCounted ? earlier.totals.last?.readers : nil, to: feeds.readers)
    movers = feeds.filter { ($0.readersChange ?? 0) != 0 }.sorted {
      let (left, right) = (($0.readersChange ?? 0).magnitude, ($1.readersChange ?? 0).magnitude)
      return (right, $0.entry.recordName) < (left, $1.entry.recordName)
    }
  }

  private static func change(from before: Int64?, to after: Int64?) -> Int64? {
    guard let before, let after else { return nil }
    let (change, overflow) = after.subtractingReportingOverflow(before)
    return overflow ? nil : change
  }
}

/// The data that a report stores in its own file, so that a later report can be compared with it.
package struct ReportSnapshot: Sendable, Hashable {
  /// The figures of one feed that a later report compares.
  struct Feed: Sendable, Hashable {
    var title: String
    /// `nil` for a retired feed.
    var status: HealthStatus?
    var readers: Int64?
    /// In tenths.
    var quality: Int64?
  }

  struct Total: Sendable, Hashable {
    var asOf: Timestamp
    var readers: Int64
  }

  /// Reports whose totals are kept, the latest.
  static let maxTotals = 60

  var asOf: Timestamp
  var subject: String
  /// By record name.
  var feeds: [String: Feed]
  /// Oldest first, this report's own last.
  var totals: [Total]
}

extension ReportSnapshot {
  static let version: Int64 = 1
  static let kind = "celestra-admin report"
  private static let retired = "retired"
  private static let noReport = FileFormError("it is not an HTML report of this tool")
  private static let damaged = FileFormError("the data in it is damaged")

  /// The feeds in the order of their record names, so that the same report has the same bytes.
  var json: JSONValue {
    let feeds = feeds.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, feed in
      JSONValue.array([
        .string(name), .string(feed.title), .string(feed.status?.rawValue ?? Self.retired),
        feed.readers?.json ?? .null, feed.quality?.json ?? .null,
      ])
    }
    return [
      "kind": Self.kind.json, "version": Self.version.json, "asOf": asOf.milliseconds.json,
      "subject": subject.json, "feeds": .array(feeds),
      "totals": .array(totals.map { [.integer($0.asOf.milliseconds), .integer($0.readers)] }),
    ]
  }

  init(_ json: JSONValue) throws(FileFormError) {
    guard json["kind"]?.string == Self.kind else { throw Self.noReport }
    guard json["version"]?.integer == Self.version else {
      throw FileFormError("another version of this tool wrote it")
    }
    guard let asOf = json["asOf"]?.integer, let subject = json["subject"]?.string,
      let feeds = json["feeds"]?.array, let totals = json["totals"]?.array
    else { throw Self.damaged }
    self.asOf = Timestamp(milliseconds: asOf)
    self.subject = subject
    self.feeds = [:]
    for feed in feeds {
      guard let row = feed.array, row.count == 5, let name = row[0].string, let title = row[1].string,
        let word = row[2].string, case let status = HealthStatus(rawValue: word),
        status != nil || word == Self.retired
      else { throw Self.damaged }
      self.feeds[name] = Feed(title: title, status: status, readers: row[3].integer, quality: row[4].integer)
    }
    self.totals = []
    for total in totals {
      guard let row = total.array, row.count == 2, let time = row[0].integer, let readers = row[1].integer
      else { throw Self.damaged }
      self.totals.append(Total(asOf: Timestamp(milliseconds: time), readers: readers))
    }
  }
}

extension ReportSnapshot {
  /// Reads that of an earlier report from its file.
  ///
  /// Throws ``CommandFailure`` when the file is not a report with data in it.
  package init(_ page: [UInt8], name: String) throws {
    do {
      self = try Self.snapshot(in: page)
    } catch {
      throw CommandFailure(
        "cannot compare with \(name): \(error)", code: "not-a-report",
        hint: "Give the file that 'status --output FILE.html' wrote, or leave out --since.")
    }
  }

  /// The element that holds the data. No other text of a page can contain it: `<` is escaped.
  static let start: StaticString = "<script type=\"application/json\" id=\"report-data\">"
  static let end: StaticString = "</script>"

  private static func snapshot(in bytes: [UInt8]) throws(FileFormError) -> ReportSnapshot {
    guard let place = bytes.firstRange(of: Array(start.description.utf8)) else { throw Self.noReport }
    let rest = bytes[place.upperBound...]
    guard let end = rest.firstRange(of: Array(end.description.utf8)) else { throw Self.damaged }
    let data = Array(rest[..<end.lowerBound])
    let json: JSONValue
    do { json = try JSONValue(parsing: data) } catch { throw Self.damaged }
    guard !json.isNull else {
      throw FileFormError("it contains no data for a comparison, because its size was limited")
    }
    return try ReportSnapshot(json)
  }
}

/// The differences between a container's schema and the file that declares it.
package struct SchemaDrift: Sendable {
  let file: String
  /// What it would take to get from the container's schema to the file's, in the words of `schema diff`.
  let changes: [SchemaChange]

  package init(file: String, from container: Schema, to declared: Schema) {
    self.file = file
    changes = SchemaDiff.changes(from: container, to: declared)
  }

  /// The worst risk first, in the words of `schema diff`.
  var lines: [String] {
    let order: [SchemaChange.Risk] = [
      .dataLoss, .permissionWidening, .indexLoss, .permissionNarrowing, .none,
    ]
    return order.flatMap { risk in changes.filter { $0.risk == risk } }.map { change in
      let caution = change.caution.isEmpty ? "" : " (\(change.caution))"
      return "\(change.sign) \(change.heading): \(change.summary)\(caution)"
    }
  }

  var words: String {
    changes.isEmpty ? "as \(file) declares" : "\(counted(changes.count, "difference")) from \(file)"
  }
}
