internal import Catalog
package import CloudKitModel
package import Diagnostics
internal import FeedParsing
internal import XMLReading

/// A feed that was added to the seed files, with what was found beside it.
package struct AddedFeed: Sendable {
  let entry: SeedFeed
  let found: FoundFeed
  let result: FeedSearchResult

  /// The other feeds of the site, each with its number for `--pick`.
  var others: [(number: Int, feed: FoundFeed)] {
    result.feeds.enumerated().filter { $0.element.feedURL != found.feedURL }.map {
      ($0.offset + 1, $0.element)
    }
  }

  /// What an editor should look at before the entry is applied.
  func warnings(at now: Timestamp) -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    if found.isCommentsFeed {
      warnings.append(Diagnostic(CurationRule.commentsFeed, "'\(entry.title)' is a feed of comments"))
    }
    if FeedAddressHazard.all(in: entry.feedURL).contains(.secret) {
      let hazard = FeedAddressHazard.secret
      warnings.append(
        Diagnostic(
          hazard.rule, hazard.sentence(of: entry.title, at: entry.feedURL), help: hazard.rule.rule.help))
    }
    if let newest = found.newestItem {
      let age = now.since(Timestamp(milliseconds: newest.milliseconds))
      if age > OPMLCheck.staleAge {
        warnings.append(
          Diagnostic(
            CurationRule.staleFeed, "'\(entry.title)' has had nothing new since \(newest.iso8601.prefix(10))")
        )
      }
    }
    guard let language = entry.values["language"]?.string else {
      return warnings + [
        Diagnostic(
          CurationRule.feedLanguage, "the feed does not say which language it is in",
          help: "Give the entry a \"language\", such as \"en\".")
      ]
    }
    if let own = found.feed.language.flatMap(LanguageCodes.code), own != language {
      warnings.append(
        Diagnostic(
          CurationRule.feedLanguage, "the entry has the language '\(language)', but the feed says '\(own)'"))
    }
    return warnings
  }
}

package struct SeedAddReport: Report {
  private let added: AddedFeed
  private let edits: SeedEditReport
  private let warnings: [Diagnostic]

  /// - Parameter now: what the age of items is counted from.
  package init(
    _ added: AddedFeed, _ workspace: SeedWorkspace, isDryRun: Bool, now: Timestamp
  ) throws(CommandFailure) {
    self.added = added
    edits = try SeedEditReport(workspace, isDryRun: isDryRun)
    warnings = added.warnings(at: now)
  }

  package var notes: [Diagnostic] { warnings }
  package var isConfirmation: Bool { edits.isConfirmation && warnings.isEmpty }

  package var json: JSONValue {
    guard var object = edits.json.object else { return edits.json }
    object["feed"] = added.found.json
    object["others"] = .array(added.others.map(\.feed.json))
    return .object(object)
  }

  package var body: ReportBody {
    ListItem(
      "\(added.entry.title, .strong)  \(added.found.facts)",
      details: ["\(added.found.feedURL, .address)"]
        + added.others.map { number, other in
          "\("also found: \(number). \(other.shownTitle)  \(other.facts)  \(other.feedURL)", .dim)"
        })
    edits.body
  }
}

extension FoundFeed {
  var shownTitle: String {
    let title = TitleCleaner.plain(feed.title ?? "")
    return title.isEmpty ? "(no title)" : title
  }

  /// `rss2.0, 10 items, newest 2026-11-20, en`
  var facts: String {
    var facts = [feed.format.rawValue, counted(feed.items.count, "item")]
    if let newestItem { facts.append("newest \(newestItem.iso8601.prefix(10))") }
    if let language { facts.append(language) }
    if isCommentsFeed { facts.append("comments") }
    return facts.joined(separator: ", ")
  }
}
