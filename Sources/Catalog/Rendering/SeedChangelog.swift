import CloudKitModel
import RecordChanges

/// A seed plan told as an editor would tell it: grouped, in slugs and titles, with what each field was and is.
///
/// Building it is pure, and so are its renderings ``text`` and ``markdown``.
public struct SeedChangelog: Sendable, Hashable {
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
    let entries = ChangeEntries(fields: FieldChangeText(labels: plan.allLabels))
    target = "\(plan.target.name) (\(plan.target.environment.rawValue))"
    sections = CatalogRecordType.seeded.map { recordType in
      Section(
        title: recordType.plural.capitalizedFirst,
        entries: plan.changes.filter { $0.recordType == recordType }.map(entries.entry))
    }
    sections.append(Section(title: "Conflicts", entries: plan.conflicts.map(\.entry)))
    sections.append(Section(title: "Notes", entries: SeedChangelog.noteEntries(plan.notes)))
    sections.removeAll { $0.entries.isEmpty }
    summary = SeedChangelog.summary(of: plan)
    deletions = plan.deletionSummary.map { "This plan \($0)." }
  }

  /// A container full of records that others look after must not bury the changes.
  private static let notesShown = 20

  private static func noteEntries(_ notes: [SeedNote]) -> [Entry] {
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
      (plan.count(.delete), "to remove"), (plan.unchanged, "unchanged"),
      (plan.conflicts.count, plan.conflicts.count == 1 ? "conflict" : "conflicts"),
    ]
    return counts.filter { $0.0 > 0 || $0.1 == "to remove" }.map { "\($0.0) \($0.1)" }
      .joined(separator: ", ") + "."
  }
}

extension SeedPlan {
  /// A saved plan keeps no ``labels``, but its changes know what their own records are called.
  fileprivate var allLabels: [String: String] {
    changes.reduce(into: labels) { labels, change in
      if let label = change.label { labels[change.recordName] = labels[change.recordName] ?? label }
    }
  }
}

/// Turns record changes into entries.
private struct ChangeEntries {
  let fields: FieldChangeText

  func entry(_ change: RecordChange) -> SeedChangelog.Entry {
    let subject = "\(change.recordType.singular) \(PlainText.line(change.label ?? change.recordName))"
    return switch change.action {
    case .create: .init(mark: "+", subject: subject, detail: creation(change))
    case .delete: .init(mark: "-", subject: subject, detail: "(\(change.recordName))")
    case .update: update(change, subject)
    }
  }

  private func creation(_ change: RecordChange) -> String {
    let text = { (field: String) in change.fields[field]?.to?.string }
    var parts = [text("title") ?? text("name")].compactMap { $0.map(PlainText.quoted) }
    if let url = text("feedURL") { parts.append(PlainText.line(url)) }
    if let feeds = change.fields["feeds"]?.to?.elements {
      parts.append("(\(feeds.count) \(feeds.count == 1 ? "feed" : "feeds"))")
    }
    return parts.joined(separator: " ")
  }

  private func update(_ change: RecordChange, _ subject: String) -> SeedChangelog.Entry {
    let editorial = change.fields
      .filter { FieldOwnership.owner(of: $0.key, in: change.recordType) == .editorial }
      .sorted { $0.key < $1.key }
    if editorial.count == 1, editorial[0].key == "feeds", let order = fields.orderOnly(editorial[0].value) {
      return .init(mark: "~", subject: subject, detail: "(\(order))")
    }
    return .init(
      mark: "~", subject: subject, detail: "", lines: editorial.map { fields.line($0.key, $0.value) })
  }
}

extension SeedConflict {
  fileprivate var entry: SeedChangelog.Entry {
    .init(
      mark: "!", subject: "\(recordType.singular) \(slug)", detail: "left alone: \(reason)",
      lines: help.map { [$0] } ?? [])
  }
}

extension SeedNote {
  fileprivate var entry: SeedChangelog.Entry {
    switch self {
    case .unmentioned(let recordType, let recordName, let label):
      .init(
        mark: "·", subject: "\(recordType.singular) \(PlainText.quoted(label))",
        detail: "(\(recordName)) is in the container but in no seed; it stays")
    case .probablyMoved(let slug, let recordName, let label):
      .init(
        mark: "·", subject: "feed \(slug)",
        detail: "looks like \(PlainText.quoted(label)), which no seed mentions any more",
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
