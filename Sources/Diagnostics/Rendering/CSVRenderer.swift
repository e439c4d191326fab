/// Renders the tables of a report for a spreadsheet (RFC 4180).
struct CSVRenderer: Sendable {
  func render(_ body: ReportBody) -> PrintableText {
    let tables = body.blocks.compactMap { if case .table(let table) = $0 { table } else { nil } }
    return PrintableText(document: tables.map(render).joined(separator: "\r\n"))
  }

  private func render(_ table: Table) -> String {
    let rows = table.rows.map { row in row.cells.map { $0?.plain ?? "" } }
    return ([table.columns.map(\.title)] + rows).map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }
      .joined()
  }

  /// A spreadsheet would run a cell that begins like a formula: such a cell gets an apostrophe before it. A number
  /// keeps its sign. A formula behind apostrophes gets one more, so that no two texts have the same cell.
  private static func quoted(_ text: String) -> String {
    let rest = text.unicodeScalars.drop { $0 == "'" }
    let isFormula = rest.first.map { "=+-@\t\r".unicodeScalars.contains($0) } == true && Double(text) == nil
    let text = isFormula ? "'" + text : text
    let isPlain = !text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
