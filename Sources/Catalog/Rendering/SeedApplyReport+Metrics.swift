public import Diagnostics

/// The numbers of the JSON result for monitoring.
extension SeedApplyReport {
  static let recordsFamily = MetricFamily(
    "seed_records", "Records of the catalog, by what the last seeding did")
  private static let keys = ["create", "update", "delete", "unchanged", "conflicts", "failed"]

  private var counts: [(key: String, count: Int64)] {
    let result = json
    return Self.keys.map { ($0, result[$0]?.integer ?? 0) }
  }

  public var metrics: [Metric] {
    counts.map { Metric(Self.recordsFamily, [.init("action", $0.key)], $0.count) }
  }

  /// `3 create, 0 update, …`
  public var tally: String? { counts.map { "\($0.count) \($0.key)" }.joined(separator: ", ") }
}
