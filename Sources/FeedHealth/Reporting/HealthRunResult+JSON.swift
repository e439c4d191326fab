internal import Catalog
internal import CloudKitModel
public import Diagnostics
internal import RecordChanges

extension HealthRunResult {
  /// The result of `health check --format json`. A dry run adds its plan, under the keys of `seed plan`.
  public var json: JSONValue {
    var object: JSONObject = [
      "checked": JSONValue(checked), "healthy": JSONValue(count(of: .healthy)),
      "degraded": JSONValue(count(of: .degraded)), "down": JSONValue(count(of: .down)),
      "notModified": JSONValue(notModified), "skipped": JSONValue(skipped.count),
      "localOutage": .bool(localOutage), "feeds": .array(feeds.map(\.json)),
      "skippedFeeds": .array(skipped.map(\.json)),
    ]
    if let changes = plan?.changes {
      object["create"] = JSONValue(changes.count { $0.action == .create })
      object["update"] = JSONValue(changes.count { $0.action == .update })
      object["changes"] = .array(changes.map { .object($0.planJSON()) })
    }
    return .object(object)
  }
}

extension FeedResult {
  /// One element of `feeds`, and one line of `--format jsonl`. Unknown values are left out.
  public var json: JSONValue {
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
    object["statusSince"] = statusSince.map { .string($0.iso8601) }
    object["detail"] = detail.map(JSONValue.string)
    object["suggestedRecordName"] = suggestedRecordName.map(JSONValue.string)
    object["redirectedTo"] = redirectedTo.map(JSONValue.string)
    object["pageTitle"] = pageTitle.map(JSONValue.string)
    return .object(object)
  }
}

extension SkippedFeed {
  /// One element of `skippedFeeds`.
  public var json: JSONValue {
    var object: JSONObject = [
      "recordName": .string(recordName), "feedURL": .string(feedURL), "reason": .string(reason.kind.word),
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
