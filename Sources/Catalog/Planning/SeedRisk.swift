public import CloudKitModel
public import RecordChanges

/// A risk of a seed plan that must be accepted by its name before the plan is applied.
public enum SeedRisk: String, Sendable, Hashable, CaseIterable {
  /// The plan deletes records.
  case dataLoss = "data-loss"
  /// The plan deletes more than half of the records of a type. It is accepted besides ``dataLoss``: what was accepted
  /// for one removed feed must not do for a folder that could not be found.
  case massDeletion = "mass-deletion"
}

/// How many of a container's records of one type a plan deletes.
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

  /// `deletes 104 of 104 feeds (100 %), 1 of 5 collections (20 %)`; `nil` for a plan without deletions.
  public var deletionSummary: String? {
    deletions.isEmpty ? nil : "deletes \(deletions.map(\.description).joined(separator: ", "))"
  }

  /// The named risks of applying it.
  public var risks: Set<SeedRisk> {
    if deletions.isEmpty { return [] }
    return deletions.contains(where: \.isMajority) ? [.dataLoss, .massDeletion] : [.dataLoss]
  }

  /// The changes of a saved plan. Of each type that it deletes from, the container's records are counted, so that the
  /// shares are those of now. Throws what the container throws.
  public init(target: ContainerIdentity, saved changes: [RecordChange], in container: some Container)
    async throws
  {
    self.init(target: target, changes: changes)
    for share in deletions {
      var count = 0
      try await container.forEachPage(of: Query(share.recordType), desiredKeys: []) {
        count += $0.records.count
      }
      recordCounts[share.recordType] = count
    }
  }
}

/// The seed directory has no `feeds/`, and pruning would take that for a catalog without feeds.
public struct MissingFeedsFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Feeds in the container.
  public let feeds: Int

  public var description: String {
    "the seed directory has no feeds/, and --prune would delete \(feeds == 1 ? "the feed" : "all \(feeds) feeds") "
      + "of the container"
  }
}
