internal import Catalog
package import Diagnostics

extension OPMLImport {
  package struct Counts: Sendable, Hashable {
    package var new = 0
    package var known = 0
    package var nearDuplicates = 0
    package var unusable = 0
    /// Neither folders nor feeds, or feeds that the file repeats.
    package var skips: [OPMLFile.Skip: Int] = [:]
    package var skipped: Int { skips.values.reduce(0, +) }
    /// New feeds that were read, by what they said; 0 without a check.
    package var checked = 0
    package var dead = 0
    package var stale = 0
  }

  private var outcomes: [(Int, String)] {
    [
      (counts.new, "new"), (counts.dead, "of them without a working feed"),
      (counts.stale, "of them without news for a year"), (counts.known, "known: \(listed(known, upTo: 5))"),
      (counts.nearDuplicates, "near-duplicate: the catalog's feed is used"),
      (counts.unusable, "unusable"),
    ] + OPMLFile.Skip.allCases.map { (counts.skips[$0] ?? 0, "skipped: \($0.rawValue)") }
  }

  /// The report of `seed import`: the outlines it read and the feeds it added. The counts add up: every outline is a
  /// folder, a feed or skipped, and every feed is new, known, a near-duplicate or unusable.
  package func report(_ file: OPMLFile, _ workspace: SeedWorkspace, isDryRun: Bool) -> PlainReport {
    let findings = diagnostics.sortedForReading()
    let feeds = counts.new + counts.known + counts.nearDuplicates + counts.unusable
    // A file with errors was not imported as a whole; one that is not OPML was not imported at all. The finding says why.
    let isFatal = findings.contains {
      $0.code == CurationRule.notOPML.code || $0.code == CurationRule.tooLarge.code
    }
    let json: JSONValue = [
      "outlines": file.outlines.json, "folders": file.folders.json, "feeds": feeds.json,
      "new": counts.new.json, "known": counts.known.json,
      "nearDuplicates": counts.nearDuplicates.json, "unusable": counts.unusable.json,
      "skipped": counts.skipped.json, "checked": counts.checked.json, "dead": counts.dead.json,
      "stale": counts.stale.json, "unknownAttributes": file.unknownAttributes.json,
      "changes": workspace.changes.map(\.json).json, "dryRun": isDryRun.json,
    ]
    var table = Table([.init("", .right), .init("")], hasHead: false)
    for (count, words) in outcomes where count > 0 { table.add("  \(count)", "\(words)") }
    var report = PlainReport(
      findings.contains { $0.severity == .error } ? .findings : .done, json: json, findings: findings,
      failure: isFatal ? CommandFailure("nothing was imported", code: "bad-opml") : nil
    ) {
      GroupedFindings(findings).items
      if !isFatal {
        ReportBody.first(50, of: workspace.changes) { $0.item }
        "\(counted(file.outlines, "outline")): \(counted(file.folders, "folder")), \(counted(feeds, "feed"))\(counts.skipped > 0 ? ", \(counts.skipped) skipped" : "")."
        table
        if file.unknownAttributes > 0 {
          "\(counted(file.unknownAttributes, "attribute")) of other programs left out."
        }
        if isDryRun { "Nothing was written." }
      }
    }
    if !isDryRun {
      report.urgent = ReportBody { GroupedFindings(findings.filter { $0.severity > .note }).items }
    }
    return report
  }

  mutating func noteHazards(of url: ComparableAddress, _ entry: OPMLFile.Entry) {
    let name = entry.name ?? url.address?.host ?? ""
    for (rule, sentence) in FeedAddressHazard.all(in: url, of: name) { report(rule, sentence, entry) }
  }

  mutating func noteTags(_ lost: [String], _ entry: OPMLFile.Entry) {
    for text in lost {
      report(
        .unresolvedValue,
        "'\(text)' is left out, because a tag has at most \(SeedValueRules.maximumTagLength) characters and no capital letters",
        entry)
    }
  }

