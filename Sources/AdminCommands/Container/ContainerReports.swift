internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer

/// The report of `container info` for a local container: record counts and problems of the file.
struct ContainerFileReport: Report {
  let info: ContainerFileInfo
  /// See ``LocalStore/id``.
  let id: String?
  /// See ``LocalStore/incarnation``.
  let incarnation: String?
  /// `nil` when the file was not checked.
  let problems: [String]?

  var status: ExitStatus { problems?.isEmpty ?? true ? .done : .failed }

  var json: JSONValue {
    .object([
      "recordTypes": .array(info.counts.map(\.json)), "sizeBytes": .integer(info.size),
      "layoutVersion": JSONValue(info.layoutVersion), "sqliteVersion": .string(info.sqliteVersion),
      "checked": .bool(problems != nil), "problems": .array((problems ?? []).map(JSONValue.string)),
      "id": id.map(JSONValue.string), "incarnation": incarnation.map(JSONValue.string),
    ])
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let width = info.counts.map { String($0.records).count }.max() ?? 0
    let counts = info.counts.map { count -> PrintableText in
      "\(String(count.records).leftPadded(to: width))  \(count.recordType) (\(count.environment.rawValue))\n"
    }
    let verdict: PrintableText = problems?.isEmpty == true ? "no damage was found\n" : ""
    return counts.joined()
      + "\(info.size) bytes, layout \(info.layoutVersion), SQLite \(info.sqliteVersion)\n"
      + (id.map { "id \($0)\n" } ?? "") + verdict
      + PrintableText(lines: problems ?? [], indent: "\(style.red("✗")) ")
  }
}

extension ContainerFileInfo.Count {
  var json: JSONValue {
    [
      "environment": .string(environment.rawValue), "recordType": .string(recordType),
      "records": .integer(records),
    ]
  }
}

/// The report of `container info` for a CloudKit container: its record types, with counts if requested.
struct RecordTypeCountsReport: Report {
  /// A record type, with the number of its records.
  struct Entry: Sendable {
    let recordType: String
    /// `nil` when the records were not counted.
    let records: Int?
  }

  let environment: Environment
  let entries: [Entry]

  var json: JSONValue {
    [
      "recordTypes": .array(
        entries.map { entry in
          .object([
            "environment": .string(environment.rawValue), "recordType": .string(entry.recordType),
            "records": entry.records.map { JSONValue($0) },
          ])
        })
    ]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let width = entries.map { String($0.records ?? 0).count }.max() ?? 0
    let lines = entries.map { entry -> PrintableText in
      let number = entry.records.map { "\(String($0).leftPadded(to: width))  " } ?? ""
      return "\(number)\(entry.recordType) (\(environment.rawValue))\n"
    }
    let isCounted = entries.contains { $0.records != nil }
    return lines.joined()
      + (isCounted || entries.isEmpty
        ? "" : style.dim("--count counts them: a request for every 200 records\n"))
  }
}

/// The report of `container restore`: record counts before and after.
struct RestoreReport: Report {
  let path: String
  let before: ContainerFileInfo
  let after: ContainerFileInfo
  let isDryRun: Bool

  var isConfirmation: Bool { !isDryRun }

  var json: JSONValue {
    [
      "path": .string(path), "dryRun": .bool(isDryRun), "before": .array(before.counts.map(\.json)),
      "after": .array(after.counts.map(\.json)),
    ]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let verb = isDryRun ? "would replace" : "replaced"
    return
      "\(verb) \(counted(before.recordCount, "record")) by the \(counted(after.recordCount, "record")) of \(path)\n"
  }
}

extension ContainerFileInfo {
  var recordCount: Int64 { counts.reduce(0) { $0 + $1.records } }
}

extension CatalogVerifier.Result {
  /// The report of `container verify`. Its status says whether a finding has at least the given severity.
  func report(of container: String, failOn severity: Diagnostic.Severity) -> FindingsReport {
    let total = read.reduce(0) { $0 + $1.count }
    return FindingsReport(
      findings, inputs: [container],
      status: findings.contains { $0.severity >= severity } ? .findings : .done,
      summary: "\(counted(total, "record")) of \(counted(read.count, "type"))")
  }
}
