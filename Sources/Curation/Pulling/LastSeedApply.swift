package import Catalog
package import CloudKitModel
internal import Diagnostics
package import RecordChanges

/// The seeds that were applied last, as the job's lease record remembers them: a git revision, the entries that could not
/// be applied with it, and what was written since from uncommitted seeds (Documentation/reference/curation.md#pulling).
package struct LastSeedApply: Sendable, Hashable {
  /// `nil` if no record has it, as in a container with an older schema, or if the key may not read it.
  private(set) var revision: String?
  /// The revision with which an entry was applied last, by kind and slug; empty if that is unknown.
  private var exceptions: [String: String] = [:]
  private var last: LastJobRun?

  private static let member = "appliedBefore"
  /// The entries that are remembered, at most, so that the lease record stays small.
  private static let limit = 2_000

  /// Seeds that were applied as a whole.
  init(revision: String?) { self.revision = revision }

  init(_ last: LastJobRun?) {
    self.last = last
    // Others can write to the container: only ids of git are used.
    revision = (last?.revision).flatMap(AppliedRevision.init)?.description
    for (key, earlier) in last?.result[Self.member]?.object?.members ?? [] {
      exceptions[key] = earlier.string.flatMap(AppliedRevision.init)?.description ?? ""
    }
  }

  /// The values that were pulled since, or written from uncommitted seeds.
  var values: AgreedValues { AgreedValues(in: last) }
  /// Whether seeds were applied at all, as far as the container says.
  var exists: Bool { last != nil }

  /// What the container remembers; nothing where the record cannot be read: then less is known of who changed what.
  package static func remembered(in container: any Container) async -> LastSeedApply {
    LastSeedApply(try? await LastJobRun.last(of: .seed, in: container))
  }

  /// The entries as they were applied last; `nil` if the revision is unknown, or its seeds are.
  ///
  /// - Parameter catalog: the seeds of a revision.
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
      return LastJobRun(
        finishedAt: now, result: values.stored(in: last?.result ?? [:]), revision: self.revision)
    }
    let open =
      plan.conflicts.map { conflict in
        SeedKind(recordType: conflict.recordType).map { "\($0.rawValue) \(conflict.slug)" }
      }
      + report.remaining.filter { $0.change.action != .delete }.map(\.change.seedKey)
    guard !open.isEmpty else {
      let isKnown = plan.changes.isEmpty && self.revision == revision && exceptions.isEmpty && values.isEmpty
      return isKnown ? nil : LastJobRun(finishedAt: now, result: [:], revision: revision)
    }
    guard open.count <= Self.limit else { return nil }
    let keys = Set(open.compactMap(\.self))
    let members = keys.sorted().map {
      (key: $0, value: JSONValue.string(exceptions[$0] ?? self.revision ?? ""))
    }
    let written = Set(report.inContainer.map(\.recordName))
    let left = Set(report.remaining.map(\.change.recordName))
    // The records of conflicts are not named.
    var result = values.filter { plan.conflicts.isEmpty ? left.contains($0) : !written.contains($0) }
      .stored(in: [:])
    result[Self.member] = .object(JSONObject(members))
    return LastJobRun(finishedAt: now, result: result, revision: revision)
  }

  /// What an undo stores: the values that it brought back are what both sides had last. `nil` keeps what is stored.
  package func lastRun(afterUndoing report: ChangeReport, at now: Timestamp) -> LastJobRun? {
    var values = values
    values.update(with: report.inContainer)
    return values == self.values ? nil : values.lastRun(after: last, at: now)
  }
}

extension SeedCatalog {
  /// Takes the entries with these kinds and slugs from other seeds; those that the others do not have are removed.
  fileprivate mutating func replace(_ keys: Set<String>, from other: SeedCatalog?) {
    func merged<Entry: SeedEntry>(_ own: [Entry], _ others: [Entry]?) -> [Entry] {
      func isReplaced(_ entry: Entry) -> Bool { keys.contains("\(Entry.kind.rawValue) \(entry.slug)") }
      return own.filter { !isReplaced($0) } + (others ?? []).filter(isReplaced)
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
