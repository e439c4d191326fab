internal import CloudKitModel
public import Diagnostics

extension HealthRunResult {
  static let feedsFamily = MetricFamily("feeds", "Feeds of the container by health status")
  static let oldestCheckFamily = MetricFamily(
    "feed_oldest_check_timestamp_seconds",
    "When the feed with the oldest check was last checked; 0 if a feed was never checked")
  static let checkedFamily = MetricFamily(
    "health_checked_feeds", "Feeds that the last run checked, by the status it found")
  static let notModifiedFamily = MetricFamily(
    "health_not_modified_feeds", "Checked feeds whose server answered that nothing changed")
  static let skippedFamily = MetricFamily(
    "health_skipped_feeds", "Feeds that the last run did not check, by the reason")
  static let outageFamily = MetricFamily(
    "health_local_outage", "1 if the last run found a local network problem and recorded nothing")

  /// Counts of the run, with a sample for each status and each reason, also for 0.
  ///
  /// The state of all feeds is known only after a run that looked at all of them: not after one for single feeds or a
  /// category, and not after one that was interrupted.
  public var metrics: [Metric] {
    var metrics: [Metric] = []
    if isOfAll, !isInterrupted {
      metrics += Self.statuses.map { status in
        let total = count(of: status) + skipped.count { $0.status == status }
        return Metric(Self.feedsFamily, [.init("status", status.rawValue)], total)
      }
      let checks = feeds.map(\.checkedAt.milliseconds) + skipped.map { $0.lastCheck?.milliseconds ?? 0 }
      if let oldest = checks.min() { metrics.append(Metric(Self.oldestCheckFamily, Double(oldest) / 1000)) }
    }
    metrics += Self.statuses.map {
      Metric(Self.checkedFamily, [.init("status", $0.rawValue)], count(of: $0))
    }
    metrics.append(Metric(Self.notModifiedFamily, notModified))
    metrics += SkippedFeed.Reason.Kind.allCases.map { kind in
      Metric(Self.skippedFamily, [.init("reason", kind.word)], skipped.count { $0.reason.kind == kind })
    }
    return metrics + [Metric(Self.outageFamily, localOutage ? 1 : 0)]
  }

  private static let statuses: [HealthStatus] = [.healthy, .degraded, .down, .unknown]
}
