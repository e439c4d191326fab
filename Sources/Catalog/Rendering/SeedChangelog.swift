import CloudKitModel
package import Diagnostics
package import RecordChanges

/// A seed plan in readable form: grouped by category, with slugs and titles, and the old and new value of each
/// field.
package struct SeedChangelog: Sendable {
  private let plan: SeedPlan
  private let isApplied: Bool
  private let fields: FieldChangeText

  /// - Parameter isApplied: whether the plan was applied: then its notes give no advice about applying it.
  package init(_ plan: SeedPlan, isApplied: Bool = false) {
    self.plan = plan
    self.isApplied = isApplied
    fields = FieldChangeText(labels: plan.allLabels, isForEditors: true)
  }

  var target: String { plan.target.inWords }

  @ReportBodyBuilder package var body: ReportBody {
    changes
    Section("Notes") { notes }
  }

  @ReportBodyBuilder var changes: ReportBody { for section in sections { section } }

  private var sections: [Section] {
    let types = CatalogRecordType.seeded + [CatalogRecordType.cloudFeed]
    return types.flatMap { recordType -> [Section] in
      let changes = plan.changes.filter { $0.recordType == recordType }
      let title: String = recordType.plural.prefix(1).uppercased() + recordType.plural.dropFirst()
      guard CatalogRecordType.feeds.contains(recordType) else {
        return [Section("\(title)") { entries(changes) }]
      }
      let groups = Dictionary(grouping: changes) { plan.categories[$0.recordName] ?? "" }
      return groups.keys.sorted().map { category in
        Section(category.isEmpty ? "\(title)" : "\(title) in \(category)") {
          entries(groups[category] ?? [])
        }
      }
    } + [
      Section("Deleted with them") { plan.cascadeEntries }, Section("Added values") { additions() },
      Section("Conflicts") { plan.conflicts.map(\.entry) },
    ]
  }

  /// What an apply repeats.
  var notes: ReportBody {
    ReportBody.first(Self.notesShown, of: plan.notes) { $0.entry(in: plan, isApplied: isApplied) }
  }

  @ReportBodyBuilder package var conclusion: ReportBody {
    "\(summary, .strong)"
    plan.deletionSummary.map { StyledText("This plan " + $0 + ".", .bad) }
  }

  /// `1 created, 15 updated, 1 deleted in local:db.sqlite (development). 117 unchanged.`
  package func outcome(_ report: ChangeReport) -> String {
    let applied = report.results.filter { $0.outcome == .applied }.map(\.change.action)
    let written = [(RecordChange.Action.create, "created"), (.update, "updated"), (.delete, "deleted")]
      .map { action, word in (applied.count { $0 == action }, word) }
    let counts = (written + [(report.unknown, ChangeReport.Outcome.unknown.explanation)])
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let unchanged = plan.unchanged + report.alreadyApplied
    return (counts.isEmpty ? "Nothing was written" : counts.joined(separator: ", ")) + " in \(target)."
      + (unchanged > 0 ? " \(unchanged) unchanged." : "")
  }

  /// The maximum number of notes, so that many records of other tools do not hide the changes.
  private static let notesShown = 20

  package var summary: String {
    if plan.isUpToDate {
      return plan.unchanged > 0
        ? "Already up to date: \(counted(plan.unchanged, "record")) \(plan.unchanged == 1 ? "is" : "are") as declared."
        : "The plan holds no changes; nothing was compared."
    }
    let additions = plan.changes.count(where: \.onlyAddsValues)
    let counts: [(Int, String)] = [
      (plan.count(.create), "to create"), (plan.count(.update) - additions, "to update"),
      (additions, additions == 1 ? "gets only an added value" : "get only added values"),
      (plan.count(.delete), "to delete"), (plan.unchanged, "unchanged"),
      (plan.conflicts.count, plan.conflicts.count == 1 ? "conflict" : "conflicts"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + "."
  }

  /// This many equal changes are shown as one entry.
  private static let equalChanges = 3

  private func entries(_ changes: [RecordChange]) -> [ListItem] {
    let all = changes.filter { !$0.onlyAddsValues }.map { (change: $0, entry: entry($0)) }
    let groups = Dictionary(
      grouping: all.filter { $0.change.action == .update && !$0.entry.details.isEmpty }, by: \.entry.details)
    var shown: Set<[StyledText]> = []
    return all.compactMap { item in
      guard item.change.action == .update, let group = groups[item.entry.details],
        group.count >= Self.equalChanges
      else { return item.entry }
      guard shown.insert(item.entry.details).inserted else { return nil }
      let names = group.map { $0.change.label ?? $0.change.recordName }.joined(
        separator: ", ")
      return ListItem(
        .changed, "\(group.count) \(item.change.recordType.plural)",
        details: item.entry.details + ["\(names)"])
    }
  }

  /// One line for each value that the tool adds to records, with their number.
  private func additions() -> [ListItem] {
    var counts: [String: (recordType: String, count: Int)] = [:]
    for change in plan.changes {
      for field in change.addedFields {
        guard let value = change.fields[field] else { continue }
        let text = field == "slug" ? "slug: none → the slug of the seed" : fields.line(field, value)
        counts[text, default: (change.recordType, 0)].count += 1
      }
    }
    return counts.sorted { $0.key < $1.key }.map { text, item in
      let noun = item.count == 1 ? item.recordType.singular : item.recordType.plural
      return ListItem(.changed, "\("\(item.count) \(noun)", .strong) \(text)")
    }
  }

  private func entry(_ change: RecordChange) -> ListItem {
    let subject = "\(change.recordType.singular) \(change.label ?? change.recordName)"
    return switch change.action {
    case .create: ListItem(.created, of: subject, creation(change))
    case .delete: ListItem(.removed, of: subject, loss(change))
    case .update: update(change, subject)
    }
  }

  private func loss(_ change: RecordChange) -> String {
    var parts: [String] = []
    if let readers = plan.readersText(change.recordName) { parts.append("loses \(readers)") }
    if let names = plan.memberships[change.recordName]?.sorted(), !names.isEmpty {
      let list = listed(names, upTo: 5)
      let isCategory = change.recordType == CatalogRecordType.feedCategory
      parts.append(
        isCategory
          ? "until now the category of \(list)" : "in the collection\(names.count == 1 ? "" : "s") \(list)")
    }
    return parts.joined(separator: ", ")
  }

  private func creation(_ change: RecordChange) -> String {
    let text = { (field: String) in change.fields[field]?.to?.string }
    var parts = [text("title") ?? text("name")].compactMap { $0.map(\.quoted) }
    if let url = text("feedURL") { parts.append(url) }
    if let feeds = change.fields["feeds"]?.to?.elements {
      parts.append("(\(feeds.count) \(feeds.count == 1 ? "feed" : "feeds"))")
    }
    if change.createsRetired {
      let replacement = (change.fields["replacedBy"]?.to?.reference?.recordName).map {
        ", replaced by \(plan.allLabels[$0] ?? $0)"
      }
      parts.append("(retired\(replacement ?? ""))")
    }
    return parts.joined(separator: " ")
  }

  private func update(_ change: RecordChange, _ subject: String) -> ListItem {
    let editorial = change.fields
      .filter {
        ![.seedAtCreation, .seedAtChange].contains(FieldOwnership.owner(of: $0.key, in: change.recordType))
          && !change.addedFields.contains($0.key)
      }
      .sorted { $0.key < $1.key }
    if editorial.count == 1, editorial[0].key == "feeds", let order = fields.orderOnly(editorial[0].value) {
      return ListItem(.changed, of: subject, "(\(order))\(mark(of: "feeds", change))")
    }
    let readers = change.retires ? plan.readersText(change.recordName) : nil
    let lines = editorial.map { name, value in fields.line(name, value) + mark(of: name, change) }
    return ListItem(.changed, of: subject, readers.map { "retires, keeps \($0)" } ?? "", lines)
  }

  /// Where the value that is replaced comes from, if it is not the last apply's; with two blanks before it.
  private func mark(of field: String, _ change: RecordChange) -> String {
    switch plan.origins[change.recordName]?[field] {
    case .reverted(let time):
      let when = time.map { ", where the record was changed last at \($0.iso8601)" } ?? ""
      return "  (the files have a value that was pulled, and the container has another one again\(when))"
    case .changed: return "  (changed in the container since the last apply)"
    case .otherRecord: return "  (the feed had another record before this one got its slug)"
    case .unseen: return "  (an apply of another clone or a change in the container may have set it)"
    case .unknown: return "  (not known from an apply of these seeds)"
    case .uncommitted: return "  (applied last from uncommitted seeds)"
    case nil: return ""
    }
  }
}

extension SeedPlan {
  /// A saved plan has no ``labels``; take the names from its changes.
  fileprivate var allLabels: [String: String] {
    changes.reduce(into: labels) { labels, change in
      if let label = change.label { labels[change.recordName] = labels[change.recordName] ?? label }
    }
  }

  /// `nil` for a record without readers.
  fileprivate func readersText(_ recordName: String) -> String? {
    guard let count = readers[recordName], count.mayHaveReaders else { return nil }
    return count.text(countedAt: readersAsOf.map { String($0.iso8601.prefix(10)) })
  }

  /// One entry a type: a feed may have thousands of articles.
  fileprivate var cascadeEntries: [ListItem] {
    cascades.map { type, count in
      ListItem(
        .removed, of: counted(count, "\(type) record"),
        count == 1 ? "refers to a deleted record" : "refer to deleted records",
        unrestorableTypes.contains(type)
          ? ["Users may create such records, so the history does not keep them and undo cannot restore them."]
          : [])
    }
  }
}

extension RecordChange {
  /// Fields of an existing record that it did not have, and that get what no editor wrote: the slug, or the default of
  /// a field that containers need only once it is used.
  fileprivate var addedFields: Set<String> {
    guard action == .update, let kind = SeedKind(recordType: recordType) else { return [] }
    return Set(
      SeedFields.celestra[kind].compactMap { row in
        guard row.need != .always, let field = row.recordField, let change = fields[field], change.from == nil
        else { return nil }
        return row.need == .never || change.to == row.stored(row.usual) ? field : nil
      })
  }

  fileprivate var onlyAddsValues: Bool { !addedFields.isEmpty && addedFields.count == fields.count }
}

extension PlanConflict {
  fileprivate var entry: ListItem {
    ListItem(.bad, of: "\(recordType.singular) \(slug)", "left alone: \(reason)", help.map { [$0] } ?? [])
  }
}

extension SeedPlanNote {
  fileprivate func entry(in plan: SeedPlan, isApplied: Bool) -> ListItem {
    switch self {
    case .unmentioned(let recordType, let recordName, let label, let slug):
      ListItem(
        .note, of: "\(recordType.singular) \(label.quoted)",
        "(\(slug ?? recordName)) is in the container but in no seed; it stays"
          + (isApplied || !CatalogRecordType.seeded.contains(recordType) ? "" : ", unless you add --prune"),
        (isApplied ? nil : plan.successor(of: recordName)).map {
          [
            "If '\($0)' is its new slug, give that \"recordName\": \"\(recordName)\", and it keeps its record."
          ]
        } ?? [])
    case .moved(let move):
      ListItem(
        .note, of: "feed \(move.slug)",
        "moves" + (plan.readersText(move.recordName).map { ", keeps \($0)" } ?? ""),
        ["\(move.from) → \(move.to), because \(move.reason)"]
          + move.advice(storesSlugs: !plan.notes.contains(.noSlugs), isApplied: isApplied))
    case .renamed(let slug, let from, _):
      ListItem(
        .note, of: "feed \(slug)",
        "keeps the record and the readers of \(from.quoted), its slug so far")
    case .deleted(let recordType, let slug, let formerNames):
      ListItem(
        .note, of: "\(recordType.singular) \(slug)",
        "was deleted in the container since it was applied, and \(isApplied ? "was" : "is") made again",
        formerNames.compactMap { name in
          plan.readersText(name).map {
            "The new record leaves \($0) behind."
              + (isApplied ? "" : " With \"recordName\": \"\(name)\" it keeps them.")
          }
        })
    case .noSlugs:
      ListItem(
        .note, of: "the schema of the container",
        "has no PublicFeed.slug, so feeds are found by their addresses",
        ["Apply the current schema, and each feed keeps its record by its slug."])
    case .probablyMoved(let slug, let recordName, let label):
      ListItem(
        .note, of: "feed \(slug)",
        "has a title or a host of \(label.quoted), which no seed mentions any more",
        (plan.readersText(recordName).map { ["That record has \($0)."] } ?? []) + [
          "If its URL changed, give it \"recordName\": \"\(recordName)\" and it keeps its record and its "
            + "subscribers."
        ])
    }
  }
}

extension ListItem {
  fileprivate init(_ mark: Mark, of subject: String, _ detail: String, _ lines: [String] = []) {
    self.init(
      mark, "\(subject, .strong)\(detail.isEmpty ? "" : " \(detail)")", details: lines.map { StyledText($0) })
  }
}

extension MovedFeed {
  fileprivate var reason: String {
    switch evidence {
    case .redirect: "the old address redirects to the new one"
    case .recordName: "the seed names the record"
    case .slug: "the record has this slug"
    case .title, .titleOnly, .host: "the title is the same, and so is the host of the feed or of the site"
    }
  }

  fileprivate func advice(storesSlugs: Bool, isApplied: Bool) -> [String] {
    if changesPublisher, readers.mayHaveReaders {
      return [isApplied ? "Its readers read the new address now." : "Its readers will read the new address."]
    }
    let isCertain = storesSlugs || evidence == .recordName
    return isCertain ? [] : ["To pin it, add \"recordName\": \"\(recordName)\"."]
  }
}

extension String {
  var singular: String {
    switch self {
    case CatalogRecordType.feedCategory: "category"
    case CatalogRecordType.publicFeed, CatalogRecordType.cloudFeed: "feed"
    case CatalogRecordType.feedCollection: "collection"
    default: self
    }
  }

  var plural: String { self == CatalogRecordType.feedCategory ? "categories" : singular + "s" }
}
