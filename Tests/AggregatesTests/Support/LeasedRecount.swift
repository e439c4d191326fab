import CloudKitModel
import RecordChanges
import SchemaLanguage

@testable import Aggregates

/// A recount with the write session that the command gives it.
struct LeasedRecount {
  private let recount: Recount
  private let leases: any Container
  private let dependencies: WriteSessionDependencies
  private let isDryRun: Bool

  init(
    _ declaration: AggregateDeclaration, schema: Schema, container: any Container,
    options: RecountOptions = RecountOptions(), dependencies: WriteSessionDependencies, dryRun: Bool = false
  ) {
    leases = dryRun ? ReadOnlyContainer(container) : container
    recount = Recount(
      declaration, schema: schema, container: leases, options: options, now: dependencies.now,
      clock: dependencies.clock, progress: dependencies.progress)
    self.dependencies = dependencies
    isDryRun = dryRun
  }

  func run() async throws -> RecountOutcome {
    let start = try recount.start()
    if isDryRun { return try await recount.run(start, through: nil) }
    let session = WriteSession(
      recount.writingJob, container: recount.container, leases: leases, dependencies: dependencies)
    return try await session.run(continuing: start.lease) { try await recount.run(start, through: $0) }
  }

  func estimate(_ size: RecountEstimate.Size? = nil) async throws -> RecountEstimate {
    try await recount.estimate(size)
  }
}

extension QualityRecount {
  /// Runs with the write session that the command gives it.
  func run(
    leases: any Container, _ dependencies: WriteSessionDependencies,
    explain: (Explanation) -> Void = { _ in }
  ) async throws -> RecountOutcome {
    let session = WriteSession(writingJob, container: container, leases: leases, dependencies: dependencies)
    return try await session.run { try await run(through: $0, explain: explain) }
  }
}
