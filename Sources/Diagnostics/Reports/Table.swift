/// Rows of cells below titled columns. Every format prints all columns.
package struct Table: Sendable, Hashable {
  package struct Column: Sendable, Hashable {
    package enum Alignment: Sendable, Hashable { case left, right }

    package let title: String
    package let alignment: Alignment
    package let missing: String

    package init(_ title: String, _ alignment: Alignment = .left, missing: String = "unknown") {
      self.title = title
      self.alignment = alignment
      self.missing = missing
    }
  }

  /// The cells of one record, with what is said about it besides.
  package struct Row: Sendable, Hashable {
    let cells: [StyledText?]
    let details: [StyledText]

    /// - Parameter cells: one for each column; `nil` for a value that is missing.
    package init(_ cells: [StyledText?], details: [StyledText] = []) {
      self.cells = cells
      self.details = details
    }
  }

  package let columns: [Column]
  package var rows: [Row]
  /// False for facts, whose names are the first column.
  package let hasHead: Bool

  package init(_ columns: [Column], hasHead: Bool = true, rows: [Row] = []) {
    self.columns = columns
    self.hasHead = hasHead
    self.rows = rows
  }

  package init(facts: [(name: StyledText, value: StyledText)]) {
    self.init(
      [Column(""), Column("")], hasHead: false, rows: facts.map { Row([$0.name, $0.value]) })
  }

  package mutating func add(_ cells: StyledText?..., details: [StyledText] = []) {
    rows.append(Row(cells, details: details))
  }

  func cells(of row: Row) -> [StyledText] {
    zip(columns, row.cells).map { column, cell in cell ?? StyledText(column.missing, .dim) }
  }
}
