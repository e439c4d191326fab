public import CloudKitModel
public import Diagnostics
public import Platform
public import SchemaLanguage

/// The clock, folders and other dependencies of a write session, which tests can replace.
public struct WriteSessionDependencies: Sendable {
  /// The time of day, for the history and for what a job remembers.
  public var now: @Sendable () -> Timestamp
  public var clock: any MonotonicClock
  /// A name for this run, as ``RunID`` makes it.
  public var runID: String
  /// Opens the folder of locks and history; `nil` keeps neither.
  public var stateFolder: (@Sendable () throws -> StateFolder)?
  public var terms = LeaseDurations()
  /// The container's schema: it says which types users may create, and whether there are leases. `nil` when it is not
  /// known.
  public var schema: Schema?
  /// Waits while the container is busy.
  public var wait: @Sendable (Duration) async throws -> Void
  /// A random number, uniformly from 0...1.
  public var randomShare: @Sendable () -> Double = { Double.random(in: 0...1) }
  /// Prints notes for the user, which are not part of the result.
  public var note: @Sendable (PrintableText) -> Void = { _ in }
  /// Called when the run holds its lease and begins to work: until then it may be waiting for another run.
  public var workBegan: @Sendable () -> Void = {}
  /// Called after each request with the number of changes settled so far.
  public var progress: @Sendable (_ settled: Int, _ total: Int) -> Void = { _, _ in }

  public init(
    now: @escaping @Sendable () -> Timestamp, runID: String, schema: Schema? = nil,
    clock: any MonotonicClock = SystemClock(), stateFolder: (@Sendable () throws -> StateFolder)? = nil,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.now = now
    self.runID = runID
    self.schema = schema
    self.clock = clock
    self.stateFolder = stateFolder
    self.wait = wait
  }
}
