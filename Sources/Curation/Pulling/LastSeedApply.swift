package import Catalog
package import CloudKitModel
package import Diagnostics
package import RecordChanges

/// The seeds that were applied last, as the job's lease record remembers them: a git revision, the entries that could not
/// be applied with it, and what was written since from uncommitted seeds (Documentation/reference/curation.md#pulling).
package struct LastSeedApply: Sendable, Hashable {
  /// `nil` if no record has it, as in a container with an older schema, or if the key may not read it.
  private(set) var revision: String?
  /// The revision with which an entry was applied last, by kind and slug; empty if that is unknown.
  private var exceptions: [String: String] = [:]
  private var last: LastJobRun?
  /// The revisions that were applied before it, the last one first: at most 10, of which nothing else came between two.
  private(set) var formers: [String] = []
  /// The revisions of saved plans that were applied after it and did not know it. ``exceptions`` has what they wrote.
  private(set) var later: [String] = []

  /// Whether there was another apply, pull or undo between the last of ``formers`` and ``revision``.
  private let isFormerOlder: Bool
  /// Whether only ``revision`` was applied after ``formers``.
  var knowsFormer: Bool { !isFormerOlder && later.isEmpty }

  private static let formerMember = "revisionBefore"
  private static let olderMember = "revisionBeforeIsOlder"
  private static let laterMember = "appliedAfter"
  private static let member = "appliedBefore"
  /// The entries that are remembered, at most, so that the lease record stays small.
  private static let limit = 2_000

  /// Seeds that were applied as a whole.
  init(revision: String?) {
    self.revision = revision
    isFormerOlder = false
  }

  package init(_ last: LastJobRun?) {
    self.last = last
    // Others can write to the container: only ids of git are used.
    revision = (last?.revision).flatMap(AppliedRevision.init)?.description
    let former = last?.result[Self.formerMember]
    formers = (former?.string.map { [$0] } ?? former?.strings ?? []).filter { AppliedRevision($0) != nil }
    isFormerOlder = last?.result[Self.olderMember] == true
    later = (last?.result[Self.laterMember]?.strings ?? []).compactMap { AppliedRevision($0)?.description }
    for (key, earlier) in last?.result[Self.member]?.object?.members ?? [] {
      exceptions[key] = earlier.string.flatMap(AppliedRevision.init)?.description ?? ""
    }
  }

  /// The revision that an entry was applied with last.
  func revision(of key: String) -> String? { exceptions[key] ?? revision }
  /// The revisions that single entries were applied with last.
  var earlierRevisions: Set<String> { Set(exceptions.values).subtracting([""]) }
  /// The values that were pulled since, or written from uncommitted seeds.
  var values: AgreedValues { AgreedValues(in: last) }
  /// Whether seeds were applied at all, as far as the container says.
  var exists: Bool { last != nil }

  /// What changes with each apply, pull and undo.
  private var basis: JSONObject { ["commits": commits.json, "result": last?.resultDigest.json] }

  /// ``SeedPlan/basis``; `nil` where the record cannot be read: nothing that it has then is later than the plan.
  package static func basis(in container: any Container) async -> JSONObject? {
    do { return LastSeedApply(try await LastJobRun.last(of: .seed, in: container)).basis } catch {
      return nil
    }
  }

  /// Whether two revisions have one commit. A shallow clone does not name the tree.
  private static func isSame(_ revision: String, _ other: String?) -> Bool {
    revision.prefix { $0 != " " } == other?.prefix { $0 != " " }
  }

  private var commits: [String] { (revision.map { [$0] } ?? []) + later }

  /// The last commit that the saved plan did not know, because it was applied after the plan was made; `nil` without one.
  package func unknownCommit(to plan: SeedPlan) -> String? {
    guard let known = plan.basis?["commits"]?.strings else { return nil }
    return commits.last { commit in !(known + [plan.revision ?? ""]).contains { Self.isSame($0, commit) } }
  }

  /// What the container remembers; nothing where the record cannot be read: then less is known of who changed what.
  package static func remembered(in container: any Container) async -> LastSeedApply {
    LastSeedApply(try? await LastJobRun.last(of: .seed, in: container))
  }

  /// The entries as they were applied last; `nil` if the revision is unknown, or its seeds are.
  func catalog(_ catalog: (_ revision: String) async throws -> SeedCatalog?) async throws -> SeedCatalog? {
    guard let revision, var applied = try await catalog(revision) else { return nil }
    for (earlier, keys) in Dictionary(grouping: exceptions.keys, by: { exceptions[$0] ?? "" }) {
      var seeds: SeedCatalog?
      do {
        if !earlier.isEmpty { seeds = try await catalog(earlier) }
      } catch is CommandFailure {
        // These entries have no base, so that each difference needs a decision.
      }
      applied.replace(Set(keys), from: seeds)
    }
    return applied
  }

  /// What a run that applied a plan stores: the commit of the seeds, and which entries are not applied with it; of
  /// uncommitted seeds, what they wrote. `nil` keeps what is stored.
  package func lastRun(after plan: SeedPlan, _ report: ChangeReport, at now: Timestamp) -> LastJobRun? {
    guard let revision = plan.revision else {
      guard report.results.contains(where: { $0.outcome != .notAttempted }) else { return nil }
      var values = values
      values.add(report.inContainer)
      guard !values.isFull else { return LastJobRun(finishedAt: now, result: [:]) }
      let result = values.stored(in: last?.result ?? [:])
      return LastJobRun(finishedAt: now, result: result, revision: self.revision)
    }
    if unknownCommit(to: plan) != nil { return lastRun(adding: revision, report, at: now) }
    let open =
      plan.conflicts.map { SeedKind(recordType: $0.recordType)?.key($0.slug) }
      + report.remaining.filter { $0.change.action != .delete }.map(\.change.seedKey)
    guard open.count <= Self.limit else { return nil }
    // Where this clone lacks the commits, what was taken out before is known by the records that stay.
    let takenOut = plan.takenOut.union(plan.unmentioned.filter { self.exceptions[$0] != nil })
    let keys = Set(open.compactMap(\.self)).union(takenOut.sorted().prefix(Self.limit - open.count))
    let exceptions = Dictionary(
      uniqueKeysWithValues: keys.map { ($0, self.exceptions[$0] ?? self.revision ?? "") })
    let isSame = Self.isSame(revision, self.revision)
    if open.isEmpty, plan.changes.isEmpty, isSame, self.exceptions == exceptions, values.isEmpty {
      return nil
    }
    let written = Set(report.inContainer.map(\.recordName))
    let left = Set(report.remaining.map(\.change.recordName))
    // The records of conflicts are not named. Of what was pulled or undone after a plan was saved, it has nothing.
    let isWhole = plan.conflicts.isEmpty && (plan.basis == nil || plan.basis == basis)
    var result = values.filter { isWhole ? left.contains($0) : !written.contains($0) }.stored(in: [:])
    let formers = isSame ? formers : [self.revision].compactMap(\.self) + (isFormerOlder ? [] : formers)
    if !formers.isEmpty { result[Self.formerMember] = Array(formers.prefix(10)).json }
    if isSame && isFormerOlder || !later.isEmpty || !self.values.isEmpty { result[Self.olderMember] = true }
    if !exceptions.isEmpty { result[Self.member] = exceptions.json }
    return LastJobRun(finishedAt: now, result: result, revision: revision)
  }

  /// What is stored after a saved plan that did not know the last commit: that commit stays the last one, so that a clone
  /// without it still learns of it.
  private func lastRun(adding revision: String, _ report: ChangeReport, at now: Timestamp) -> LastJobRun? {
    let written = report.results.filter { $0.outcome == .applied }.map(\.change)
    guard !written.isEmpty else { return nil }
    var exceptions = exceptions
    for key in written.compactMap(\.seedKey) where exceptions[key] != nil || exceptions.count < Self.limit {
      exceptions[key] = revision
    }
    let names = Set(written.map(\.recordName))
    var result = values.filter { !names.contains($0) }.stored(in: last?.result ?? [:])
    result[Self.member] = exceptions.json
    result[Self.laterMember] = (later.filter { !Self.isSame($0, revision) } + [revision]).json
    return LastJobRun(finishedAt: now, result: result, revision: self.revision)
  }

  /// What the undo of an apply stores: both sides had the values that it brought back. `nil` keeps what is stored, as the
  /// undo of any other run does, which is a change of the container.
  package func lastRun(afterUndoing report: ChangeReport, own: Set<String>, at now: Timestamp) -> LastJobRun?
  {
    var values = values
    values.update(with: report.inContainer, knowsCommit: revision != nil, own: own)
    return values == self.values ? nil : values.lastRun(after: last, at: now)
  }

  /// What is stored with these values in it.
  package func adding(_ new: AgreedValues, at now: Timestamp) -> LastJobRun {
    var values = values
    values.merge(new)
    return values.lastRun(after: last, at: now)
  }
}

