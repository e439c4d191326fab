internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth

/// The data that a report stores in its own file, so that a later report can be compared with it.
struct ReportSnapshot: Sendable, Hashable {
  /// The figures of one feed that a later report compares.
  struct Feed: Sendable, Hashable {
    var title: String
    var status: HealthStatus
    var readers: Int64?
    /// In tenths.
    var quality: Int64?
  }

  /// The totals of one report, for the line of readers over time.
  struct Total: Sendable, Hashable {
    var asOf: Timestamp
    var readers: Int64
  }

  /// Reports whose totals are kept, the latest.
  static let maxTotals = 60

  var asOf: Timestamp
  /// The container and environment.
  var subject: String
  /// By record name.
  var feeds: [String: Feed]
  /// Oldest first, this report's own last.
  var totals: [Total]
}

extension ReportSnapshot {
  static let version: Int64 = 1
  static let kind = "celestra-admin report"

  /// The feeds in the order of their record names, so that the same report has the same bytes.
  var json: JSONValue {
    let feeds = feeds.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, feed in
      JSONValue.array([
        .string(name), .string(feed.title), .string(feed.status.rawValue),
        feed.readers.map(JSONValue.integer) ?? .null, feed.quality.map(JSONValue.integer) ?? .null,
      ])
    }
    return [
      "kind": .string(Self.kind), "version": .integer(Self.version), "asOf": .integer(asOf.milliseconds),
      "subject": .string(subject), "feeds": .array(feeds),
      "totals": .array(totals.map { [.integer($0.asOf.milliseconds), .integer($0.readers)] }),
    ]
  }

  /// Throws when the value is not what ``json`` writes.
  init(_ json: JSONValue) throws(UnreadableReportError) {
    guard json["kind"]?.string == Self.kind else { throw .noReport }
    guard json["version"]?.integer == Self.version else { throw .otherVersion }
    guard let asOf = json["asOf"]?.integer, let subject = json["subject"]?.string,
      let feeds = json["feeds"]?.array, let totals = json["totals"]?.array
    else { throw .damaged }
    self.asOf = Timestamp(milliseconds: asOf)
    self.subject = subject
    self.feeds = [:]
    for feed in feeds {
      guard let row = feed.array, row.count == 5, let name = row[0].string, let title = row[1].string,
        let status = row[2].string.flatMap(HealthStatus.init)
      else { throw .damaged }
      self.feeds[name] = Feed(title: title, status: status, readers: row[3].integer, quality: row[4].integer)
    }
    self.totals = []
    for total in totals {
      guard let row = total.array, row.count == 2, let time = row[0].integer, let readers = row[1].integer
      else { throw .damaged }
      self.totals.append(Total(asOf: Timestamp(milliseconds: time), readers: readers))
    }
  }
}

/// The error for a file that is not a comparable report.
enum UnreadableReportError: Error, Sendable, Hashable, CustomStringConvertible {
  case noReport, otherVersion, damaged, withoutData

  var description: String {
    switch self {
    case .noReport: "it is not an HTML report of this tool"
    case .otherVersion: "another version of this tool wrote it"
    case .damaged: "the data in it is damaged"
    case .withoutData: "it contains no data for a comparison, because its size was limited"
    }
  }
}
