internal import Catalog
internal import Diagnostics

extension OPMLImport {
  mutating func seed(
    _ entry: OPMLFile.Entry, listed: ComparableAddress, url address: ComparableAddress, tags: [String]
  ) -> SeedFeed {
    var feed = entry.seed
    let url = address.text
    feed.title = entry.name ?? TitleCleaner.best(feed: nil, page: nil, url: url)
    feed.feedURL = url
    // Many programs write the feed's address into both attributes.
    if !entry.isExported, let site = feed.siteURL.map(WebAddress.normalized),
      site == address.normalized || site == listed.normalized
    {
      feed.siteURL = nil
    }
    noteHazards(of: address, entry)
    if let page = address.address.flatMap(KnownFeedSite.feeds), let own = page.feeds.first {
      report(
        .notAFeed, "'\(feed.title)' has the address of a page, not of a feed: \(url)", entry,
        help: "Its feed is \(own).")
    }
    // An export of this tool leaves out what the seed does not have.
    if feed.values["language"] == nil, entry.seed.slug.isEmpty {
      unspoken = ((unspoken?.count ?? 0) + 1, unspoken?.first ?? entry)
    }
    if feed.slug.isEmpty || !slugs.take(feed.slug) {
      let made = slugs.suggested(forTitle: feed.title, url: url)
      feed.slug = made.slug
      if !made.isReadable { report(.madeUpSlug, feed.madeUpSlugNote.message, entry) }
    }
    let all = tags.reduce(into: feed.tags) { if !$0.contains($1) { $0.append($1) } }
    if !all.isEmpty { feed.tags = all }
    for name in takeTrusted(&feed.values, SeedFields.celestra.feed, of: "the new feed '\(feed.slug)'", entry)
    {
      ignored[name, default: (0, entry)].count += 1
    }
    return feed
  }

  /// Takes the values that need trust, or leaves them out and returns their attributes. No two seeds may have one record name.
  private mutating func takeTrusted(
    _ values: inout SeedValues, _ fields: [SeedField], of subject: String, _ entry: OPMLFile.Entry
  ) -> [String] {
    var ignored: [String] = []
    for field in fields where field.opml == .trusted {
      guard let value = values[field.key], value != field.usual, let name = field.opmlName else { continue }
      guard trusts else {
        values[field.key] = nil
        ignored.append(name)
        continue
      }
      if field.key == "recordName", let record = value.string, !recordNames.insert(record).inserted {
        values[field.key] = nil
        report(
          .unresolvedValue, "the record name '\(record)' of \(subject) already belongs to another seed", entry
        )
        continue
      }
      report(
        .needsTrust, "'\(name)' of \(subject) is taken from the file: \(value.text())", entry,
        help: "Check it before you commit the files.")
    }
    return ignored
  }

  /// Writes what was read to the seeds. Only now it is known which slug each feed of the file has.
  mutating func write(to seeds: inout SeedWorkspace) throws(CommandFailure) {
    for (name, (count, entry)) in ignored.sorted(by: { $0.key < $1.key }) {
      report(
        .needsTrust,
        "'\(name)' of \(counted(count, "new feed")) is ignored\(count > 1 ? "; this is the first" : "")",
        entry)
    }
    if let unspoken {
      report(
        .noLanguage,
        "no language is known for \(counted(unspoken.count, "new feed"))\(unspoken.count > 1 ? "; this is the first" : "")",
        unspoken.first,
        help: isChecked
          ? "These feeds name none or did not answer: add \"language\" to their entries in the seed files."
          : nil)
    }
    for addition in additions {
      if var feed = addition.feed {
        resolveReferences(of: &feed, addition.entry)
        seeds.add(feed, category: feed.category)
      }
      guard let collection = addition.collection else { continue }
      if retired.contains(addition.slug) {
        report(
          .unresolvedValue,
          "'\(addition.slug)' is retired, so it is not added to the collection '\(collection.slug)'",
          addition.entry)
      } else {
        try seeds.add(
          [addition.slug], toCollection: collection.slug, title: collection.title,
          values: values(ofCollection: collection.slug, addition.entry))
      }
    }
  }

  /// What an export of this tool says of a new collection, without what is not trusted.
  private mutating func values(ofCollection slug: String, _ entry: OPMLFile.Entry) -> SeedValues {
    guard var values = collections.removeValue(forKey: slug) else { return SeedValues() }
    for name in takeTrusted(&values, SeedFields.celestra.collection, of: "the collection '\(slug)'", entry) {
      report(.needsTrust, "'\(name)' of the collection '\(slug)' is ignored", entry)
    }
    return values
  }

  /// The fields of feeds that name entries and that the outline has no rules of its own for.
  private static let references = SeedFields.celestra.feed.filter { field in
    field.opml != .outline && (field.form.target != nil || field.form == .slugs)
  }

  /// Replaces the file's slugs by those of the catalog. A slug that the file has no feed for is left out.
  private mutating func resolveReferences(of feed: inout SeedFeed, _ entry: OPMLFile.Entry) {
    for field in Self.references {
      guard let value = feed.values[field.key] else { continue }
      switch field.form {
      case .reference(let kind):
        let slug = value.string.flatMap { resolved($0, kind) }
        let isUsable = slug != feed.slug && !(field.key == "replacedBy" && slug.map(retired.contains) == true)
        feed.values[field.key] = isUsable ? slug.map(JSONValue.string) : nil
        guard feed.values[field.key] == nil else { continue }
        report(
          .unresolvedValue,
          "'\(field.key)' of '\(feed.slug)' is left out: \(value.text()) is not another active \(kind.rawValue) of "
            + "the file", entry)
      case .slugs, .references:
        // A slug of no feed of the file says nothing about a feed of the catalog that has it by chance.
        let slugs = value.strings.compactMap { resolved($0, .feed) }.filter { $0 != feed.slug }.unique
        feed.values[field.key] = slugs.isEmpty ? nil : .array(slugs.map(JSONValue.string))
      default: continue
      }
    }
  }

  private func resolved(_ slug: String, _ kind: SeedKind) -> String? {
    kind == .feed ? slugsByFileSlug[slug] : folders.hasCategory(slug) ? slug : nil
  }
}
