public import CloudKitModel

/// How a recount is to be done.
public struct RecountOptions: Sendable {
  public var shard = Shard.whole
  /// `nil` chooses by cost.
  public var strategy: ScanStrategy?
  public var dropGuard = DropGuard()
  /// Counts below this are published as 0, so that a small number tells nothing about a person.
  public var minimumPublished: Int64 = 0
  /// Removes sources whose target does not exist, after a complete sweep. A named risk: such records cannot be
  /// brought back.
  public var pruneOrphans = false
  /// Orphans removed by one run, at most.
  public var pruneLimit = 10_000
  /// Reads, plans, and writes nothing: not even a lease.
  public var dryRun = false
  public var checkpoint: CheckpointFile?
  /// Seconds after which a checkpoint is no longer continued: its first pages are that old.
  public var checkpointLifetime: Int64 = 24 * 60 * 60
  public var assumptions = ScanAssumptions()

  public init() {}
}

/// The world a recount runs in, injected so that a test decides it.
public struct RecountEnvironment: Sendable {
  /// The time of day, for leases and checkpoints.
  public var now: @Sendable () -> Timestamp
  /// Time that only moves forward, for the duration reported.
  public var uptime: @Sendable () -> Duration
  /// A random name for this run.
  public var runID: String
  /// How to let time pass when the container asks for it.
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
