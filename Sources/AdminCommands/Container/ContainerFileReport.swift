internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer

/// The report of `container info` for a local container: record counts and problems of the file.
struct ContainerFileReport: Report {
  let info: ContainerFileInfo
  /// `nil` when the file was not checked.
  let problems: [String]?

  var status: ExitStatus { problems?.isEmpty ?? true ? .done : .failed }

  var json: JSONValue {
    [
      "recordTypes": .array(info.counts.map(\.json)), "sizeBytes": .integer(info.size),
      "layoutVersion": JSONValue(info.layoutVersion), "sqliteVersion": .string(info.sqliteVersion),
      "checked": .bool(problems != nil), "problems": .array((problems ?? []).map(JSONValue.string)),
    ]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let width = info.counts.map { String($0.records).count }.max() ?? 0
    let counts = info.counts.map { count -> PrintableText in
      "\(String(count.records).leftPadded(to: width))  \(count.recordType) (\(count.environment.rawValue))\n"
    }
    let verdict: PrintableText = problems?.isEmpty == true ? "no damage was found\n" : ""
    return counts.joined()
      + "\(info.size) bytes, layout \(info.layoutVersion), SQLite \(info.sqliteVersion)\n"
      + verdict + PrintableText(lines: problems ?? [], indent: "\(style.red("✗")) ")
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
