/// Options of a recount.
public struct RecountOptions: Sendable {
  public var shard = RecountShard.whole
  /// `nil` chooses the strategy by cost.
  public var strategy: ScanStrategy?
  public var dropGuard = SuddenDropCheck()
  /// Counts below this are published as 0, so that a small count reveals nothing about a user.
  public var minPublished: Int64 = 0
  /// Deletes sources whose target does not exist, after a complete sweep. They cannot be restored, so callers ask for
  /// the risk `data-loss` first.
  public var pruneOrphans = false
  /// The most orphans that one run deletes.
  public var pruneLimit = 10_000
  /// Reads and plans, but writes nothing, not even a lease.
  public var dryRun = false
  public var checkpoint: ScanCheckpointFile?
  /// Seconds after which a checkpoint is too old to continue, because its first pages are as old as that.
  public var checkpointLifetime: Int64 = 24 * 60 * 60
  public var assumptions = ScanCostAssumptions()

  public init() {}
}
