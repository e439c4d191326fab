internal import Catalog
internal import Diagnostics

/// An entry of an OPML file with its place in the catalog, and what its page and its feed said.
struct OPMLListing {
  private(set) var entry: OPMLFile.Entry
  /// What the folders around it are in the catalog.
  let placement: OPMLFolders.Placement
  /// The feed's address in the file, or else the one that was found; `nil` for none.
  private(set) var listed: ComparableAddress?
  /// The address to write: the one to which the entry's own redirects for good, as `seed add` does. The import of an export
  /// gives the same entries.
  private(set) var url: ComparableAddress?
  /// What was found at its page; `nil` when nothing was looked for.
  private(set) var search: FeedSearchResult?
  /// What the feed said; `nil` when it was not read.
  private(set) var answer: OPMLCheck.Answer?

  init(_ entry: OPMLFile.Entry, in folders: inout OPMLFolders) {
    self.entry = entry
    placement = folders.placement(of: entry)
    listed = entry.feedURL.map(ComparableAddress.init)
    url = listed
  }

  /// Other addresses of the feed.
  var trail: [ComparableAddress] {
    ((answer?.moves ?? []) + (search?.choices.first?.trail ?? [])).map(ComparableAddress.init)
  }

  mutating func take(_ answer: OPMLCheck.Answer) {
    self.answer = answer
    if answer.problem == nil { entry.complete(with: answer) }
    if !entry.isExported, let target = answer.moves.last { url = ComparableAddress(target) }
  }

  /// Takes the best feed that was found at the page.
  mutating func take(_ search: FeedSearchResult) {
    self.search = search
    let best = search.choices.first
    entry.feedURL = best.flatMap { TitleCleaner.address($0.feedURL) }
    listed = entry.feedURL.map(ComparableAddress.init)
    url = listed
    if entry.seed.values["language"] == nil, let code = best?.language.flatMap(LanguageCodes.code) {
      entry.seed.language = code
    }
  }
}

extension OPMLFile.Entry {
  /// Takes what the feed says about itself where the file says nothing.
  mutating func complete(with answer: OPMLCheck.Answer) {
    if name == nil || name == feedURL {
      let title = answer.title.map(TitleCleaner.plain) ?? ""
      name = title.isEmpty ? nil : title
    }
    if seed.values["language"] == nil, let code = answer.language.flatMap(LanguageCodes.code) {
      seed.language = code
    }
    // Some files name the feed itself as its site.
    let site = seed.siteURL.map(WebAddress.normalized)
    if site == nil || site == feedURL.map(WebAddress.normalized) {
      seed.siteURL = answer.siteURL.flatMap(TitleCleaner.address) ?? seed.siteURL
    }
  }
}
