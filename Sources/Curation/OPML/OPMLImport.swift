package import Catalog
package import Diagnostics
internal import XMLReading

/// Adds the entries of an OPML file that the catalog does not have to its seeds.
package struct OPMLImport {
  package internal(set) var counts = Counts()
  /// The slugs of the feeds that the catalog has.
  private(set) var known: [String] = []
  package private(set) var diagnostics: [Diagnostic]
  private let fallback: String?
  let trusts: Bool
  /// What the file says of collections that the catalog does not have, by slug.
  var collections: [String: SeedValues]
  private(set) var folders: OPMLFolders
  private var addresses: CatalogFeedURLs
  /// Feeds of this file by address, with their slugs.
  private var imported: [String: String] = [:]
  /// What the folders of each listing of a feed say, by address.
  private var placements: [String: [OPMLFolders.Placement]] = [:]
  /// The normalized addresses of the feeds that an export of this tool lists: each is a feed of its own.
  private let exported: Set<String>
  /// The new feeds were asked.
  private(set) var isChecked = false
  /// New feeds without a language.
  var unspoken: (count: Int, first: OPMLFile.Entry)?
  var slugs: SlugPool
  /// The slugs of this file's feeds in the catalog, by their slugs in the file.
  private(set) var slugsByFileSlug: [String: String] = [:]
  var recordNames: Set<String>
  private(set) var retired: Set<String>
  /// What the import adds, in the order of the file.
  private(set) var additions: [Addition] = []
  /// The attributes that need trust, by name.
  var ignored: [String: (count: Int, first: OPMLFile.Entry)] = [:]

  struct Addition {
    let slug: String
    let entry: OPMLFile.Entry
    /// `nil` for a feed that the catalog has.
    var feed: SeedFeed?
    let collection: (slug: String, title: String)?
  }

  /// - Parameters:
  ///   - fallback: the category of feeds whose folders name none.
  ///   - trusts: also takes the attributes that tie feeds to records or vouch for them.
  package init(
    _ file: OPMLFile, catalog: SeedCatalog, mapping: OPMLFolderMapping, fallback: String?,
    trusts: Bool = false
  ) {
    folders = OPMLFolders(file, catalog: catalog, mapping: mapping)
    self.fallback = fallback
    self.trusts = trusts
    let present = Set(catalog.collections.map(\.slug))
    collections = file.collections.filter { !present.contains($0.key) }
    diagnostics = file.diagnostics
    counts.skips = file.skips
    counts.unusable = file.unusable
    addresses = CatalogFeedURLs(catalog)
    exported = Set(file.entries.filter(\.isExported).compactMap { $0.feedURL.map(WebAddress.normalized) })
    slugs = SlugPool(Set(catalog.feeds.map(\.slug)))
    retired = Set(catalog.feeds.filter(\.isRetired).map(\.slug))
    recordNames = Set(
      catalog.categories.map { $0.recordName ?? $0.slug }
        + catalog.allEntries.compactMap(\.recordName))
  }

  /// Adds the entries of the file, once.
  ///
  /// Throws ``CommandFailure`` and `CancellationError`.
  ///
  /// - Parameters:
  ///   - finder: finds the feeds of entries that have only a page; `nil` leaves them out.
  ///   - check: reads the new feeds; `nil` takes them as they are.
  package mutating func add(
    _ entries: [OPMLFile.Entry], to seeds: inout SeedWorkspace, finder: FeedFinder?, check: OPMLCheck? = nil
  ) async throws {
    var listings = entries.map { OPMLListing($0, in: &folders) }
    if let check {
      isChecked = true
      let new = listings.filter { known($0) == nil }.compactMap(\.listed?.text).unique
      let answers = Dictionary(uniqueKeysWithValues: zip(new, try await check.answers(of: new)))
      for index in listings.indices {
        if let answer = listings[index].listed.flatMap({ answers[$0.text] }) { listings[index].take(answer) }
      }
    }
    for index in listings.indices where listings[index].listed == nil {
      guard let finder, let page = listings[index].entry.seed.siteURL else { continue }
      listings[index].take(try await finder.find(page))
    }
    for index in listings.indices {
      guard let url = listings[index].url else { continue }
      placements[url.normalized, default: []].append(listings[index].placement)
    }
    for listing in listings { add(listing) }
    try write(to: &seeds)
  }

  // MARK: Entries

  /// An entry without a feed's address is unusable.
  private mutating func add(_ listing: OPMLListing) {
    let (entry, placement) = (listing.entry, listing.placement)
    guard let listed = listing.listed, let url = listing.url else {
      counts.unusable += 1
      return report(
        .noAddress,
        "'\(entry.name ?? "an outline")' has a page, but no feed\(listing.search?.problem.map { ": \($0)" } ?? "")",
        entry,
        help: listing.search?.nothingFoundHint)
    }
    diagnostics += folders.findings(about: placement, of: entry)
    if let slug = imported[listed.normalized] {
      counts.skips[.repeated, default: 0] += 1
      // An export of this tool lists a feed again in each of its collections.
      if entry.collection == nil {
        report(.repeatedFeed, "the file lists '\(slug)' more than once", entry)
      }
      additions.append(Addition(slug: slug, entry: entry, collection: placement.collection))
      return
    }
    if let known = known(listing) { return keep(known, listing, listed) }
    let placements = placements[url.normalized] ?? []
    guard let category = placements.compactMap(\.category).first ?? fallback else {
      counts.unusable += 1
      return report(
        .noCategory, "'\(entry.name ?? url.text)' has no category", entry,
        help: placement.unknownFolder.flatMap(folders.nearestCategory)
          .map { "Did you mean the category '\($0)'? Or name one with --category." }
          ?? "Name one for such feeds with --category.")
    }
    // A feed has one category: the others that list it become tags, as other folders do.
    let tags = placements.flatMap { place in
      place.tags.compactMap(FolderTagName.made)
        + [place.category].compactMap(\.self).filter { $0 != category && !folders.isAbove(category, $0) }
    }
    var feed = seed(entry, listed: listed, url: url, tags: tags)
    noteTags(folders.lost(entry.categories + placements.flatMap(\.tags)), entry)
    feed.category = category
    counts.new += 1
    if let answer = listing.answer { judge(answer, of: entry) }
    if let search = listing.search { noteChoice(of: url.text, from: search, for: entry) }
    if url.text != listed.text {
      report(
        .movedFeed,
        "\(listed.text) redirects permanently to \(url.text), the address that '\(feed.slug)' gets", entry)
    }
    note(feed.slug, entry, listed)
    imported[url.normalized] = feed.slug
    addresses.add(url, of: feed.slug)
    if feed.isRetired { retired.insert(feed.slug) }
    additions.append(Addition(slug: feed.slug, entry: entry, feed: feed, collection: placement.collection))
  }

  /// The feed that an entry is, unless an export of this tool lists both.
  private func known(_ listing: OPMLListing) -> MatchingCatalogFeed? {
    guard let address = listing.listed,
      let (feed, url) = addresses.known(address, trail: listing.trail)
    else { return nil }
    return feed.level != .same && listing.entry.isExported && exported.contains(url) ? nil : feed
  }

  private mutating func note(_ slug: String, _ entry: OPMLFile.Entry, _ listed: ComparableAddress) {
    imported[listed.normalized] = slug
    if !entry.seed.slug.isEmpty, slugsByFileSlug[entry.seed.slug] == nil {
      slugsByFileSlug[entry.seed.slug] = slug
    }
  }

  private mutating func keep(
    _ known: MatchingCatalogFeed, _ listing: OPMLListing, _ listed: ComparableAddress
  ) {
    let entry = listing.entry
    note(known.slug, entry, listed)
    let (feed, isProven) = ("the feed '\(known.slug)'", known.level == .proven)
    if known.level == .same {
      counts.known += 1
      self.known.append(known.slug)
    } else {
      counts.nearDuplicates += 1
      let fact =
        !isProven
        ? "is probably \(feed)"
        : listing.answer == nil ? "is \(feed) at another address" : "redirects permanently to \(feed)"
      report(
        .nearDuplicate, "\(listed.text) \(fact)", entry,
        help: isProven ? "Nothing needs to be done: the feed is not added again." : nil)
    }
    // The collection gets the feed that the catalog has.
    additions.append(Addition(slug: known.slug, entry: entry, collection: listing.placement.collection))
  }

  mutating func report(
    _ rule: CurationRule, _ message: String, _ entry: OPMLFile.Entry, help: String? = nil
  ) {
    // What is left out of a trusted file is missed.
    let severity: Diagnostic.Severity? = trusts && rule == .unresolvedValue ? .error : nil
    diagnostics.append(
      Diagnostic(rule, message, at: entry.range, severity: severity, help: help ?? rule.rule.help.nonEmpty))
  }
}
