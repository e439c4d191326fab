import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges

extension CatalogWorld {
  private static let jobFields: Set<String> = [
    "subscriberCount", "qualityScore", "updateFrequency", "lastVerified",
  ]

  /// (c) The history shows what the run wrote, and the counts of a run that says it is done are those of the records.
  ///
  /// - Parameter report: what the run said; `nil` for one that was killed.
  func checkHistory(of run: String, _ report: ChangeReport?) throws {
    let written = Dictionary(
      log.entries(by: run).map { ($0.recordName, $0.action) }, uniquingKeysWith: { first, _ in first })
    let found: RunRecord
    do { found = try history.run(run) } catch is UnknownRunError {
      return try require("c", written.isEmpty, "\(run) wrote \(written.keys.sorted()) without a history")
    }
    for name in written.keys.sorted() {
      let entries = found.entries.filter { $0.change.recordName == name }
      try require(
        "c", entries.contains { [.written, .unknown].contains($0.outcome) },
        "\(run) wrote \(name), and its history says \(entries.map(\.outcome))")
    }
    guard let report else { return }
    // To delete a record that another client just deleted succeeds.
    for entry in found.entries where entry.outcome == .written && entry.change.action != .delete {
      try require(
        "c", written[entry.change.recordName] != nil,
        "the history of \(run) says that it wrote \(entry.change.recordName)")
    }
    guard report.isComplete else { return }
    let counts = found.counts
    try require(
      "c",
      counts.created == written.values.count { $0 == .create }
        && counts.updated == written.values.count { $0 == .update }
        && counts.deleted >= written.values.count { $0 == .delete },
      "\(run) says \(counts) and \(report.applied) applied, and wrote \(written)")
  }

