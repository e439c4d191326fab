/// The published state of a feed.
public enum HealthStatus: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
  /// Never checked. It is not written to the container; the field stays absent.
  case unknown

  /// A larger number is worse. `unknown` counts as healthy.
  public var severity: Int {
    switch self {
    case .healthy, .unknown: 0
    case .degraded: 1
    case .down: 2
    }
  }
}
