internal import CloudKitModel
internal import RecordChanges

/// Writes a job's changes under its lease, through the executor.
struct ChangePublisher: Sendable {
  let container: any Container
  /// `nil` when the container has no place for leases.
  let lease: Lease?
  let wait: @Sendable (Duration) async throws -> Void

  /// - Parameter policy: a computed value has one rightful writer, and goes on top of whatever else changed.
  func publish(_ changes: [RecordChange], policy: ConflictPolicy = .reapply) async throws -> ChangeReport {
    try await lease?.acquire()
    let guarded: any Container = lease.map { LeasedContainer(base: container, lease: $0) } ?? container
    let executor = ChangeExecutor(container: guarded, options: .init(policy: policy), wait: wait)
    return await forgivingVanished(await executor.apply(changes))
  }

  /// A target deleted while its sources were counted needs no value any more: its change counts as settled. Where that
  /// cannot be found out, the report is true as it is.
  private func forgivingVanished(_ report: ChangeReport) async -> ChangeReport {
    let contested = report.results.indices.filter {
      if case .conflict = report.results[$0].outcome { true } else { false }
    }
    let names = contested.map { report.results[$0].change.recordName }
    guard report.interruption == nil, !names.isEmpty,
      let current = try? await container.lookupAll(names, desiredKeys: [])
    else { return report }
    var report = report
    for (index, outcome) in zip(contested, current) where outcome.error?.code == .notFound {
      report.results[index].outcome = .alreadyApplied
    }
    return report
  }
}
