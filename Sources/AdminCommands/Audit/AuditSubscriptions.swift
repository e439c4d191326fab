internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `audit subscriptions`.
struct AuditSubscriptions: AdminCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "subscriptions", abstract: "Look for subscriptions that were made to raise a count.",
    discussion: """
      Reads every FeedSubscription once: names that their creator cannot have, many accounts that subscribed to one feed \
      within an hour and did nothing else, bursts, jumps since the last recount, and how many creators have more \
      subscriptions than a person makes. No output names a person, and feeds with fewer than 5 readers are left out. \
      Status 3 when there is a finding at or above --fail-on.

      Example: celestra-admin audit subscriptions --since 7d --fail-on warning
      """)

  @Option(
    help: ArgumentHelp("Report only this feed. May be repeated.", valueName: "slug"),
    completion: CompletionValues.feeds)
  var feed: [String] = []
  @Option(
    help: ArgumentHelp("Look for bursts and limits only in what was created since then.", valueName: "time"),
    transform: DurationParser.parse)
  var since: Duration?
  @Option(help: ArgumentHelp("Subscriptions that one creator may have.", valueName: "n")) var maxPerCreator =
    500
  @Option(
    help: ArgumentHelp("error, warning or note. Default: error.", valueName: "severity"),
    completion: .list(Diagnostic.Severity.allCases.map(\.rawValue)), transform: EnumOption.parse)
  var failOn: Diagnostic.Severity = .error
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuditSubscriptions>

  func validate() throws {
    guard maxPerCreator > 0 else { throw ValidationError("--max-per-creator takes a number from 1 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let container = try await context.openContainer().container
    var limits = SubscriptionAudit.Limits()
    limits.perCreator = maxPerCreator
    limits.since = since.map { context.now - $0 }
    let result = try await SubscriptionAuditResult(
      of: container, limits: limits, only: try await container.feedNames(feed))
    var report = FindingsReport(
      result.diagnostics, inputs: [try context.target.name], rules: SubscriptionAuditRule.rules,
      status: result.diagnostics.contains { $0.severity >= failOn } ? .findings : .done,
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
    try await forEachPage(of: Query("PublicFeed"), desiredKeys: ["slug"]) { page in
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
