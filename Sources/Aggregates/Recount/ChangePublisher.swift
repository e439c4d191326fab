internal import CloudKitModel
internal import RecordChanges

/// Writes a job's changes under its lease, through the executor.
struct ChangePublisher: Sendable {
  /// Changes between two looks at the lease.
  private static let stretch = 2000

  let container: any Container
  /// `nil` when the container has no place for leases.
  let lease: Lease?
  let wait: @Sendable (Duration) async throws -> Void

  /// - Parameter policy: a computed value has one rightful writer, and goes on top of whatever else changed.
  func publish(_ changes: [RecordChange], policy: ConflictPolicy = .reapply) async throws -> ChangeReport {
    try await lease?.acquire()
    let executor = ChangeExecutor(container: container, options: .init(policy: policy), wait: wait)
    var report = ChangeReport()
    for start in stride(from: 0, to: changes.count, by: Self.stretch) {
      try await lease?.renew()
      report.merge(await executor.apply(Array(changes[start...].prefix(Self.stretch))))
      if report.interruption != nil { break }
    }
    for change in changes.dropFirst(report.results.count) { report.results.append((change, .notAttempted)) }
    return try await forgivingVanished(report)
  }

  /// A target deleted while its sources were counted needs no value any more: its change counts as settled.
  private func forgivingVanished(_ report: ChangeReport) async throws -> ChangeReport {
    let contested = report.results.indices.filter {
      if case .conflict = report.results[$0].outcome { true } else { false }
    }
    guard !contested.isEmpty else { return report }
    var report = report
    let current = try await container.lookupAll(
      contested.map { report.results[$0].change.recordName }, desiredKeys: [])
    for (index, outcome) in zip(contested, current) where outcome.error?.code == .notFound {
      report.results[index].outcome = .alreadyApplied
    }
    return report
  }
}