  /// (a) What another client writes while a run works is not written over.
  func checkWrites(of run: String, _ changes: [RecordChange], since plan: Int) throws {
    let changes = Dictionary(changes.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in log.entries(by: run) {
      guard let change = changes[entry.recordName] else {
        throw ModelViolation("(c) \(run) wrote \(entry.recordName), which its plan does not name")
      }
      for write in entry.fields where change.action == .update {
        try require(
          "a", (write.previous?.tick ?? 0) <= plan || write.from == change.fields[write.field]?.from,
          "\(run) wrote over the \(write.field) of \(entry.recordName) that \(write.previous?.writer ?? "?") wrote meanwhile"
        )
      }
      try require(
        "d", entry.recordType != "FeedSubscription", "\(run) wrote the subscription \(entry.recordName)")
    }
  }

  /// (c) Every intended value is in the container, unless somebody changed it since.
  func checkValues(of changes: [RecordChange], written run: String) throws {
    for change in changes {
      let record = log.records[change.recordName]
      if change.action == .delete {
        // An editor's write may have made it again.
        let isRemade = record.map { record in
          record.fields.isEmpty
            || record.fields.keys.contains {
              log.origin(change.recordName, $0)?.writer.hasPrefix("editor") == true
            }
        }
        try require(
          "c", isRemade ?? true, "\(run) is done, and \(change.recordName) still exists")
      } else {
        for (field, value) in change.fields where record?[field] != value.to {
          let origin = log.origin(change.recordName, field)
          try require(
            "c", origin?.writer.hasPrefix("editor") == true,
            "\(run) is done, and the \(field) of \(change.recordName) is \(String(describing: record?[field]))"
          )
        }
      }
    }
  }

  /// The values of the seeds are in the one record that has the feed's address.
  func checkCatalog(_ plan: SeedPlan) throws {
    let unmentioned = Set(
      plan.notes.compactMap { if case .unmentioned(_, let name, _, _) = $0 { name } else { nil } })
    let feeds = records("PublicFeed")
    for seed in catalog.feeds {
      // A run that was refused in part may have left a record of a seed that was removed since.
      let found = feeds.filter { record in
        record["feedURL"]?.string == seed.feedURL && !unmentioned.contains(record.recordName)
      }
      try require("values", found.count == 1, "\(found.count) records have the address of \(seed.slug)")
      guard let record = found.first else { continue }
      let category = record["category"]?.reference.flatMap { log.records[$0.recordName]?["slug"]?.string }
      let replacement = record["replacedBy"]?.reference.flatMap {
        log.records[$0.recordName]?["feedURL"]?.string
      }
      let replacing = seed.replacedBy.flatMap { slug in catalog.feeds.first { $0.slug == slug }?.feedURL }
      let isSame =
        record["title"]?.string == seed.title && record["subtitle"]?.string == seed.values["subtitle"]?.string
        && record["siteURL"]?.string == seed.siteURL && category == seed.category
        && (record["tags"]?.elements?.compactMap(\.string) ?? []) == seed.tags
        && record["isFeatured"]?.flag == (seed.values["isFeatured"] == true && !seed.isRetired)
        && (record["isRetired"]?.flag ?? false) == seed.isRetired && replacement == replacing
      try require("values", isSame, "\(seed.slug) is \(seed.values), and its record has \(record.fields)")
    }
    for collection in catalog.collections {
      let name = collection.recordName ?? CatalogRecordNames.collection(slug: collection.slug)
      let listed = log.records[name]?["feeds"]?.elements?.compactMap {
        $0.reference.flatMap { log.records[$0.recordName]?["feedURL"]?.string }
      }
      let wanted = collection.feeds.compactMap { slug in catalog.feeds.first { $0.slug == slug }?.feedURL }
      try require("values", listed ?? [] == wanted, "\(collection.slug) lists \(listed ?? []), not \(wanted)")
    }
  }

  // MARK: Readers

  /// (d) The feed that a subscription belongs to keeps its address and its record, unless the plan names it.
  func checkReaders(_ before: [String: Record], _ plan: SeedPlan, _ run: String) throws {
    let subscriptions = before.filter { $0.value.recordType == "FeedSubscription" }
    try require(
      "d", log.records.filter { $0.value.recordType == "FeedSubscription" } == subscriptions,
      "\(run) changed subscriptions")
    let readers = Dictionary(
      subscriptions.values.map { ($0["feedRecordName"]?.string ?? "", 1) }, uniquingKeysWith: +)
    for entry in log.entries(by: run)
    where entry.recordType == "PublicFeed" && readers[entry.recordName] != nil {
      if entry.action == .delete {
        try require(
          "d", plan.riskNames.contains("subscriber-loss"),
          "\(run) deletes \(entry.recordName), which has \(readers[entry.recordName] ?? 0) readers, without subscriber-loss"
        )
      }
      guard entry.action == .update, let move = entry.fields.first(where: { $0.field == "feedURL" }),
        move.from != nil
      else {
        continue
      }
      try require(
        "d",
        plan.namesMove(of: entry.recordName, from: move.from?.string, to: move.to?.string),
        "\(run) moves \(readers[entry.recordName] ?? 0) readers of \(entry.recordName) from \(move.from?.string ?? "") to \(move.to?.string ?? "") and does not say so: notes \(plan.notes), risks \(plan.riskNames)"
      )
    }
    // A seed that leaves the record of its readers.
    for (name, record) in before where readers[name] != nil && record.recordType == "PublicFeed" {
      // An editor may have moved the record after it was planned.
      guard let now = log.records[name],
        now["feedURL"] == record["feedURL"] || log.origin(name, "feedURL")?.writer == run
      else { continue }
      let isSeeded = catalog.feeds.contains {
        $0.recordName == name || $0.feedURL == log.records[name]?["feedURL"]?.string
      }
      try require(
        "d", isSeeded || plan.names(name) || !plan.conflicts.isEmpty,
        "\(run) leaves the readers of \(name) behind, and the plan does not name it")
    }
  }

  // MARK: Undo

  /// (a) and (h) An undo changes what its run wrote, and nothing that somebody wrote since.
  func checkUndo(_ undo: String, of run: String, _ changes: [RecordChange]) throws {
    let own = try ownValues(of: run)
    // What a health check knows about a feed goes before the feed.
    let deleted = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    for entry in log.entries(by: undo) {
      if entry.recordType == "FeedMetadata", entry.action == .delete,
        entry.fields.contains(where: { $0.from?.reference.map { deleted.contains($0.recordName) } ?? false })
      {
        continue
      }
      for write in entry.fields {
        if entry.action == .delete, Self.jobFields.contains(write.field) { continue }
        let isOwn = (own[entry.recordName]?[write.field] ?? [nil]).contains { $0.isSame(write.from) }
        try require(
          "a", write.previous?.writer == run || isOwn,
          "\(undo) changed the \(write.field) of \(entry.recordName) from \(String(describing: write.from)), which \(write.previous?.writer ?? "nobody") wrote, not \(run)"
        )
      }
    }
  }

  /// The values that a run wrote, and those that it may have written when it ended before it knew: a value cannot say who
  /// wrote it.
  private func ownValues(of run: String) throws -> [String: [String: [FieldValue?]]] {
    var values: [String: [String: [FieldValue?]]] = [:]
    for entry in log.entries(by: run) {
      for write in entry.fields {
        values[entry.recordName, default: [:]][write.field, default: []].append(write.to)
      }
    }
    let entries: [RunRecord.Entry]
    do { entries = try history.run(run).entries } catch is UnknownRunError { entries = [] }
    for entry in entries where [.written, .unknown].contains(entry.outcome) {
      let name = entry.change.recordName
      for (field, change) in entry.change.fields {
        values[name, default: [:]][field, default: []].append(change.to)
      }
      for field in (entry.before ?? [:]).keys where entry.change.action == .delete {
        values[name, default: [:]][field, default: []].append(nil)
      }
    }
    return values
  }

  /// (b) What nobody changed since has its value from before the run, or the undo says why not.
  func checkUndone(_ run: String) async throws {
    let history = try history
    var skipped: [UndoPlan.Skip] = []
    do {
      skipped = try await UndoPlanner(container: container, schema: schema, rules: .catalog)
        .plan(run, in: history).skipped
    } catch UndoError.irreversible {} catch is UnknownRunError {}
    var seen: Set<[String]> = []
    for entry in log.entries(by: run) {
      for write in entry.fields where seen.insert([entry.recordName, write.field]).inserted {
        guard log.origin(entry.recordName, write.field)?.writer == run,
          log.records[entry.recordName]?[write.field] != write.from
        else { continue }
        try require(
          "b",
          skipped.contains {
            $0.recordName == entry.recordName && ($0.field == nil || $0.field == write.field)
          },
          "nothing of \(run) is left to undo, and it still stands in the \(write.field) of \(entry.recordName)"
        )
      }
    }
    for skip in skipped {
      try require(
        "b", isJustified(skip, run),
        "undo of \(run) keeps \(skip.recordName) \(skip.field ?? ""): \(skip.reason)")
    }
  }

  private func isJustified(_ skip: UndoPlan.Skip, _ run: String) -> Bool {
    let own = log.entries(by: run).filter { $0.recordName == skip.recordName }
    let fields =
      skip.field.map { [$0] } ?? Array(log.records[skip.recordName]?.fields.keys.map(\.self) ?? [])
      + own.flatMap { $0.fields.map(\.field) }
    let isForeign = fields.contains { log.origin(skip.recordName, $0).map { $0.writer != run } ?? false }
    if isForeign { return true }
    let isReferredTo = log.records.values.contains { record in
      record.fields.values.contains { $0.names(skip.recordName) }
    }
    let names = own.flatMap(\.fields).compactMap(\.from).flatMap(\.referredTo)
    return isReferredTo || names.contains { log.records[$0] == nil }
  }
}

extension FieldValue? {
  /// No value and an empty list are the same.
  fileprivate func isSame(_ other: FieldValue?) -> Bool {
    self == other
      || (self?.elements ?? []).isEmpty && (other?.elements ?? []).isEmpty && (self ?? other)?.elements != nil
        && (other ?? self)?.elements != nil
  }
}

extension FieldValue {
  fileprivate var referredTo: [String] {
    (reference.map { [$0.recordName] } ?? []) + (elements ?? []).compactMap { $0.reference?.recordName }
  }

  fileprivate func names(_ record: String) -> Bool { string == record || referredTo.contains(record) }
}

extension SeedPlan {
  /// Whether the plan says that the readers of a record get another address.
  fileprivate func namesMove(
    of name: String, from: String?, to: String?
  ) -> Bool {
    guard
      from.flatMap({ WebAddress($0)?.host }) == to.flatMap({ WebAddress($0)?.host }) || seesRedirect(of: name)
    else { return riskNames.contains("readers-move") }
    for case .moved(let move) in notes where move.recordName == name && move.to == to { return true }
    return false
  }

  /// Whether a feed gets the address to which, as a health check saw, its old one redirects.
  func seesRedirect(of name: String) -> Bool {
    for case .moved(let move) in notes where move.recordName == name && move.evidence == .redirect {
      return true
    }
    return false
  }

  fileprivate func names(_ record: String) -> Bool {
    notes.contains { note in
      switch note {
      case .unmentioned(_, let name, _, _): name == record
      case .probablyMoved(_, let name, _): name == record
      case .deleted(_, _, let names): names.contains(record)
      case .moved(let move): move.recordName == record
      case .renamed(_, _, let name): name == record
      case .noSlugs: false
      }
    } || changes.contains { $0.recordName == record }
  }
}
