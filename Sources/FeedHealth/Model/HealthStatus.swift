/// What readers are told about a feed (feeds.md section 1.3).
public enum HealthStatus: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
  /// Never judged. Not written to the container: the field stays absent.
  case unknown

  /// How bad it is: a larger number is worse. `unknown` is no complaint.
  public var severity: Int {
    switch self {
    case .healthy, .unknown: 0
    case .degraded: 1
    case .down: 2
    }
  }
}
