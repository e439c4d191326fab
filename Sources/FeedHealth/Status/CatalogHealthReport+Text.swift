internal import CloudKitModel
public import Diagnostics
internal import FeedState

extension CatalogHealthReport {
  public func text(_ style: TerminalStyle) -> PrintableText {
    var text = health.feeds.isEmpty ? "The container has no feeds.\n\n" : table(style) + "\n"
    for group in health.troubledGroups { text += self.text(of: group, style) }
    if !health.troubled.isEmpty { text += "\n" }
    if !health.unchecked.isEmpty { text += uncheckedText + "\n" }
    if let refusedSentence { text += "\(style.yellow("!")) \(refusedSentence)\n" }
    for sentence in overdue { text += "\(style.yellow("!")) \(sentence)\n" }
    return text + ages.map { style.dim("\($0)") + "\n" }.joined()
  }

  private func text(of group: CatalogHealth.Group, _ style: TerminalStyle) -> PrintableText {
    let entry = group.feeds[0]
    let mark = entry.status == .down ? style.red("✗") : style.yellow("!")
    var text: PrintableText = "\(mark) \(name(of: group))  \(style.dim("\(place(of: group))"))\n"
    text += "    \(state(of: group))\n"
    let facts = facts(of: group)
    if !facts.isEmpty { text += "    \(facts)\n" }
    for reason in entry.reasons { text += "    \(reason.code) \(reason.explanation)\n" }
    if let detail = detail(of: group) { text += "    \(detail)\n" }
    return text + "    \(style.dim("\(advice(for: entry))"))\n"
  }

  private var uncheckedText: PrintableText {
    let feeds = health.unchecked
    let names = feeds.prefix(Self.maxListed).map { $0.title ?? $0.feedURL }
    let more = feeds.count > names.count ? " and \(feeds.count - names.count) more" : ""
    return "\(counted(feeds.count, "feed")) not checked yet: \(names.joined(separator: ", "))\(more)\n"
  }

  // MARK: Tables

  private static let columns = ["category", "feeds", "healthy", "degraded", "down", "not checked"]

  private func cells(_ count: CatalogHealth.Count, named name: String) -> [String] {
    [name] + [count.feeds, count[.healthy], count[.degraded], count[.down], count[.unknown]].map(String.init)
  }

  private var rows: [[String]] {
    let counts = health.counts
    let total = counts.count > 1 ? [cells(health.total, named: "all")] : []
    return counts.map { cells($0, named: $0.category ?? "(none)") } + total
  }

  private func table(_ style: TerminalStyle) -> PrintableText {
    let lines = [Self.columns] + rows
    let widths = Self.columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let texts = lines.map { line in
      zip(line, widths).enumerated().map { index, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return index == 0 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }
    return style.bold("\(texts[0])") + "\n" + PrintableText(lines: Array(texts.dropFirst()))
  }
}