  /// Says what `seed add` asks about a page's feeds, of which the best was added.
  mutating func noteChoice(of url: String, from search: FeedSearchResult, for entry: OPMLFile.Entry) {
    let name = entry.name ?? search.input
    let others = search.numberedChoices.dropFirst().map(\.line)
    if !others.isEmpty || search.isElsewhere != nil {
      let elsewhere = search.isElsewhere.map { "which \($0), and other pages have" } ?? "which has"
      report(
        .noAddress,
        "'\(name)' got \(url) from \(search.input), \(elsewhere) \(counted(others.count + 1, "feed"))", entry,
        help: others.isEmpty
          ? "Look at the feed." : "To take another, use 'seed add --pick': \(others.joined(separator: "; "))")
    }
    if search.choices.first?.isCommentsFeed == true {
      report(
        .commentsFeed, "'\(name)' is a feed of comments", entry, help: "Look for another feed of the site.")
    }
  }

  /// Counts what a new feed said, and reports what is wrong with it.
  mutating func judge(_ answer: OPMLCheck.Answer, of entry: OPMLFile.Entry) {
    let name = entry.name ?? entry.feedURL ?? ""
    if answer.isForbidden, let problem = answer.problem {
      return report(
        .deadFeed, "'\(name)' was not read: \(problem)", entry,
        help: "To read it, add --allow-private-addresses.")
    }
    counts.checked += 1
    if let problem = answer.problem {
      counts.dead += 1
      return report(.deadFeed, "'\(name)' is not a working feed: \(problem)", entry)
    }
    if answer.isStale {
      counts.stale += 1
      report(.staleFeed, "'\(name)' has had nothing new since \(answer.newestDay ?? "")", entry)
    }
  }
}

/// Findings of an import by cause: one line and one remedy for each, however many outlines have it. Where the outlines have
/// values that a person must check or write again, each has its line.
struct GroupedFindings {
  /// In the order of their first finding, the most severe first.
  private let groups: [[Diagnostic]]
  private static let maxPlaces = 5
  private static let valueRules = Set([CurationRule.needsTrust, .unresolvedValue].map(\.rawValue))
  private static let lossRules = Set([CurationRule.badAddress, .brokenOutline].map(\.rawValue))

  init(_ findings: [Diagnostic]) {
    // Another remedy, or another ending such as ": HTTP 404", is another cause.
    groups = findings.groups {
      "\($0.code) \($0.help ?? "") \(Self.valueRules.contains($0.code) ? "" : Self.ending(of: $0.message))"
    }
    .sorted { $0[0].severity > $1[0].severity }
  }

  /// What follows the last name in quotes and a colon; empty for a message that gives no such reason.
  private static func ending(of message: String) -> Substring {
    let rest = message.split(separator: "'", omittingEmptySubsequences: false).last ?? ""
    guard let colon = rest.firstIndex(of: ":") else { return "" }
    return rest[colon...]
  }

  /// A few outlines that cannot be used have a line each, too, because only the address or name says what is lost.
  private static func hasLineForEach(_ group: [Diagnostic]) -> Bool {
    valueRules.contains(group[0].code)
      || lossRules.contains(group[0].code) && group.count <= maxPlaces
  }

  /// ` (lines 2, 3 and 4 more)`
  private static func place(_ findings: [Diagnostic]) -> String {
    let lines = findings.compactMap { $0.range?.start.line }.unique
    guard !lines.isEmpty else { return "" }
    return " (\(lines.count == 1 ? "line" : "lines") \(listed(lines.map(String.init), upTo: maxPlaces)))"
  }

  var items: [ListItem] {
    groups.flatMap { group in
      guard Self.hasLineForEach(group) else { return [Self.item(group[0], Array(group.dropFirst()))] }
      return group.indices.map { Self.item(group[$0], hasHelp: $0 == group.count - 1) }
    }
  }

  private static func item(_ first: Diagnostic, _ others: [Diagnostic] = [], hasHelp: Bool = true) -> ListItem
  {
    let more = others.isEmpty ? "" : ", and \(others.count) more like it\(place(others))"
    let word = StyledText(
      "\(first.severity.rawValue)[\(first.code)]", first.severity == .error ? .bad : .caution)
    return ListItem(
      "\(word): \(first.message)\(place([first]))\(more)",
      details: hasHelp ? (first.help.map { ["\("help: \($0)", .dim)"] } ?? []) : [])
  }
}
