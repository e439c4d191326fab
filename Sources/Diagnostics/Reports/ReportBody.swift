/// What a report says to people, in order: lines, items of lists, tables, findings and sections of these. The renderers
/// make every format from it.
public struct ReportBody: Sendable, Hashable {
  /// One part of a report.
  enum Block: Sendable, Hashable {
    case line(StyledText)
    case item(ListItem)
    case table(Table)
    case findings([Diagnostic])
    case section(Section)
    /// A text of several lines that stays as it is, such as a schema.
    case document(String)
    case space
  }

  var blocks: [Block] = []

  public init() {}
  init(_ blocks: [Block]) { self.blocks = blocks }
  public init(@ReportBodyBuilder _ content: () -> ReportBody) { self = content() }

  public var isEmpty: Bool { blocks.isEmpty }
  package static func += (body: inout ReportBody, more: ReportBody) { body.blocks += more.blocks }
  package static func + (left: ReportBody, right: ReportBody) -> ReportBody {
    ReportBody(left.blocks + right.blocks)
  }

  /// A document that is printed as it is.
  public static func document(_ text: String) -> ReportBody { ReportBody([.document(text)]) }
}

/// An item of a list: what happened to something, and details below it.
public struct ListItem: Sendable, Hashable {
  /// The sign before an item.
  public enum Mark: String, Sendable, Hashable {
    case created = "+"
    case changed = "~"
    case removed = "-"
    case good = "✓"
    case caution = "!"
    case bad = "✗"
    case note = "·"

    var style: StyledText.Style {
      switch self {
      case .created, .good: .good
      case .changed, .caution: .caution
      case .removed, .bad: .bad
      case .note: .dim
      }
    }
  }

  let mark: Mark?
  let text: StyledText
  public let details: [StyledText]

  public init(_ text: StyledText, details: [StyledText] = []) { self.init(nil, text, details: details) }

  public init(_ mark: Mark?, _ text: StyledText, details: [StyledText] = []) {
    self.mark = mark
    self.text = text
    self.details = details
  }

  /// The same with more details below.
  package func adding(_ more: [StyledText]) -> ListItem { ListItem(mark, text, details: details + more) }
}

/// A heading with what belongs to it.
public struct Section: Sendable, Hashable {
  let heading: StyledText
  let body: ReportBody
  let folds: Bool

  /// - Parameter folds: whether a page shows only the heading of a long section at first.
  public init(
    _ heading: StyledText, folds: Bool = false, @ReportBodyBuilder _ content: () -> ReportBody
  ) {
    self.heading = heading
    self.folds = folds
    body = content()
  }
}

/// An empty line of a text.
public struct Space: Sendable {
  public init() {}
}

/// Makes a ``ReportBody`` of the values in a list of statements.
@resultBuilder
public enum ReportBodyBuilder {
  public static func buildExpression(_ line: StyledText) -> ReportBody { ReportBody([.line(line)]) }
  public static func buildExpression(_ line: StyledText?) -> ReportBody {
    ReportBody(line.map { [.line($0)] } ?? [])
  }
  public static func buildExpression(_ lines: [StyledText]) -> ReportBody {
    ReportBody(lines.map(ReportBody.Block.line))
  }
  public static func buildExpression(_ item: ListItem) -> ReportBody { ReportBody([.item(item)]) }
  public static func buildExpression(_ items: [ListItem]) -> ReportBody {
    ReportBody(items.map(ReportBody.Block.item))
  }
  /// A table without rows is left out.
  public static func buildExpression(_ table: Table) -> ReportBody {
    ReportBody(table.rows.isEmpty ? [] : [.table(table)])
  }
  public static func buildExpression(_ findings: [Diagnostic]) -> ReportBody {
    ReportBody(findings.isEmpty ? [] : [.findings(findings)])
  }
  /// A section without content is left out.
  public static func buildExpression(_ section: Section) -> ReportBody {
    ReportBody(section.body.isEmpty ? [] : [.section(section)])
  }
  public static func buildExpression(_ space: Space) -> ReportBody { ReportBody([.space]) }
  public static func buildExpression(_ body: ReportBody) -> ReportBody { body }
  /// A statement, such as one that adds to a table.
  public static func buildExpression(_ statement: Void) -> ReportBody { ReportBody() }
  public static func buildBlock(_ parts: ReportBody...) -> ReportBody { buildArray(parts) }
  public static func buildArray(_ parts: [ReportBody]) -> ReportBody { ReportBody(parts.flatMap(\.blocks)) }
  public static func buildOptional(_ body: ReportBody?) -> ReportBody { body ?? ReportBody() }
  public static func buildEither(first body: ReportBody) -> ReportBody { body }
  public static func buildEither(second body: ReportBody) -> ReportBody { body }
}

extension ReportBody {
  /// The first elements of a list, and a line with the number of the others.
  ///
  /// - Parameter total: of all, where `items` are only the first.
  public static func first<Item>(
    _ limit: Int, of items: some Collection<Item>, total: Int? = nil,
    @ReportBodyBuilder _ content: (Item) -> ReportBody
  ) -> ReportBody {
    var body = ReportBody()
    for item in items.prefix(limit) { body += content(item) }
    let hidden = (total ?? items.count) - min(limit, items.count)
    if hidden > 0 { body.blocks.append(.line("… and \(hidden) more")) }
    return body
  }
}
