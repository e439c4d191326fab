internal import Articles
internal import Catalog
internal import CloudKitModel
package import Diagnostics
internal import FeedState
internal import RecordChanges

extension HealthRunResult {
  /// The result of `health check --format json`. A dry run adds its plan, under the keys of `seed plan`.
  package var json: JSONValue {
    var object = counts
    object["feeds"] = .array(feeds.map(\.json))
    object["skipped"] = .array(skipped.map(\.json))
    for (key, value) in news.members { object[key] = value }
    if !articleDecisions.isEmpty { object["decisions"] = .array(articleDecisions.map(\.json)) }
    if let changes = plan?.changes {
      object["create"] = JSONValue(changes.count { $0.action == .create })
      object["update"] = JSONValue(changes.count { $0.action == .update })
      object["changes"] = .array(changes.map { .object($0.planJSON()) })
    }
    return .object(object)
  }

  /// The last line of `--format jsonl`: the result without the lists of feeds.
  package var totalsJSON: JSONValue { .object(JSONObject(counts.members + news.members)) }

  private var counts: JSONObject {
    var object: JSONObject = [
      "checked": JSONValue(checked), "healthy": JSONValue(count(of: .healthy)),
      "degraded": JSONValue(count(of: .degraded)), "down": JSONValue(count(of: .down)),
      "notModified": JSONValue(notModified), "skippedCount": JSONValue(skipped.count),
    ]
    object["outage"] = outage.map {
      ["signature": .string($0.signature.rawValue), "hosts": JSONValue($0.hosts)]
    }
    return object
  }

  private var news: JSONObject {
    var object: JSONObject = [
      "refused": JSONValue(refused), "newlyDown": .array(alerts.newlyDown.map { .string($0.recordName) }),
      "recovered": .array(alerts.recovered.map { .string($0.recordName) }),
      "flapping": .array(alerts.flapping.map { .string($0.recordName) }),
    ]
    if !warnings.isEmpty { object["warnings"] = .array(warnings.map(JSONValue.string)) }
    object["articles"] = articles?.json
    if !notes.isEmpty { object["notes"] = .array(notes.map(JSONValue.string)) }
    if readsOnlyDue { object["readOnlyDue"] = true }
    return object
  }
}

extension FeedResult {
  /// One element of `feeds`, and one line of `--format jsonl`. Unknown values are left out.
  package var json: JSONValue {
    var object: JSONObject = [
      "recordName": .string(recordName), "feedURL": .string(feedURL), "status": .string(status.rawValue),
    ]
    object["previousStatus"] = previousStatus.map { .string($0.rawValue) }
    object["httpStatus"] = httpStatus.map { JSONValue($0) }
    object["reasons"] = .array(reasons.map { .string($0.code) })
    object["suggestedURL"] = suggestedURL.map(JSONValue.string)
    object["items"] = items.map { JSONValue($0) }
    object["newestItem"] = newestItem.map { .string($0.iso8601) }
    object["uptimePercentage"] = uptimePercentage.map(JSONValue.double)
    object["uptimeChecks"] = .integer(uptimeChecks)
    if refusedChecks > 0 { object["refusedChecks"] = .integer(refusedChecks) }
    if isRefused { object["family"] = "refused" }
    object["statusSince"] = statusSince.map { .string($0.iso8601) }
    object["cause"] = cause.map { .string($0.rawValue) }
    object["detail"] = detail.map(JSONValue.string)
    object["suggestedRecordName"] = suggestedFeed.map { .string($0.recordName) }
    object["suggestionNote"] = suggestionNote.map(JSONValue.string)
    object["redirectedTo"] = redirectedTo.map(JSONValue.string)
    object["pageTitle"] = pageTitle.map(JSONValue.string)
    return .object(object)
  }
}

extension SkippedFeed {
  /// One element of `skipped`.
  package var json: JSONValue {
    var object: JSONObject = [
      "recordName": .string(recordName), "feedURL": .string(feedURL), "reason": .string(reason.kind.rawValue),
    ]
    object["until"] = reason.until.map { .string($0.iso8601) }
    object["lastCheck"] = lastCheck.map { .string($0.iso8601) }
    if case .ownRules(let rule, let detail) = reason {
      object["code"] = .string(rule.code)
      object["detail"] = .string(detail)
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
    if isOfAll, !readsOnlyDue, !isInterrupted, outage == nil, lost == 0 {
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

  private static let statuses: [HealthStatus] = [.healthy, .degraded, .down, .unknown]
}
