package import Catalog
package import CloudKitModel
package import Diagnostics
internal import FeedParsing
internal import Platform
internal import RecordChanges
internal import XMLReading

/// A feed that was added to the seed files, with what was found beside it.
package struct AddedFeed: Sendable {
  package let entry: SeedFeed
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
    var warnings = [entry.slugNote].compactMap(\.self)
    if found.isCommentsFeed {
      warnings.append(Diagnostic(CurationRule.commentsFeed, "'\(entry.title)' is a feed of comments"))
    }
    for (rule, sentence) in FeedAddressHazard.all(in: ComparableAddress(entry.feedURL), of: entry.title)
    where rule == .secretAddress {
      warnings.report(rule, sentence, help: rule.rule.help)
    }
    if let newest = found.newestItem, OPMLCheck.isStale(newest, at: now) {
      warnings.report(
        CurationRule.staleFeed, "'\(entry.title)' has had nothing new since \(newest.iso8601.prefix(10))")
    }
    guard let language = entry.values["language"]?.string else {
      return warnings + [
        Diagnostic(
          CurationRule.feedLanguage, "'\(entry.title)' does not say which language it is in",
          help: "Give the entry a \"language\", such as \"en\".")
      ]
    }
    if let own = found.feed.language.flatMap(LanguageCodes.code), own != language {
      warnings.report(
        CurationRule.feedLanguage,
        "'\(entry.title)' gets the language '\(language)', but the feed says '\(own)'")
    }
    return warnings
  }

  fileprivate var json: JSONValue { ["feed": found.json, "others": others.map(\.feed.json).json] }

  fileprivate var item: ListItem {
    ListItem(
      "\(entry.title, .strong)  \(found.facts)",
      details: ["\(found.feedURL, .address)"]
        + others.map { number, other in
          let isTwin = other.twinOf == found.feedURL || found.twinOf == other.feedURL
          let facts = other.facts + (isTwin ? ", the same items" : "")
          return "\("also found: \(number). \(other.shownTitle)  \(facts)  \(other.feedURL)", .dim)"
        })
  }
}

extension SeedFeed {
  /// The note about an entry whose slug is not made of its whole title; `nil` for others.
  var slugNote: Diagnostic? {
    Slug.base(forTitle: title, url: feedURL).isReadable ? nil : madeUpSlugNote
  }

  var madeUpSlugNote: Diagnostic {
    let rule = CurationRule.madeUpSlug
    return Diagnostic(
      rule, "'\(title)' gets the slug '\(slug)', because its title is not all in Latin letters",
      help: rule.rule.help)
  }
}

extension [AddedFeed] {
  package func report(_ workspace: SeedWorkspace, isDryRun: Bool, now: Timestamp) -> PlainReport {
    let warnings = flatMap { $0.warnings(at: now) }
    let json: JSONValue = [
      "changes": workspace.changes.map(\.json).json,
      "files": .array(workspace.edits().map { .string($0.path) }), "dryRun": isDryRun.json,
      "added": .array(map(\.json)),
    ]
    return PlainReport(json: json, notes: warnings, isConfirmation: !isDryRun && warnings.isEmpty) {
      map(\.item)
      workspace.changes.map(\.item)
      isDryRun ? "Nothing was written." : "Review the files, then run 'celestra-admin seed plan'."
    }
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

extension SeedWorkspace.Change {
  var json: JSONValue {
    [
      "action": action.rawValue.json, "kind": kind.rawValue.json, "slug": slug.json, "file": file.json,
      "fields": fields.mapValues { ["from": $0.from ?? .null, "to": $0.to ?? .null] as JSONValue }.json,
    ]
  }

  var item: ListItem {
    ListItem(
      action == .create ? .created : .changed, "\(kind.rawValue) \(slug)  \(file, .dim)",
      details: fields.sorted { $0.key < $1.key }.map { name, change in
        "\(Self.difference(name, change.from, change.to))"
      })
  }

  /// `title: "Old" → "New"`; for a list, the elements that were added, removed or moved.
  static func difference(_ name: String, _ from: JSONValue?, _ to: JSONValue?) -> String {
    if let from = from?.string, let to = to?.string {
      return FieldChangeText().line(name, FieldChange(from: .string(from), to: .string(to)))
    }
    guard from?.array ?? to?.array != nil, from == nil || from?.array != nil, to == nil || to?.array != nil
    else { return "\(name): \(shown(from)) → \(shown(to))" }
    return FieldChangeText().line(
      name, FieldChange(from: .strings(from?.strings ?? []), to: .strings(to?.strings ?? [])))
  }

  static func shown(_ value: JSONValue?) -> String {
    TitleCleaner.shortened(value?.text() ?? "none", to: 100)
  }
}
