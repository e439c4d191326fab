internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

struct MirrorReport: Report {
  private let path: String
  private let result: MirrorResult
  private let types: [MirroredType]

  private let requests: RequestCounts
  private let isGone: Bool

  /// - Parameter isGone: nothing was copied, and the file that the run made is not there any more.
  init(path: String, _ result: MirrorResult, _ requests: RequestCounts, isGone: Bool) {
    self.path = path
    self.requests = requests
    self.isGone = isGone
    self.result = result
    types = result.mark?.types ?? []
  }

  private var asOf: Timestamp? { result.mark?.asOf }
  private var behind: [MirroredType] { types.filter { $0.behind != nil || $0.asOf == nil } }
  private var isComplete: Bool { behind.isEmpty && (result.files?.missing ?? 0) == 0 }
  var isConfirmation: Bool { isComplete }
  var urgent: ReportBody? { body.troubles }
  var status: ExitStatus { failure?.status ?? (isComplete ? .done : .partial) }

  /// What the service did not show, if nothing else is missing and the key lacks the right to it, because then no run with
  /// this key completes the mirror; or if nothing was copied.
  var failure: CommandFailure? {
    let refusals = behind.compactMap { result.refusals[$0.name] }
    let isDenied =
      refusals.allSatisfy { $0.code == .accessDenied } && refusals.count == behind.count
      && (result.files?.missing ?? 0) == 0
    guard let first = refusals.first, isGone || isDenied else { return nil }
    var failure = CommandFailure(first)
    let which = refusals.count == 1 ? "" : "\(counted(refusals.count, "type")) cannot be read: "
    failure.message = which + failure.message + (isGone ? "; no file was written" : "")
    return failure
  }

  var tally: String? { "\(result.read) read, \(result.changed) changed, \(result.deleted) deleted" }

  private static let recordsFamily = MetricFamily(
    "mirror_records", "Records that the last run of a mirror read, changed and deleted")
  private static let behindFamily = MetricFamily(
    "mirror_types_behind", "Record types that the last run of a mirror could not bring up to date")
  private static let asOfFamily = MetricFamily(
    "mirror_as_of_timestamp_seconds", "The moment before which a mirror lacks no change")
  private static let missingFamily = MetricFamily(
    "mirror_missing_files", "Files of assets that a mirror lacks after a run with --assets")

  var metrics: [Metric] {
    let counts = [("read", result.read), ("changed", result.changed), ("deleted", result.deleted)]
    var metrics = counts.map { Metric(Self.recordsFamily, [.init("action", $0.0)], $0.1) }
    metrics.append(Metric(Self.behindFamily, behind.count))
    if let asOf { metrics.append(Metric(Self.asOfFamily, Double(asOf.milliseconds) / 1000)) }
    if let files = result.files { metrics.append(Metric(Self.missingFamily, files.missing)) }
    return metrics
  }

  var json: JSONValue {
    .object([
      "path": .string(path), "read": JSONValue(result.read), "changed": JSONValue(result.changed),
      "deleted": JSONValue(result.deleted), "asOf": asOf.map { .string($0.iso8601) },
      "complete": .bool(isComplete), "types": .array(types.map(\.json)),
      "aside": .array(
        result.aside.map { aside in
          [
            "recordType": .string(aside.recordType), "field": .string(aside.field),
            "values": JSONValue(aside.values),
          ]
        }),
      "unindexed": .array(result.unindexed.map(JSONValue.string)), "assets": result.files?.json,
      "requests": ["query": JSONValue(requests.query), "lookup": JSONValue(requests.lookup)],
    ])
  }

  var body: ReportBody {
    let state = isGone ? "nothing to keep" : asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
    "\(path): \(result.read) read, \(result.changed) changed, \(result.deleted) deleted, \(state)"
    for type in behind {
      let since = type.asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
      ListItem(
        .caution, "\(type.name) is behind (\(since)): \(type.behind ?? "its first copy has not ended")")
    }
    if let files = result.files {
      "\(counted(files.fetched, "file")) of assets fetched (\(files.bytes) bytes), \(files.missing) missing"
      if let reason = files.interruption { ListItem(.caution, "no further file was fetched: \(reason)") }
      for problem in files.problems {
        ListItem(.caution, "\(problem.recordType) \(problem.recordName): \(problem.reason)")
      }
    }
    for aside in result.aside {
      ListItem(
        .caution,
        "\(counted(aside.values, "value")) of \(aside.recordType).\(aside.field) kept aside: the schema does not fit them"
      )
    }
    if !result.unindexed.isEmpty {
      StyledText(
        "Without an index on the time of changes, the names of all records are read: add \"___modTime\" TIMESTAMP "
          + "QUERYABLE to \(result.unindexed.joined(separator: ", ")).", .dim)
    }
  }
}

extension MirroredFiles {
  fileprivate var json: JSONValue {
    .object([
      "fetched": JSONValue(fetched), "bytes": .integer(bytes), "missing": JSONValue(missing),
      "interruption": interruption.map(JSONValue.string),
      "problems": .array(
        problems.map { problem in
          [
            "recordType": .string(problem.recordType), "recordName": .string(problem.recordName),
            "reason": .string(problem.reason),
          ]
        }),
    ])
  }
}

extension MirroredType {
  fileprivate var json: JSONValue {
    .object([
      "recordType": .string(name), "asOf": asOf.map { .string($0.iso8601) },
      "deletionsAsOf": deletionsAsOf.map { .string($0.iso8601) }, "behind": behind.map(JSONValue.string),
    ])
  }
}
