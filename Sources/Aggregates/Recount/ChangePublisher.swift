internal import CloudKitModel
internal import RecordChanges

/// Writes the changes of a job through the executor, while the job holds its lease.
struct ChangePublisher: Sendable {
  let container: any Container
  /// `nil` when the schema has no AdminLease type.
  let lease: Lease?
  let wait: @Sendable (Duration) async throws -> Void

  /// - Parameter policy: a computed field has one owner, so by default its value is applied to the current record.
  func publish(_ changes: [RecordChange], policy: ConflictPolicy = .reapply) async throws -> ChangeReport {
    try await lease?.acquire()
    let guarded: any Container = lease.map { LeasedContainer(base: container, lease: $0) } ?? container
    let executor = ChangeExecutor(container: guarded, options: .init(policy: policy), wait: wait)
    return await ignoringDeletedTargets(await executor.apply(changes))
  }

  /// Counts changes of targets that were deleted during the run as done. When the lookup fails, the conflicts stay in
  /// the report.
  private func ignoringDeletedTargets(_ report: ChangeReport) async -> ChangeReport {
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
