internal import CloudKitModel
internal import Diagnostics

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
          var object: JSONObject = [
            "environment": .string(environment.rawValue), "recordType": .string(entry.recordType),
          ]
          object["records"] = entry.records.map { JSONValue($0) }
          return .object(object)
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
