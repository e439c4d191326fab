internal import Catalog
internal import Diagnostics
package import FeedParsing

package enum FeedOrigin: String, Sendable, Hashable, CaseIterable {
  /// The address that was typed is a feed.
  case input
  case linkElement, linkHeader
  /// The site is known, and its feed URLs follow from its page URLs.
  case siteRule
  case anchor
  case guess

  /// Declared by the publisher before found in the text, before guessed.
  var rank: Int {
    switch self {
    case .input: 0
    case .linkHeader, .linkElement, .siteRule: 1
    case .anchor: 2
    case .guess: 3
    }
  }

  /// Completes "found …".
  ///
  /// - Parameter page: the page that leads to the feed.
  func phrase(_ page: String) -> String {
    switch self {
    case .input: "at the address itself"
    case .linkElement: "in a link element of \(page)"
    case .linkHeader: "in the Link header of \(page)"
    case .siteRule: "by the site's rule for feed addresses"
    case .anchor: "through a link in the text of \(page)"
    case .guess: "at an address that many sites use"
    }
  }
}

package struct FoundFeed: Sendable, Equatable {
  /// After permanent redirects.
  package internal(set) var feedURL: String
  /// Addresses that led to it, the one asked for first.
  var trail: [String]
  package let origin: FeedOrigin
  /// The page that leads to it, if that is not the one asked for.
  package let otherPage: String?
  package let feed: ParsedFeed
  var linkTitle: String?
  /// As the feed or the page declares it: `en`, `pt-BR`.
  package internal(set) var language: String?
  package internal(set) var isCommentsFeed = false
  /// The program that made the page gives this address to the feed of the whole site.
  var isMain = false
  /// The address of the better of two feeds with the same items.
  package internal(set) var twinOf: String?
  package internal(set) var known: MatchingCatalogFeed?
  /// The reasons for its rank, each one sentence without a full stop.
  package internal(set) var reasons: [String] = []

  package var newestItem: FeedDate? { feed.items.compactMap { $0.published ?? $0.updated }.max() }
}

/// The feed of the catalog that a found feed seems to be.
package struct MatchingCatalogFeed: Sendable, Hashable {
  package enum Level: String, Sendable, Hashable {
    case same
    /// The addresses differ only in parts that rarely matter (``FeedURLComparisonKey``).
    case likely
    /// One address redirects permanently to the other, or the feed names the other as its own.
    case proven
  }

  package let slug: String
  package let level: Level
}

/// One request that was made for an input, or a reason why none was made.
package struct FeedSearchAttempt: Sendable, Hashable {
  package let url: String
  /// `nil` when no response arrived.
  package let status: Int?
  /// "feed: RSS 2.0, 10 items", "not a feed", "404".
  package let outcome: String
}

package struct FeedSearchResult: Sendable {
  package let input: String
  /// The page that was read, after redirects.
  package internal(set) var page: String?
  /// Requests, redirects included in theirs.
  package internal(set) var requests = 0
  /// The best first.
  package internal(set) var feeds: [FoundFeed] = []
  package internal(set) var attempts: [FeedSearchAttempt] = []
  /// A verified picture for the best feed.
  package internal(set) var imageURL: String?
  var pageTitle: String?
  /// Why the feeds are not of the address that was given, as a clause about it; `nil` if they are.
  package internal(set) var isElsewhere: String?
  /// Why nothing could be looked for, in one clause; `nil` when a page was read or a feed found.
  package internal(set) var problem: String?
  /// The address is that of a list of feeds.
  package internal(set) var isSubscriptionList = false

  /// What to do with a list of feeds; `nil` for anything else.
  var listHint: String? {
    isSubscriptionList
      ? "The address is a list of feeds: save it as a file, and run 'celestra-admin seed import FILE'." : nil
  }

  /// Whether an address was not read because it is in a private network.
  var needsPrivateAddresses = false

  var readsPrivateAddresses = false

  /// What to do when no feed was found; `nil` when nothing was tried.
  var nothingFoundHint: String? {
    if let hint = privateAddressHint ?? listHint { return hint }
    guard !attempts.isEmpty else { return nil }
    let option = readsPrivateAddresses ? " --allow-private-addresses" : ""
    return
      "Run 'celestra-admin feed find \(input.shellWord) --explain\(option)' to see every address that was tried."
  }

  /// What to do when no feed was found because an address is private; `nil` when none is.
  var privateAddressHint: String? {
    needsPrivateAddresses ? "The address is a private one. To read it, add --allow-private-addresses." : nil
  }

  /// The feeds to choose from, each with its number for `--pick` and a line for people.
  package var numberedChoices: [(number: Int, line: String)] {
    choices.map { feed in
      let title = TitleCleaner.plain(feed.feed.title ?? feed.feedURL)
      let page = feed.otherPage.map { "  (named by \($0))" } ?? ""
      return ((feeds.firstIndex(of: feed) ?? 0) + 1, "\(title)  \(feed.facts)  \(feed.feedURL)\(page)")
    }
  }

  /// The feeds to choose from: without copies and feeds of comments, unless there is nothing else.
  package var choices: [FoundFeed] {
    let plain = feeds.filter { $0.twinOf == nil && !$0.isCommentsFeed }
    return plain.isEmpty ? feeds : plain
  }
}
