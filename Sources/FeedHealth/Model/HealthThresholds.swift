/// Where degraded and down begin. The defaults are those of feeds.md section 1.3.
public struct HealthThresholds: Sendable, Hashable {
  /// Failed checks in a row that make a feed down.
  public var failuresUntilDown = 3
  /// DNS and TLS failures lasting this long make a feed down whatever their number.
  public var hostFailureUntilDown = Duration.seconds(86_400)
  /// At or below this share of good checks in the last 30 days a feed is degraded. The plain share decides, not
  /// the lower end of its Wilson interval: that is below 0.8 for any feed checked fewer than 16 times, however
  /// well it answers.
  public var successRate = 0.8
  /// Checks in the last 30 days below which the share says nothing.
  public var checksForRate = 5
  /// No new item for this long, or for ``staleGaps`` times the feed's usual gap if that is longer.
  public var staleAge = Duration.seconds(30 * 86_400)
  public var staleGaps = 5
  /// Slower answers degrade a feed.
  public var slowAnswer = Duration.seconds(10)
  /// Checks in a row that must see the same permanent redirect before its target is suggested.
  public var redirectSightings = 3
  /// At or above this share of hosts without a connection a run is our own outage. In 0...1.
  public var outageShare = 0.5
  /// Hosts judged together for an outage. More than a run has: the run is judged as a whole.
  public var outageSample = 100

  public init() {}

  /// What a feed that is degraded must meet to be called healthy again: measures that hover about a threshold
  /// would otherwise change the status with every check.
  func tightened() -> HealthThresholds {
    var stricter = self
    stricter.slowAnswer = slowAnswer * 4 / 5
    stricter.successRate = min(1, successRate + 0.02)
    return stricter
  }
}
