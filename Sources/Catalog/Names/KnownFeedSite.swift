/// A site whose feed URLs can be derived from the URLs of its pages
/// (Documentation/reference/curation.md#known-sites).
package struct KnownFeedSite: Sendable {
  /// What the pages show: "YouTube channel".
  package let name: String
  /// A host, or `*.` and the end of one. `www.`, `m.`, `old.` and `new.` before it do not count.
  let host: String
  /// The path's segments: a word; `{name}` for any; `{name=a|b}` for one of these; `{name!a|b}` for any but these;
  /// `**` for any number of them. Then a query's parameter, if one is needed: `?list={id}`.
  let pattern: String
  /// The feeds' addresses, with the names of the pattern, `{host}` and `{root}`, in the order they are offered.
  let feeds: [String]
  /// A page, and its first feed.
  package let example: (page: String, feed: String)
}

extension KnownFeedSite {
  /// The feed URLs of a page, with the site's name; `nil` for an unknown site. Fetches nothing.
  package static func feeds(ofPage address: String) -> (site: String, feeds: [String])? {
    guard let page = WebAddress(address) else { return nil }
    for site in table {
      if let values = site.match(page) { return (site.name, site.feeds.map { fill($0, values) }) }
    }
    return nil
  }

  /// Whether many publishers share the host, so that two feeds on it may be unrelated.
  package static func hasManyPublishers(_ host: String) -> Bool {
    let host = bare(host)
    return sharedHosts.contains(host) || table.contains { $0.host == host }
  }

  /// A host without `www.` and its like.
  package static func bare(_ host: String) -> String {
    for prefix in ["www.", "m.", "old.", "new."] where host.hasPrefix(prefix) {
      return String(host.dropFirst(prefix.count))
    }
    return host
  }

