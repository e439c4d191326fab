/// Rows of cells below titled columns. Every format prints all columns.
public struct Table: Sendable, Hashable {
  /// A column with its title.
  public struct Column: Sendable, Hashable {
    /// On which side the cells are aligned; numbers end at the right.
    public enum Alignment: Sendable, Hashable { case left, right }

    public let title: String
    public let alignment: Alignment
    /// What a cell without a value says.
    public let missing: String

    public init(_ title: String, _ alignment: Alignment = .left, missing: String = "unknown") {
      self.title = title
      self.alignment = alignment
      self.missing = missing
    }
  }

  /// The cells of one record, with what is said about it besides.
  public struct Row: Sendable, Hashable {
    let cells: [StyledText?]
    let details: [StyledText]

    /// - Parameter cells: one for each column; `nil` for a value that is missing.
    public init(_ cells: [StyledText?], details: [StyledText] = []) {
      self.cells = cells
      self.details = details
    }
  }

  public let columns: [Column]
  public var rows: [Row]
  /// False for facts, whose names are the first column.
  public let hasHead: Bool

  public init(_ columns: [Column], hasHead: Bool = true, rows: [Row] = []) {
    self.columns = columns
    self.hasHead = hasHead
    self.rows = rows
  }

  /// Names with their values.
  public init(facts: [(name: StyledText, value: StyledText)]) {
    self.init(
      [Column(""), Column("")], hasHead: false, rows: facts.map { Row([$0.name, $0.value]) })
  }

  public mutating func add(_ cells: StyledText?..., details: [StyledText] = []) {
    rows.append(Row(cells, details: details))
  }

  /// The cells as they are printed.
  func cells(of row: Row) -> [StyledText] {
    zip(columns, row.cells).map { column, cell in cell ?? StyledText(column.missing, .dim) }
  }
}
