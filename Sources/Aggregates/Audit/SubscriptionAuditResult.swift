internal import Catalog
package import CloudKitModel
package import Diagnostics
internal import RecordChanges

package struct SubscriptionAuditResult: Sendable {
  /// With at least ``SubscriptionAudit/minReaders`` subscriptions.
  package let feeds: [SubscriptionAudit.Feed]
  package let creatorsOverLimit: Int
  package let creatorsOverHourlyLimit: Int

  package var diagnostics: [Diagnostic] {
    var list = feeds.flatMap { feed in
      SubscriptionAudit.Signal.allCases.filter(feed.signals.contains).map { feed.finding($0) }
    }
    if creatorsOverLimit + creatorsOverHourlyLimit > 0 {
      list.report(
        AggregateRule.creatorsOverLimit,
        "\(counted(creatorsOverLimit, "creator")) with more subscriptions than allowed, and "
          + "\(creatorsOverHourlyLimit) with more of them within an hour")
    }
    return list
  }

  package var json: JSONObject {
    [
      "feeds": feeds.map(\.json).json, "creatorsOverLimit": creatorsOverLimit.json,
      "creatorsOverHourlyLimit": creatorsOverHourlyLimit.json, "complete": true.json,
    ]
  }
}

extension SubscriptionAuditResult {
  /// Reads all subscriptions of a container, in one sweep, and audits them. Throws the container's errors.
  package init(
    of container: any Container, limits: SubscriptionAudit.Limits, only: Set<String> = []
  ) async throws {
    var keys = try await LastJobRun.keys(of: LeaseName("recount subscribers"), in: container)
    if let caller = container.callerRecordName { keys.insert(CreatorNames.keyDigest(of: caller)) }
    var audit = SubscriptionAudit(limits, names: CreatorNames(ownKeys: keys))
    try await container.forEachPage(
      of: Query(CatalogRecordType.feedSubscription), desiredKeys: ["feedRecordName"]
    ) { page in
      audit.add(page.records)
    }
    let names = audit.judgedNames
    let records = try await container.lookupAll(names, desiredKeys: ["title", "subscriberCount"])
      .compactMap(\.record).keyed(by: \.recordName)
    var feeds = audit.judgedFeeds(published: records.compactMapValues { $0["subscriberCount"]?.int64 })
    for index in feeds.indices { feeds[index].title = records[feeds[index].recordName]?["title"]?.string }
    self.init(
      feeds: only.isEmpty ? feeds : feeds.filter { only.contains($0.recordName) },
      creatorsOverLimit: audit.creatorsOverLimit, creatorsOverHourlyLimit: audit.creatorsOverHourlyLimit)
  }
}

extension SubscriptionAudit.Feed {
  fileprivate func finding(_ signal: SubscriptionAudit.Signal) -> Diagnostic {
    let name = title.map { "'\($0)'" } ?? recordName
    switch signal {
    case .madeUp:
      return Diagnostic(
        AggregateRule.madeUp,
        "\(names.madeUp) of \(readers) subscriptions to \(name) have names that their creator cannot have",
        help: "Leave them out with 'recount subscribers --count-names verified'.")
    case .newAccounts:
      return Diagnostic(
        AggregateRule.newAccounts,
        "within one hour many accounts subscribed to \(name) that did nothing else")
    case .burst:
      return Diagnostic(
        AggregateRule.burst,
        "\(name) got many subscriptions within one hour, from people with other ones")
    case .jump:
      return Diagnostic(
        AggregateRule.jump, "\(name) has more than twice the readers of the last recount: \(readers)")
    }
  }

  fileprivate var json: JSONValue {
    let signals = signals.map(\.rawValue).sorted().map(JSONValue.string)
    return .object([
      "recordName": recordName.json, "title": JSONValue(orNull: title), "readers": readers.json,
      "verified": names.verified.json, "own": names.own.json, "madeUp": names.madeUp.json,
      "signals": signals.isEmpty ? .none : .some(.array(signals)),
    ])
  }
}