  private static func fill(_ template: String, _ values: [String: String]) -> String {
    values.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  private func match(_ page: WebAddress) -> [String: String]? {
    // With a format in its query, the address is a feed's already.
    guard matchesHost(page.host), !page.query.contains("format=") else { return nil }
    var values = ["host": page.host, "root": "\(page.scheme)://\(page.authority)"]
    let parts = pattern.split(separator: "?", omittingEmptySubsequences: false)
    var segments = page.path.split(separator: "/")[...]
    for wanted in parts[0].split(separator: "/") {
      if wanted == "**" {
        segments = []
      } else {
        guard let segment = segments.popFirst(), Self.match(segment, wanted, &values) else { return nil }
      }
    }
    guard segments.isEmpty else { return nil }
    guard parts.count > 1 else { return values }
    return page.query.split(separator: "&").contains { Self.match($0, parts[1], &values) } ? values : nil
  }

  private func matchesHost(_ host: String) -> Bool {
    guard self.host.hasPrefix("*.") else { return Self.bare(host) == self.host }
    return host.hasSuffix(self.host.dropFirst()) && host.utf8.count > self.host.utf8.count - 1
  }

  /// `text{name}`, at most one name in a segment.
  private static func match(
    _ segment: Substring, _ wanted: Substring, _ values: inout [String: String]
  ) -> Bool {
    guard let open = wanted.firstIndex(of: "{") else { return segment == wanted }
    guard segment.hasPrefix(wanted[..<open]) else { return false }
    let value = segment[segment.index(segment.startIndex, offsetBy: wanted[..<open].count)...]
    let name = wanted[wanted.index(after: open)...].dropLast()
    guard !value.isEmpty, ![".rss", ".atom", ".xml", ".json"].contains(where: value.hasSuffix) else {
      return false
    }
    if let mark = name.firstIndex(where: { $0 == "=" || $0 == "!" }) {
      let listed = name[name.index(after: mark)...].split(separator: "|").contains(value)
      guard listed == (name[mark] == "=") else { return false }
      values[String(name[..<mark])] = String(value)
    } else {
      values[String(name)] = String(value)
    }
    return true
  }

  // MARK: The table

  private init(
    _ name: String, _ host: String, _ pattern: String, _ feeds: [String], _ page: String, _ feed: String
  ) {
    self.init(name: name, host: host, pattern: pattern, feeds: feeds, example: (page, feed))
  }

  /// Paths of GitHub's own that look like users.
  private static let reserved =
    "features|topics|orgs|settings|about|pricing|explore|marketplace|sponsors|login|join|search|collections|trending|"
    + "notifications|enterprise|security|customer-stories|readme|site|apps|new"

  private static let youTube = "https://www.youtube.com/feeds/videos.xml"

  /// In the order they are tried.
  package static let table = [
    KnownFeedSite(
      "YouTube channel", "youtube.com", "/channel/{id}/**", ["\(youTube)?channel_id={id}"],
      "https://www.youtube.com/channel/UCx/videos", "\(youTube)?channel_id=UCx"),
    KnownFeedSite(
      "YouTube playlist", "youtube.com", "/playlist?list={id}", ["\(youTube)?playlist_id={id}"],
      "https://m.youtube.com/playlist?si=1&list=PLx", "\(youTube)?playlist_id=PLx"),
    KnownFeedSite(
      "subreddit", "reddit.com", "/r/{name}", ["https://www.reddit.com/r/{name}/.rss"],
      "https://old.reddit.com/r/swift/", "https://www.reddit.com/r/swift/.rss"),
    KnownFeedSite(
      "subreddit", "reddit.com", "/r/{name}/{sort=new|hot|top|rising}",
      ["https://www.reddit.com/r/{name}/{sort}/.rss"], "https://www.reddit.com/r/swift/top",
      "https://www.reddit.com/r/swift/top/.rss"),
    KnownFeedSite(
      "Reddit user", "reddit.com", "/user/{name}", ["https://www.reddit.com/user/{name}/.rss"],
      "https://www.reddit.com/user/ann", "https://www.reddit.com/user/ann/.rss"),
    KnownFeedSite(
      "GitHub releases", "github.com", "/{owner!\(reserved)}/{repository}/releases",
      ["https://github.com/{owner}/{repository}/releases.atom"], "https://github.com/a/b/releases",
      "https://github.com/a/b/releases.atom"),
    KnownFeedSite(
      "GitHub tags", "github.com", "/{owner!\(reserved)}/{repository}/tags",
      ["https://github.com/{owner}/{repository}/tags.atom"], "https://github.com/a/b/tags",
      "https://github.com/a/b/tags.atom"),
    KnownFeedSite(
      "GitHub discussions", "github.com", "/{owner!\(reserved)}/{repository}/discussions",
      ["https://github.com/{owner}/{repository}/discussions.atom"], "https://github.com/a/b/discussions",
      "https://github.com/a/b/discussions.atom"),
    KnownFeedSite(
      "GitHub branch", "github.com", "/{owner!\(reserved)}/{repository}/commits/{branch}",
      ["https://github.com/{owner}/{repository}/commits/{branch}.atom"],
      "https://github.com/a/b/commits/main",
      "https://github.com/a/b/commits/main.atom"),
    KnownFeedSite(
      "GitHub repository", "github.com", "/{owner!\(reserved)}/{repository}",
      ["releases", "tags", "commits"].map { "https://github.com/{owner}/{repository}/\($0).atom" },
      "https://github.com/a/b", "https://github.com/a/b/releases.atom"),
    KnownFeedSite(
      "GitHub user", "github.com", "/{user!\(reserved)}", ["https://github.com/{user}.atom"],
      "https://github.com/a", "https://github.com/a.atom"),
    KnownFeedSite(
      "GitLab releases", "gitlab.com", "/{owner}/{project}/-/releases",
      ["https://gitlab.com/{owner}/{project}/-/releases.atom"], "https://gitlab.com/a/b/-/releases",
      "https://gitlab.com/a/b/-/releases.atom"),
    KnownFeedSite(
      "GitLab tags", "gitlab.com", "/{owner}/{project}/-/tags",
      ["https://gitlab.com/{owner}/{project}/-/tags?format=atom"], "https://gitlab.com/a/b/-/tags",
      "https://gitlab.com/a/b/-/tags?format=atom"),
    KnownFeedSite(
      "Bluesky account", "bsky.app", "/profile/{handle}", ["https://bsky.app/profile/{handle}/rss"],
      "https://bsky.app/profile/ann.example", "https://bsky.app/profile/ann.example/rss"),
    KnownFeedSite(
      "Medium author", "medium.com", "/@{user}", ["https://medium.com/feed/@{user}"],
      "https://medium.com/@ann",
      "https://medium.com/feed/@ann"),
    KnownFeedSite(
      "Medium tag", "medium.com", "/tag/{tag}", ["https://medium.com/feed/tag/{tag}"],
      "https://medium.com/tag/swift", "https://medium.com/feed/tag/swift"),
    KnownFeedSite(
      "Medium publication", "medium.com", "/{publication!feed|tag|m|about|search|me|new-story}",
      ["https://medium.com/feed/{publication}"], "https://medium.com/swift-notes",
      "https://medium.com/feed/swift-notes"),
    KnownFeedSite(
      "Medium site", "*.medium.com", "/", ["https://{host}/feed"], "https://ann.medium.com/",
      "https://ann.medium.com/feed"),
    KnownFeedSite(
      "Substack newsletter", "*.substack.com", "/{page!feed}/**", ["https://{host}/feed"],
      "https://ann.substack.com/archive", "https://ann.substack.com/feed"),
    KnownFeedSite(
      "Substack newsletter", "*.substack.com", "/", ["https://{host}/feed"], "https://ann.substack.com",
      "https://ann.substack.com/feed"),
    KnownFeedSite(
      "Blogger label", "*.blogspot.com", "/search/label/{label}",
      ["https://{host}/feeds/posts/default/-/{label}"], "https://ann.blogspot.com/search/label/tea",
      "https://ann.blogspot.com/feeds/posts/default/-/tea"),
    KnownFeedSite(
      "Blogger blog", "*.blogspot.com", "/", ["https://{host}/feeds/posts/default"],
      "https://ann.blogspot.com/",
      "https://ann.blogspot.com/feeds/posts/default"),
    KnownFeedSite(
      "WordPress.com category", "*.wordpress.com", "/category/{category}",
      ["https://{host}/category/{category}/feed/"], "https://ann.wordpress.com/category/tea/",
      "https://ann.wordpress.com/category/tea/feed/"),
    KnownFeedSite(
      "WordPress.com site", "*.wordpress.com", "/", ["https://{host}/feed/"], "https://ann.wordpress.com",
      "https://ann.wordpress.com/feed/"),
    KnownFeedSite(
      "Tumblr tag", "*.tumblr.com", "/tagged/{tag}", ["https://{host}/tagged/{tag}/rss"],
      "https://ann.tumblr.com/tagged/tea", "https://ann.tumblr.com/tagged/tea/rss"),
    KnownFeedSite(
      "Tumblr blog", "*.tumblr.com", "/", ["https://{host}/rss"], "https://ann.tumblr.com",
      "https://ann.tumblr.com/rss"),
    KnownFeedSite(
      "DEV author", "dev.to", "/{user!feed|t|tags|search|about}", ["https://dev.to/feed/{user}"],
      "https://dev.to/ann", "https://dev.to/feed/ann"),
    KnownFeedSite(
      "Lobsters tag", "lobste.rs", "/t/{tag}", ["https://lobste.rs/t/{tag}.rss"], "https://lobste.rs/t/swift",
      "https://lobste.rs/t/swift.rss"),
    KnownFeedSite(
      "Vimeo user", "vimeo.com", "/{user!channels|groups|categories|watch|features}",
      ["https://vimeo.com/{user}/videos/rss"], "https://vimeo.com/ann", "https://vimeo.com/ann/videos/rss"),
  ]

  /// Hosts that only serve feeds, or many people's pages, and have no rule of their own.
  private static let sharedHosts: Set<String> = [
    "feeds.feedburner.com", "feeds2.feedburner.com", "feedproxy.google.com", "feedpress.me", "rss.app",
    "openrss.org", "rsshub.app", "kill-the-newsletter.com", "hnrss.org", "anchor.fm", "feeds.megaphone.fm",
    "feeds.simplecast.com", "feeds.soundcloud.com", "feeds.transistor.fm", "feeds.buzzsprout.com",
    "feeds.acast.com",
    "rss.art19.com", "omnycontent.com", "feeds.fireside.fm", "feeds.libsyn.com", "rss.libsyn.com",
    "feed.podbean.com",
    "podcasts.files.bbci.co.uk", "feeds.bbci.co.uk", "rss.nytimes.com", "mastodon.social", "mastodon.online",
    "hachyderm.io", "fosstodon.org", "codeberg.org", "sites.google.com", "tiktok.com", "x.com", "twitter.com",
    "facebook.com", "instagram.com", "linkedin.com", "soundcloud.com", "patreon.com", "podcasts.apple.com",
    "open.spotify.com", "gist.github.com", "buttondown.email", "buttondown.com", "tinyletter.com", "write.as",
  ]
}
