internal import Aggregates
internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The options of `recount audit`, which looks for subscriptions that were made to raise a count.
struct RecountAuditArguments: ParsableArguments {
  @Option("Report only this feed. May be repeated.", value: "slug", completion: CompletionValues.feeds)
  var feed: [String] = []
  @Option(
    "Look for bursts and limits only in what was created since then.", value: "time",
    transform: DurationParser.parse)
  var since: Duration?
  @Option("Subscriptions that one creator may have. Default: 500.", value: "n") var maxPerCreator: Int?
  @Option(
    "The severity from which the status is 3: error, warning or note. Default: error.", word: "severity")
  var failOn: Diagnostic.Severity?

  var isGiven: Bool { !feed.isEmpty || since != nil || maxPerCreator != nil || failOn != nil }

  func validate() throws {
    guard maxPerCreator ?? 1 > 0 else {
      throw ValidationError("--max-per-creator takes a number from 1 up")
    }
  }

  /// Reads every subscription once. Nothing is written, so no lease is taken.
  func audit(in context: CommandContext) async throws -> any Report {
    let container = try await context.openContainer().container
    var limits = SubscriptionAudit.Limits()
    limits.perCreator = maxPerCreator ?? 500
    if let since { limits.since = try await context.now(by: container) - since }
    let result = try await SubscriptionAuditResult(
      of: container, limits: limits, only: try await container.feedNames(feed))
    var report = FindingsReport(
      result.diagnostics, inputs: [try context.target.name],
      status: result.diagnostics.status(failOn: failOn ?? .error),
      summary: counted(result.feeds.count, "feed"))
    report.details = result.json
    return report
  }
}

extension Container {
  /// The record names of feeds given by slug or record name. Throws a usage error for an unknown one.
  fileprivate func feedNames(_ words: [String]) async throws -> Set<String> {
    guard !words.isEmpty else { return [] }
    var names: [String: String] = [:]
    try await forEachPage(of: Query(CatalogRecordType.publicFeed), desiredKeys: ["slug"]) { page in
      for record in page.records {
        names[record.recordName] = record.recordName
        if let slug = record["slug"]?.string { names[slug] = record.recordName }
      }
    }
    return try words.reduce(into: []) { found, word in
      guard let name = names[word] else {
        throw CommandFailure.usage(
          "no feed has the slug or the record name '\(word)'",
          hint: SpellingSuggestion.question(word, among: names.keys.sorted()))
      }
      found.insert(name)
    }
  }
}
