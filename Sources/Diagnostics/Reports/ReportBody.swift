/// What a report says to people, in order: lines, items of lists, tables, findings and sections of these. The renderers
/// make every format from it.
package struct ReportBody: Sendable, Hashable {
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

  package init() {}
  init(_ blocks: [Block]) { self.blocks = blocks }
  package init(@ReportBodyBuilder _ content: () -> ReportBody) { self = content() }

  package var isEmpty: Bool { blocks.isEmpty }
  package static func += (body: inout ReportBody, more: ReportBody) { body.blocks += more.blocks }
  package static func + (left: ReportBody, right: ReportBody) -> ReportBody {
    ReportBody(left.blocks + right.blocks)
  }

  package static let space = ReportBody([.space])
  package static func document(_ text: String) -> ReportBody { ReportBody([.document(text)]) }
  /// A section that is shown even without content.
  package static func section(_ section: Section) -> ReportBody { ReportBody([.section(section)]) }

  /// The findings, and the items that are marked as doubtful or bad.
  package var troubles: ReportBody {
    ReportBody(
      blocks.filter { block in
        switch block {
        case .findings: true
        case .item(let item): item.mark == .bad || item.mark == .caution
        default: false
        }
      })
  }

  /// The body with changed lines, items and advice; tables and documents stay as they are.
  package func mappingTexts(_ change: (String) -> String) -> ReportBody {
    ReportBody(
      blocks.map { block in
        switch block {
        case .line(let line): .line(line.mapped(change))
        case .item(let item):
          .item(
            ListItem(item.mark, item.text.mapped(change), details: item.details.map { $0.mapped(change) }))
        case .findings(let findings): .findings(findings.map { $0.mappingTexts(change) })
        case .section(let section):
          .section(
            Section(section.heading, folds: section.folds) { section.body.mappingTexts(change) })
        case .table, .document, .space: block
        }
      })
  }
}

package struct ListItem: Sendable, Hashable {
  package enum Mark: String, Sendable, Hashable {
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
  package let details: [StyledText]

  package init(_ text: StyledText, details: [StyledText] = []) { self.init(nil, text, details: details) }

  package init(_ mark: Mark?, _ text: StyledText, details: [StyledText] = []) {
    self.mark = mark
    self.text = text
    self.details = details
  }

  package func adding(_ more: [StyledText]) -> ListItem { ListItem(mark, text, details: details + more) }
}

package struct Section: Sendable, Hashable {
  let heading: StyledText
  let body: ReportBody
  let folds: Bool

  /// - Parameter folds: whether a page shows only the heading of a long section at first.
  package init(
    _ heading: StyledText, folds: Bool = false, @ReportBodyBuilder _ content: () -> ReportBody
  ) {
    self.heading = heading
    self.folds = folds
    body = content()
  }
}

@resultBuilder
package enum ReportBodyBuilder {
  package static func buildExpression(_ line: StyledText) -> ReportBody { ReportBody([.line(line)]) }
  package static func buildExpression(_ line: StyledText?) -> ReportBody {
    ReportBody(line.map { [.line($0)] } ?? [])
  }
  package static func buildExpression(_ lines: [StyledText]) -> ReportBody { .init(lines.map { .line($0) }) }
  package static func buildExpression(_ item: ListItem) -> ReportBody { ReportBody([.item(item)]) }
  package static func buildExpression(_ items: [ListItem]) -> ReportBody { .init(items.map { .item($0) }) }
  /// A table without rows is left out.
  package static func buildExpression(_ table: Table) -> ReportBody {
    ReportBody(table.rows.isEmpty ? [] : [.table(table)])
  }
  package static func buildExpression(_ findings: [Diagnostic]) -> ReportBody {
    ReportBody(findings.isEmpty ? [] : [.findings(findings)])
  }
  /// A section without content is left out.
  package static func buildExpression(_ section: Section) -> ReportBody {
    ReportBody(section.body.isEmpty ? [] : [.section(section)])
  }
  package static func buildExpression(_ body: ReportBody) -> ReportBody { body }
  /// A statement, such as one that adds to a table.
  package static func buildExpression(_ statement: Void) -> ReportBody { ReportBody() }
  package static func buildBlock(_ parts: ReportBody...) -> ReportBody { buildArray(parts) }
  package static func buildArray(_ parts: [ReportBody]) -> ReportBody { ReportBody(parts.flatMap(\.blocks)) }
  package static func buildOptional(_ body: ReportBody?) -> ReportBody { body ?? ReportBody() }
  package static func buildEither(first body: ReportBody) -> ReportBody { body }
  package static func buildEither(second body: ReportBody) -> ReportBody { body }
}

extension ReportBody {
  /// The first elements of a list, and a line with the number of the others.
  ///
  /// - Parameter total: of all, where `items` are only the first.
  package static func first<Item>(
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
