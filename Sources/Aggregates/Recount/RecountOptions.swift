public import CloudKitModel

/// Options of a recount.
public struct RecountOptions: Sendable {
  public var shard = Shard.whole
  /// `nil` chooses the strategy by cost.
  public var strategy: ScanStrategy?
  public var dropGuard = DropGuard()
  /// Counts below this are published as 0, so that a small count reveals nothing about a user.
  public var minPublished: Int64 = 0
  /// Deletes sources whose target does not exist, after a complete sweep. They cannot be restored, so callers ask for
  /// the risk `data-loss` first.
  public var pruneOrphans = false
  /// The most orphans that one run deletes.
  public var pruneLimit = 10_000
  /// Reads and plans, but writes nothing, not even a lease.
  public var dryRun = false
  public var checkpoint: CheckpointFile?
  /// Seconds after which a checkpoint is too old to continue, because its first pages are as old as that.
  public var checkpointLifetime: Int64 = 24 * 60 * 60
  public var assumptions = ScanAssumptions()

  public init() {}
}

/// The clocks, the randomness and the waiting of a recount, so that tests can replace them.
public struct RecountEnvironment: Sendable {
  /// The time of day, for leases and checkpoints.
  public var now: @Sendable () -> Timestamp
  /// Time that only moves forward, for the duration reported.
  public var uptime: @Sendable () -> Duration
  /// A random name for this run.
  public var runID: String
  /// Waits, when the container asks to retry later.
  public var wait: @Sendable (Duration) async throws -> Void

  public init(
    now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration, runID: String,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.now = now
    self.uptime = uptime
    self.runID = runID
    self.wait = wait
  }
}
