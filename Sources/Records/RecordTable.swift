internal import CloudKitModel
internal import Diagnostics

/// Renders records as a table: text for a terminal, or CSV for a spreadsheet (RFC 4180).
struct RecordTable {
  private let columns: [String]
  private let records: [Record]

  /// - Parameter columns: `nil` for every field that a record has, in alphabetical order.
  init(_ records: [Record], _ columns: [String]?) {
    self.records = records
    self.columns = columns ?? Set(records.flatMap(\.fields.keys)).sorted()
  }

  /// Characters of a cell that a terminal shows; the rest is cut off.
  private static let maxWidth = 60

  func text(_ style: TerminalStyle) -> PrintableText {
    guard !records.isEmpty else { return "" }
    let rows = records.map { record in
      [record.recordName] + columns.map { RecordTable.clipped(record.shownValue(of: $0)?.display ?? "") }
    }
    let head = ["recordName"] + columns
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    func line(_ row: [String]) -> String {
      var line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
    return style.bold("\(line(head))") + "\n" + rows.map { "\(line($0))\n" }.joined()
  }

  var csv: String {
    let head = ["recordName", "recordType"] + columns
    let rows = records.map { record in
      [record.recordName, record.recordType] + columns.map { record.shownValue(of: $0)?.cell ?? "" }
    }
    return ([head] + rows).map { $0.map(RecordTable.quoted).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func clipped(_ text: String) -> String {
    text.count > maxWidth ? text.prefix(maxWidth - 1) + "…" : text
  }

  /// A spreadsheet would run a cell that begins like a formula: such a cell gets an apostrophe before it. A number
  /// keeps its sign.
  private static func quoted(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r".contains($0) } == true && Double(text) == nil
    let text = isFormula ? "'" + text : text
    let isPlain = !text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
