internal import Articles
internal import Catalog
internal import CloudKitModel
package import Diagnostics
internal import FeedState
internal import RecordChanges

extension HealthRunResult {
  /// The result of `health check --format json`. A dry run adds its plan, under the keys of `seed plan`.
  package var json: JSONValue {
    let changes = plan?.changes
    let lists: JSONObject = ["feeds": feeds.map(\.json).json, "skipped": skipped.map(\.json).json]
    let more: JSONObject = [
      "decisions": articleDecisions.isEmpty ? nil : .array(articleDecisions.map(\.json)),
      "create": changes?.count { $0.action == .create }.json,
      "update": changes?.count { $0.action == .update }.json,
      "changes": changes?.map { $0.planJSON() }.json,
    ]
    return .object(JSONObject(counts.members + lists.members + news.members + more.members))
  }

  /// The last line of `--format jsonl`: the result without the lists of feeds.
  package var totalsJSON: JSONValue { .object(JSONObject(counts.members + news.members)) }

  private var counts: JSONObject {
    [
      "checked": checked.json, "healthy": count(of: .healthy).json, "degraded": count(of: .degraded).json,
      "down": count(of: .down).json, "notModified": notModified.json, "skippedCount": skipped.count.json,
      "outage": outage.map { ["signature": $0.signature.rawValue.json, "hosts": $0.hosts.json] },
    ]
  }

  private var news: JSONObject {
    [
      "refused": refused.json, "newlyDown": alerts.newlyDown.map(\.recordName).json,
      "recovered": alerts.recovered.map(\.recordName).json,
      "flapping": alerts.flapping.map(\.recordName).json,
      "warnings": warnings.isEmpty ? nil : .array(warnings.map(\.json)), "articles": articles?.json,
      "notes": notes.isEmpty ? nil : .array(notes.map(\.json)),
      "readOnlyDue": readsOnlyDue ? .bool(true) : nil,
    ]
  }
}

extension FeedResult {
  /// One element of `feeds`, and one line of `--format jsonl`. Unknown values are left out.
  package var json: JSONValue {
    .object([
      "recordName": recordName.json, "feedURL": feedURL.json, "status": status.rawValue.json,
      "previousStatus": previousStatus?.rawValue.json, "httpStatus": httpStatus?.json,
      "reasons": reasons.map(\.code).json, "suggestedURL": suggestedURL?.json, "items": items?.json,
      "newestItem": newestItem?.iso8601.json, "uptimePercentage": uptimePercentage?.json,
      "uptimeChecks": uptimeChecks.json,
      "refusedChecks": refusedChecks > 0 ? .integer(refusedChecks) : nil,
      "family": isRefused ? "refused" : nil, "statusSince": statusSince?.iso8601.json,
      "cause": cause?.rawValue.json, "detail": detail?.json,
      "suggestedRecordName": suggestedFeed?.recordName.json, "suggestionNote": suggestionNote?.json,
      "redirectedTo": redirectedTo?.json, "pageTitle": pageTitle?.json,
      "retired": isRetired ? .bool(true) : nil,
    ])
  }
}

extension SkippedFeed {
  /// One element of `skipped`.
  package var json: JSONValue {
    var object: JSONObject = [
      "recordName": recordName.json, "feedURL": feedURL.json, "reason": reason.kind.rawValue.json,
      "until": reason.until?.iso8601.json, "lastCheck": lastCheck?.iso8601.json,
    ]
    if case .ownRules(let rule, let detail) = reason {
      object["code"] = rule.code.json
      object["detail"] = detail.json
    }
    return .object(object)
  }
}

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
  static let refusedFamily = MetricFamily(
    "health_refused_feeds", "Feeds that the last run checked and whose server refused it")
  static let alertsFamily = MetricFamily(
    "health_changed_feeds", "Feeds that changed since the last report, by what happened")
  static let articlesFamily = MetricFamily(
    "articles_items", "Items that the last run found in fetched documents, by what it did with them")
  static let articlesWrittenFamily = MetricFamily("articles_written", "Articles that the last run wrote")
  static let articlesOfDayFamily = MetricFamily(
    "articles_written_last_day", "Articles that runs over all feeds wrote in the last 24 hours")
  static let outageFamily = MetricFamily(
    "health_local_outage", "1 if the last run found a local network problem and recorded nothing")

  /// Counts of the run, with a sample for each status and each reason, also for 0.
  ///
  /// The state of all feeds is known only after a run that looked at all of them: not after one for single feeds or a
  /// category, and not after one that was interrupted or could not record everything.
  package var metrics: [Metric] {
    var metrics: [Metric] = []
    if isOfAll, !readsOnlyDue, !isInterrupted, outage == nil, lost == 0, writes.isComplete {
      metrics += HealthStatus.allCases.map { status in
        let total = count(of: status) + skipped.count { $0.status == status }
        return Metric(Self.feedsFamily, [.init("status", status.rawValue)], total)
      }
      let checks = feeds.map(\.checkedAt.milliseconds) + skipped.map { $0.lastCheck?.milliseconds ?? 0 }
      if let oldest = checks.min() { metrics.append(Metric(Self.oldestCheckFamily, Double(oldest) / 1000)) }
    }
    metrics += HealthStatus.allCases.map {
      Metric(Self.checkedFamily, [.init("status", $0.rawValue)], count(of: $0))
    }
    metrics.append(Metric(Self.notModifiedFamily, notModified))
    metrics += SkippedFeed.Reason.Kind.allCases.map { kind in
      Metric(Self.skippedFamily, [.init("reason", kind.rawValue)], skipped.count { $0.reason.kind == kind })
    }
    metrics.append(Metric(Self.refusedFamily, refused))
    metrics += [
      ("newly-down", alerts.newlyDown), ("recovered", alerts.recovered), ("flapping", alerts.flapping),
    ].map { Metric(Self.alertsFamily, [.init("event", $0.0)], $0.1.count) }
    if let articles { metrics += Self.metrics(of: articles) }
    if let articlesInDay { metrics.append(Metric(Self.articlesOfDayFamily, Double(articlesInDay))) }
    return metrics + [Metric(Self.outageFamily, outage == nil ? 0 : 1)]
  }

  private static func metrics(of articles: ArticleCounts) -> [Metric] {
    let counts = [
      ("new", articles.new), ("changed", articles.changed), ("same", articles.same),
      ("replaced", articles.replaced), ("rekeyed", articles.rekeyed),
      ("left-for-next-run", articles.leftForNextRun), ("cut", articles.cut), ("failed", articles.failed),
    ]
    return counts.map { Metric(articlesFamily, [.init("result", $0.0)], $0.1) }
      + [Metric(articlesWrittenFamily, articles.written)]
  }
}
