import CloudKitModel
public import RecordChanges

/// A seed plan in readable form: grouped by category, with slugs and titles, and the old and new value of each
/// field.
///
/// Building it is pure, and so are its renderings ``text`` and ``markdown``.
public struct SeedChangelog: Sendable, Hashable {
  /// A heading with its entries.
  struct Section: Sendable, Hashable {
    var title: String
    var entries: [Entry]
  }

  /// One record, conflict or note.
  struct Entry: Sendable, Hashable {
    /// `+`, `~`, `-`, `!` or `·`.
    var mark: String
    var subject: String
    var detail: String
    /// Further lines, such as one a changed field.
    var lines: [String] = []
  }

  let target: String
  private(set) var sections: [Section]
  /// One line that holds the counts.
  public let summary: String
  /// `This plan deletes 104 of 104 feeds (100 %).`
  let deletions: String?

  public init(_ plan: SeedPlan) {
    let entries = ChangeEntries(plan: plan, fields: FieldChangeText(labels: plan.allLabels))
    target = "\(plan.target.name) (\(plan.target.environment.rawValue))"
    sections = CatalogRecordType.seeded.flatMap { recordType -> [Section] in
      let changes = plan.changes.filter { $0.recordType == recordType }
      let title = recordType.plural.capitalizedFirst
      guard recordType == CatalogRecordType.publicFeed else {
        return [Section(title: title, entries: entries.entries(changes))]
      }
      let groups = Dictionary(grouping: changes) { plan.categories[$0.recordName] ?? "" }
      return groups.keys.sorted().map { category in
        Section(
          title: category.isEmpty ? title : "\(title) in \(SanitizedText.line(category))",
          entries: entries.entries(groups[category] ?? []))
      }
    }
    sections.append(Section(title: "Conflicts", entries: plan.conflicts.map(\.entry)))
    sections.append(Section(title: "Notes", entries: SeedChangelog.noteEntries(plan.notes)))
    sections.removeAll { $0.entries.isEmpty }
    notes = SeedChangelog.noteEntries(plan.notes)
    unchanged = plan.unchanged
    summary = SeedChangelog.summary(of: plan)
    deletions = plan.deletionSummary.map { "This plan \($0)." }
  }

  /// The notes alone, which an apply repeats.
  let notes: [Entry]

