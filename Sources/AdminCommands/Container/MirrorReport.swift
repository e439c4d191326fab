internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

/// The report of `container backup` for a CloudKit container.
struct MirrorReport: Report {
  private let path: String
  private let result: MirrorResult
  private let types: [MirroredType]

  private let requests: RequestCounts

  init(path: String, _ result: MirrorResult, _ requests: RequestCounts) {
    self.path = path
    self.requests = requests
    self.result = result
    types = result.mark?.types ?? []
  }

  private var asOf: Timestamp? { result.mark?.asOf }
  private var behind: [MirroredType] { types.filter { $0.behind != nil || $0.asOf == nil } }
  var isConfirmation: Bool { behind.isEmpty }
  var status: ExitStatus { behind.isEmpty ? .done : .partial }

  var json: JSONValue {
    .object([
      "path": .string(path), "read": JSONValue(result.read), "changed": JSONValue(result.changed),
      "deleted": JSONValue(result.deleted), "asOf": asOf.map { .string($0.iso8601) },
      "complete": .bool(behind.isEmpty), "types": .array(types.map(\.json)),
      "aside": .array(
        result.aside.map { aside in
          [
            "recordType": .string(aside.recordType), "field": .string(aside.field),
            "values": JSONValue(aside.values),
          ]
        }),
      "unindexed": .array(result.unindexed.map(JSONValue.string)),
      "requests": ["query": JSONValue(requests.query), "lookup": JSONValue(requests.lookup)],
    ])
  }

  var body: ReportBody {
    let state = asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
    "\(path): \(result.read) read, \(result.changed) changed, \(result.deleted) deleted, \(state)"
    for type in behind {
      let since = type.asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
      ListItem(
        .caution, "\(type.name) is behind (\(since)): \(type.behind ?? "its first copy has not ended")")
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

extension MirroredType {
  fileprivate var json: JSONValue {
    .object([
      "recordType": .string(name), "asOf": asOf.map { .string($0.iso8601) },
      "deletionsAsOf": deletionsAsOf.map { .string($0.iso8601) }, "behind": behind.map(JSONValue.string),
    ])
  }
}
