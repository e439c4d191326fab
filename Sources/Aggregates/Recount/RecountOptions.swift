internal import CloudKitModel
internal import Platform

package struct RecountOptions: Sendable {
  package var shard = RecountShard.whole
  /// `nil` chooses the strategy by cost.
  package var strategy: ScanStrategy?
  /// How far a value may drop, in percent, 0...100; `nil` for what the aggregate declares.
  package var maxDrop: Double?
  /// Counts below this are published as 0, so that a small count reveals nothing about a user.
  package var minPublished: Int64 = 0
  /// Deletes sources whose target does not exist, after a complete sweep.
  package var pruneOrphans = false
  /// Called with the number of these sources before anything is written. They cannot be restored, so callers ask for the
  /// risk `data-loss`, and throw if it is not accepted.
  package var confirmsPruning: @Sendable (Int) async throws -> Void = { _ in }
  /// The risk `data-loss` was accepted, so that a dry run does not ask for it.
  package var acceptsDataLoss = false
  /// The most orphans that one run deletes.
  package var pruneLimit = 10_000
  package var checkpoint: ScanCheckpointFile?
  /// Seconds after which a checkpoint is too old to continue, because its first pages are as old as that.
  package var checkpointLifetime: Int64 = 24 * 60 * 60
  package var assumptions = ScanCostAssumptions()
  /// How long an index may lag behind its records (Documentation/reference/web-services.md#index-delay): what changed
  /// this long before the reading may be missing from the counts.
  package var settle = Duration.zero

  package enum Names: String, Sendable, Hashable, CaseIterable {
    /// Names of the right form. Made-up ones are counted and reported.
    case all
    case verified
  }

  /// The named risk of publishing counts without made-up names.
  package static let countDropRisk = "count-drop"

  package var names = Names.all
  /// Publishes counts that fall further than allowed because made-up names are left out: the risk `count-drop`.
  package var acceptsCountDrop = false

  package var isOfPart = false

  /// Keeps the parts of every quality score, and writes nothing.
  package var explains = false
  package var aggregatesFile = "aggregates.json"
  package var isVerbose = false
  package var estimates = false
  /// Numbers for the estimate to use instead of the container's.
  package var assumedSize: RecountEstimate.Size?

  package init() {}

  /// For one of several recounts in one run: each has a checkpoint file of its own, and names are verified where they are
  /// those of their creators.
  package func asOneOfMany(_ subject: Recount.Subject) -> RecountOptions {
    var options = self
    options.checkpoint = checkpoint?.file(for: subject.name)
    if case .count(let declaration) = subject, !declaration.hasCreatorNames { options.names = .all }
    return options
  }
}

/// Stops a recount that would publish a sudden drop, because such a drop is usually a reading error.
package struct SuddenDropCheck: Sendable, Hashable {
  /// How far a value may drop, in percent of its former value, 0...100. 100 allows all drops.
  var maxDrop = AggregateDeclaration.usualMaxDrop
  /// A single target is checked only if its former value is above this. The total is always checked.
  private static let minWatched = 20.0

  package struct Drop: Sendable, Hashable {
    /// `nil` for the total of all targets.
    package var recordType: String?
    package var recordName: String?
    /// `nil` where an aggregate writes only one.
    var field: String?
    var from: GroupValue
    var to: GroupValue
    /// The numbers are those of dates, and of dates that do not get earlier and are not cleared.
    var countsDates = false
    /// A total from which numbers below 0 are left out.
    var leavesOutNegatives = false

    /// How far the value drops, in percent of its former value, which is above 0. At most 100, also for a sum that falls
    /// below 0.
    var percent: Double { min(100, fall / from.number * 100) }
    var fall: Double { from.number - to.number }
  }

  /// The values that dropped too far: the total first, then the largest drops. In the total a value below 0 is 0, because
  /// values that cancel each other would make it small.
  func drops(in values: [Drop]) -> [Drop] {
    let total = Drop(
      from: values.reduce(.integer(0)) { $0 + $1.from.positive },
      to: values.reduce(.integer(0)) { $0 + $1.to.positive },
      countsDates: values.first?.countsDates ?? false,
      leavesOutNegatives: values.contains { min($0.from.number, $0.to.number) < 0 })
    let single = values.filter { $0.from.number > Self.minWatched }.filter(isTooFar)
      .sorted { ($1.fall, $0.recordName ?? "") < ($0.fall, $1.recordName ?? "") }
    return [total].filter(isTooFar) + single
  }

  private func isTooFar(_ drop: Drop) -> Bool { drop.from.number > 0 && drop.percent > maxDrop }
}
