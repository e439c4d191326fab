internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import RecordChanges

extension CommandContext {
  /// The write session of a health run.
  func healthSession(_ handle: ContainerHandle, _ lease: LeaseOptions) async throws -> WriteSession {
    var environment = try writeEnvironment(
      HealthCheckCommand.title, schema: try await knownSchema(handle), terms: try lease.terms(self))
    // Count feeds, not records.
    environment.progress = { _, _ in }
    return WriteSession(
      WritingJob(HealthCheckCommand.title, kind: .job, lease: .health), container: handle.container,
      environment: environment)
  }

  /// The clock of a health run. Time limits use real time, even if a setting freezes the clock.
  var healthClock: HealthRunClock {
    let started = ContinuousClock.now
    return HealthRunClock(
      now: { self.now }, elapsed: { ContinuousClock.now - started }, wait: process.wait,
      waitForContainer: waitForContainer)
  }

  /// Writes results, once they are recorded.
  func show(_ feeds: [FeedResult]) throws {
    guard format == .jsonl else { return }
    // If the reader has closed the pipe, the check goes on, because its records and exit status still matter.
    do {
      for feed in feeds { try results.write(line: feed.json) }
      try results.flush()
    } catch is Console.ClosedPipe {}
  }
}
