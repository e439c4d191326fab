public import Diagnostics

/// The counts of the JSON result for monitoring.
extension SeedApplyReport {
  static let recordsFamily = MetricFamily(
    "seed_records", "Records of the catalog, by result of the last seeding")

  public var metrics: [Metric] {
    plan.counts(changes).named.map { Metric(Self.recordsFamily, [.init("action", $0.key)], $0.count) }
  }

  /// `3 create, 0 update, …`
  public var tally: String? {
    plan.counts(changes).named.map { "\($0.count) \($0.key)" }.joined(separator: ", ")
  }
}