  /// `1 created, 15 updated, 1 deleted in local:db.sqlite (development). 117 unchanged.`
  public func outcome(_ report: ChangeReport) -> String {
    let applied = report.results.filter { $0.outcome == .applied && !$0.change.isCompanion }.map(
      \.change.action)
    let counts = [(RecordChange.Action.create, "created"), (.update, "updated"), (.delete, "deleted")]
      .map { action, word in (applied.count { $0 == action }, word) }.filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }
    let unchanged = self.unchanged + report.alreadyApplied
    return (counts.isEmpty ? "Nothing was written" : counts.joined(separator: ", ")) + " in \(target)."
      + (unchanged > 0 ? " \(unchanged) unchanged." : "")
  }

  private let unchanged: Int

  /// The maximum number of notes, so that many records of other tools do not hide the changes.
  private static let notesShown = 20

  private static func noteEntries(_ notes: [SeedPlanNote]) -> [Entry] {
    let shown = notes.prefix(notesShown).map(\.entry)
    guard notes.count > notesShown else { return shown }
    let hidden = "\(notes.count - notesShown) more notes"
    return shown + [
      Entry(mark: "·", subject: hidden, detail: "are left out here; the JSON result has them all")
    ]
  }

  private static func summary(of plan: SeedPlan) -> String {
    if plan.isUpToDate {
      return plan.unchanged > 0
        ? "Already up to date: \(plan.unchanged) records are as declared."
        : "The plan holds no changes; nothing was compared."
    }
    let counts: [(Int, String)] = [
      (plan.count(.create), "to create"), (plan.count(.update), "to update"),
      (plan.count(.delete), "to delete"), (plan.unchanged, "unchanged"),
      (plan.conflicts.count, plan.conflicts.count == 1 ? "conflict" : "conflicts"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + "."
  }
}

extension SeedPlan {
  /// A saved plan has no ``labels``; take the names from its changes.
  fileprivate var allLabels: [String: String] {
    changes.reduce(into: labels) { labels, change in
      if let label = change.label { labels[change.recordName] = labels[change.recordName] ?? label }
    }
  }
}

/// Turns record changes into entries.
private struct ChangeEntries {
  let plan: SeedPlan
  let fields: FieldChangeText

  /// This many equal changes are shown as one entry.
  private static let equalChanges = 3

  func entries(_ changes: [RecordChange]) -> [SeedChangelog.Entry] {
    let all = changes.map { (change: $0, entry: entry($0)) }
    let groups = Dictionary(
      grouping: all.filter { $0.change.action == .update && !$0.entry.lines.isEmpty }, by: \.entry.lines)
    var shown: Set<[String]> = []
    return all.compactMap { item in
      guard item.change.action == .update, let group = groups[item.entry.lines],
        group.count >= Self.equalChanges
      else { return item.entry }
      guard shown.insert(item.entry.lines).inserted else { return nil }
      let names = group.map { SanitizedText.line($0.change.label ?? $0.change.recordName) }.joined(
        separator: ", ")
      return .init(
        mark: "~", subject: "\(group.count) \(item.change.recordType.plural)", detail: "",
        lines: item.entry.lines + [names])
    }
  }

  private func entry(_ change: RecordChange) -> SeedChangelog.Entry {
    let subject = "\(change.recordType.singular) \(SanitizedText.line(change.label ?? change.recordName))"
    return switch change.action {
    case .create: .init(mark: "+", subject: subject, detail: creation(change))
    case .delete: .init(mark: "-", subject: subject, detail: loss(change))
    case .update: update(change, subject)
    }
  }

  /// The subscribers who lose the record.
  private func loss(_ change: RecordChange) -> String {
    var parts: [String] = []
    if let readers = plan.readers[change.recordName] {
      let date = plan.readersAsOf.map { "counted \($0.iso8601.prefix(10))" } ?? "date of the count unknown"
      parts.append("\(readers) \(readers == 1 ? "reader" : "readers") (\(date))")
    }
    if let count = plan.memberships[change.recordName] {
      parts.append("in \(count) \(count == 1 ? "collection" : "collections")")
    }
    return parts.joined(separator: ", ")
  }

  private func creation(_ change: RecordChange) -> String {
    let text = { (field: String) in change.fields[field]?.to?.string }
    var parts = [text("title") ?? text("name")].compactMap { $0.map(SanitizedText.quoted) }
    if let url = text("feedURL") { parts.append(SanitizedText.line(url)) }
    if let feeds = change.fields["feeds"]?.to?.elements {
      parts.append("(\(feeds.count) \(feeds.count == 1 ? "feed" : "feeds"))")
    }
    return parts.joined(separator: " ")
  }

  private func update(_ change: RecordChange, _ subject: String) -> SeedChangelog.Entry {
    let editorial = change.fields
      .filter { FieldOwnership.owner(of: $0.key, in: change.recordType)?.isSetBySeeding != true }
      .sorted { $0.key < $1.key }
    if editorial.count == 1, editorial[0].key == "feeds", let order = fields.orderOnly(editorial[0].value) {
      return .init(mark: "~", subject: subject, detail: "(\(order))")
    }
    let foreign = plan.changedInContainer[change.recordName] ?? []
    let lines = editorial.map { name, value in
      fields.line(name, value)
        + (foreign.contains(name) ? "  (changed in the container since the last apply)" : "")
    }
    return .init(mark: "~", subject: subject, detail: "", lines: lines)
  }
}

extension PlanConflict {
  fileprivate var entry: SeedChangelog.Entry {
    .init(
      mark: "!", subject: "\(recordType.singular) \(slug)", detail: "left alone: \(reason)",
      lines: help.map { [$0] } ?? [])
  }
}

extension SeedPlanNote {
  fileprivate var entry: SeedChangelog.Entry {
    switch self {
    case .unmentioned(let recordType, let recordName, let label):
      .init(
        mark: "·", subject: "\(recordType.singular) \(SanitizedText.quoted(label))",
        detail: "(\(recordName)) is in the container but in no seed; it stays")
    case .moved(let move):
      .init(
        mark: "·", subject: "feed \(move.slug)",
        detail: "moves"
          + (move.readers > 0 ? ", keeps \(move.readers == 1 ? "1 reader" : "\(move.readers) readers")" : ""),
        lines: [
          "\(SanitizedText.line(move.from)) → \(SanitizedText.line(move.to)), because "
            + (move.evidence == .redirect
              ? "the old address redirects to the new one" : "title and host are the same"),
          "To pin it, add \"recordName\": \"\(move.recordName)\".",
        ])
    case .probablyMoved(let slug, let recordName, let label):
      .init(
        mark: "·", subject: "feed \(slug)",
        detail: "has a title or a host of \(SanitizedText.quoted(label)), which no seed mentions any more",
        lines: [
          "If its URL changed, give it \"recordName\": \"\(recordName)\" and it keeps its record and its "
            + "subscribers."
        ])
    }
  }
}

extension String {
  /// The word for records of this type in a sentence.
  var singular: String {
    switch self {
    case CatalogRecordType.feedCategory: "category"
    case CatalogRecordType.publicFeed: "feed"
    case CatalogRecordType.feedCollection: "collection"
    default: self
    }
  }

  var plural: String {
    self == CatalogRecordType.feedCategory ? "categories" : singular + "s"
  }

  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