extension SeedCatalog {
  /// Takes the entries with these kinds and slugs from other seeds; those that the others do not have are removed. One of
  /// those may have the record of an entry that had another slug then, so such entries are taken, too.
  fileprivate mutating func replace(_ keys: Set<String>, from other: SeedCatalog?) {
    func merged<Entry: SeedEntry>(_ own: [Entry], _ others: [Entry]?) -> [Entry] {
      let others = others ?? []
      func isReplaced(_ entry: Entry) -> Bool { keys.contains(entry.key) }
      let (slugs, former) = (Set(own.map(\.slug)), Set(others.map(\.slug)))
      let isRenamed = own.contains { isReplaced($0) && !former.contains($0.slug) }
      return others.filter { isRenamed && !isReplaced($0) && !slugs.contains($0.slug) }
        + own.filter { !isReplaced($0) } + others.filter(isReplaced)
    }
    categories = merged(categories, other?.categories)
    feeds = merged(feeds, other?.feeds)
    collections = merged(collections, other?.collections)
  }
}

/// The revision of applied seeds: the id of a commit, and of the seed folder's tree in it.
package struct AppliedRevision: Sendable, Hashable, CustomStringConvertible {
  package let commit: String
  /// `nil` if only the commit is known.
  package let tree: String?

  package var description: String { tree.map { "\(commit) \($0)" } ?? commit }

  /// Reads one or two object ids of git, in full and separated by a space; `nil` for any other text.
  package init?(_ text: String) {
    let ids = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(ids.count), ids.allSatisfy(Self.isID) else { return nil }
    commit = ids[0]
    tree = ids.count > 1 ? ids[1] : nil
  }

  /// SHA-1 or SHA-256 in lowercase hexadecimal digits.
  private static func isID(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count) && text.utf8.allSatisfy(\.isLowercaseHexDigit)
  }
}

/// Why a seed file may differ from the last commit. The text completes a sentence about the file.
package enum UncommittedSeedFile: String, Sendable {
  case changed = "has uncommitted changes"
  case storedInLFS = "is stored in Git LFS, so it cannot be compared with the last commit"
}
