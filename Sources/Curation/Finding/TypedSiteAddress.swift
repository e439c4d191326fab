internal import Catalog
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport

/// The URLs that a user may mean by the address of a site as they typed it.
enum TypedSiteAddress {
  /// In the order they are tried; empty for what cannot be a web address. Without a scheme, https comes before http.
  static func candidates(_ typed: String) -> [String] {
    let text = withTwoSlashes(FeedURLComparisonKey.withoutFeedScheme(spelled(typed)))
    guard !text.isEmpty else { return [] }
    if let address = URLParts(text), text.contains("://") { return [WebAddress.spelled(address.text)] }
    let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.prefix { $0 != ":" }
    guard !text.contains("://"), host.contains(".") || host == "localhost" || text.hasPrefix("["),
      !authority.contains("@")
    else { return [] }
    return ["https", "http"].compactMap { URLParts("\($0)://\(text)").map { WebAddress.spelled($0.text) } }
  }

  /// Why a text is not a web address, and what to type instead.
  static func problem(with typed: String) -> String {
    let text = spelled(typed)
    if text.isEmpty { return "the address is empty" }
    if text.hasPrefix("@") {
      return "'\(text)' is a handle; type the site too, such as https://www.youtube.com/\(text)"
    }
    if text.contains("@") { return "'\(text)' is a mail address or a handle, not the address of a site" }
    if let scheme = text.firstRange(of: "://") {
      return "'\(text[..<scheme.lowerBound])' is not a scheme of web addresses; use http or https"
    }
    return "'\(text)' is not the address of a site, such as kottke.org"
  }

  /// Without the white space around it and the line ends that mail programs put into it. A space within is part of the
  /// address.
  private static func spelled(_ typed: String) -> String {
    let text = typed.split(whereSeparator: \.isNewline).map(\.trimmingWhitespace).joined()
    // Mail programs put brackets and quotes around addresses.
    let isQuoted = [("<", ">"), ("\"", "\"")].contains { text.hasPrefix($0) && text.hasSuffix($1) }
    return isQuoted && text.utf8.count > 1 ? String(text.dropFirst().dropLast()) : text
  }

  /// `http:/host`, `https:host` and `http//host` with the two slashes that are missing.
  private static func withTwoSlashes(_ text: String) -> String {
    for scheme in ["https", "http"] where text.lowercased().hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      let tail = rest.drop { $0 == ":" || $0 == "/" }
      let mark = rest.prefix(rest.count - tail.count)
      // A host may begin with the letters of a scheme.
      guard mark.contains(":") || mark == "//", !tail.isEmpty else { continue }
      return "\(scheme)://\(tail)"
    }
    return text
  }
}

/// Usual feed URLs of sites that do not declare a feed (Documentation/reference/curation.md#guessed-addresses).
enum GuessedFeedURLs {
  private static let names = [
    "feed/", "index.xml", "rss", "atom.xml", "feed.xml", "rss.xml", "feed", "index.rdf", "feed.json",
    "index.rss", "feeds/posts/default",
  ]
  /// Of a folder below the root, such as a person's pages on a shared host.
  private static let namesNear = ["feed/", "index.xml", "rss.xml", "index.rdf", "feed"]

  /// Begin near the page, if it is not at the root.
  static func all(around page: String, root: String) -> [String] {
    let folder = URLParts(page.hasSuffix("/") ? "./" : page + "/", relativeTo: page)?.text ?? root
    let near = folder == root ? [] : namesNear.map { folder + $0 }
    return near + names.map { root + $0 }
  }
}

/// The addresses that programs give the feeds of the pages they make.
enum PlatformFeedURLs {
  static func feeds(of page: WebPage, headers: HTTPHeaders) -> [String] {
    if let id = page.tags.channelID, id.hasPrefix("UC"), let host = WebAddress(page.url)?.host,
      KnownFeedSite.bare(host) == "youtube.com"
    {
      return ["https://www.youtube.com/feeds/videos.xml?channel_id=\(id)"]
    }
    let generator = page.tags.generator ?? ""
    let isMastodon =
      generator.contains("mastodon")
      || headers.fields.contains {
        $0.value.lowercased().contains("mastodon") && $0.name.lowercased() != "link"
      }
    if isMastodon, let path = WebAddress(page.url)?.path, path.hasPrefix("/@") { return [page.url + ".rss"] }
    let target = rules.first { generator.contains($0.generator) }?.target
    return [target.flatMap { URLParts($0, relativeTo: page.url)?.text }].compactMap(\.self)
  }

  private static let rules: [(generator: String, target: String)] = [
    ("wordpress", "/feed/"), ("blogger", "/feeds/posts/default"), ("ghost", "/rss/"),
    ("discourse", "/latest.rss"),
    ("medium", "/feed"), ("squarespace", "?format=rss"), ("substack", "/feed"), ("hugo", "/index.xml"),
    ("jekyll", "/feed.xml"), ("eleventy", "/feed.xml"), ("wix.com", "/blog-feed.xml"),
  ]
}
