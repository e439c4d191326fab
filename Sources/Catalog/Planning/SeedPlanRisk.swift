public import CloudKitModel
internal import Platform
public import RecordChanges

/// A risk of a seed plan that must be accepted by its name before the plan is applied.
public enum SeedPlanRisk: String, Sendable, Hashable, CaseIterable {
  /// The plan deletes records.
  case dataLoss = "data-loss"
  /// The plan deletes more than half of the records of a type. Must be accepted in addition to ``dataLoss``, so
  /// that accepting the loss of one feed does not accept the loss of all feeds after a mistyped folder.
  case massDeletion = "mass-deletion"
  /// A record with subscribers is deleted or replaced by a new record.
  case subscriberLoss = "subscriber-loss"
}

/// The number of records of one type that a plan deletes, and of all records of the type.
public struct DeletionShare: Sendable, Hashable, CustomStringConvertible {
  public let recordType: String
  public let deleted: Int
  /// Records of the type in the container, the deleted ones included.
  public let present: Int

  var isMajority: Bool { deleted * 2 > present }

  /// `104 of 104 feeds (100 %)`. The percentage is rounded down.
  public var description: String {
    let percent = present > 0 ? deleted * 100 / present : 100
    let share = percent > 0 ? "\(percent) %" : "under 1 %"
    return "\(deleted) of \(present) \(present == 1 ? recordType.singular : recordType.plural) (\(share))"
  }
}

extension SeedPlan {
  /// What the plan deletes, by type; empty for a plan without deletions.
  public var deletions: [DeletionShare] {
    CatalogRecordType.seeded.compactMap { recordType in
      let deleted = changes.count { $0.action == .delete && $0.recordType == recordType }
      guard deleted > 0 else { return nil }
      return DeletionShare(
        recordType: recordType, deleted: deleted, present: max(deleted, recordCounts[recordType] ?? 0))
    }
  }

  /// `deletes 104 of 104 feeds (100 %), 1 of 5 collections (20 %) and leaves 976 readers behind`; `nil` for a plan that
  /// does neither.
  public var deletionSummary: String? {
    let losses = deletions.isEmpty ? [] : ["deletes \(deletions.map(\.description).joined(separator: ", "))"]
    let readers = strandedReaders
    let stranded = readers > 0 ? ["leaves \(readers == 1 ? "1 reader" : "\(readers) readers") behind"] : []
    return losses.isEmpty && stranded.isEmpty ? nil : (losses + stranded).joined(separator: " and ")
  }

  /// The names of ``risks``, as the option `--accept-risk` takes them.
  public var riskNames: Set<String> { Set(risks.map(\.rawValue)) }

  /// The named risks of applying it.
  public var risks: Set<SeedPlanRisk> {
    var risks: Set<SeedPlanRisk> = strandedReaders > 0 ? [.subscriberLoss] : []
    if deletions.isEmpty { return risks }
    risks.insert(.dataLoss)
    if deletions.contains(where: \.isMajority) { risks.insert(.massDeletion) }
    return risks
  }

  /// The number of subscribers of records that the plan deletes or replaces.
  public var strandedReaders: Int64 {
    let deleted = changes.filter { $0.action == .delete }.map(\.recordName)
    let created = Set(changes.filter { $0.action == .create }.compactMap(\.label))
    let replaced = notes.compactMap { note -> String? in
      guard case .probablyMoved(let slug, let name, let label) = note, created.contains(slug),
        titles[slug]?.lowercased() == label.lowercased()
      else { return nil }
      return name
    }
    return Set(deleted + replaced).reduce(0) { $0.addingClamped(readers[$1] ?? 0) }
  }

  /// The titles of new feeds by slug.
  private var titles: [String: String] {
    Dictionary(
      changes.compactMap { change in
        change.label.flatMap { slug in change.fields["title"]?.to?.string.map { (slug, $0) } }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The changes of a saved plan. Of each type that it deletes from, the container's records are counted, so that the
  /// shares are those of now. What an earlier run of the plan deleted still counts, so that finishing the plan carries
  /// no other risk than the plan. Throws what the container throws.
  public init(saved file: PlanFile, in container: some Container) async throws {
    self.init(target: file.target, changes: file.changes, conflicts: file.conflicts)
    revision = file.revision
    schemaDigest = file.schemaDigest
    for share in deletions {
      var count = 0
      try await container.forEachPage(of: Query(share.recordType), desiredKeys: []) {
        count += $0.records.count
      }
      recordCounts[share.recordType] = count
    }
    let deleted = changes.filter { $0.action == .delete }
    let found = try await container.lookupAll(deleted.map(\.recordName), desiredKeys: ["subscriberCount"])
    for (change, outcome) in zip(deleted, found) {
      if let record = outcome.record {
        if record.readers > 0 { readers[record.recordName] = record.readers }
      } else if outcome.error?.code == .notFound {
        recordCounts[change.recordType, default: 0] += 1
      }
    }
    if strandedReaders > 0 { readersAsOf = await LastSubscriberRecount.date(in: container) }
  }
}

/// The error for pruning with a seed directory without `feeds/`, which would delete all feeds.
public struct MissingFeedsFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Feeds in the container.
  public let feeds: Int

  public var description: String {
    "the seed directory has no feeds/, and --prune would delete \(feeds == 1 ? "the feed" : "all \(feeds) feeds") "
      + "of the container"
  }
}
