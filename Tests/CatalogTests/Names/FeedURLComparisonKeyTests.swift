import Testing

@testable import Catalog

@Suite struct FeedURLComparisonKeyTests {
  @Test(
    "two spellings of one feed's address compare equal",
    arguments: [
      ("http://a.example/feed", "https://a.example/feed"),
      ("https://www.a.example/feed", "https://a.example/feed"),
      ("https://a.example/feed/", "https://a.example/feed"),
      ("https://a.example/%7Eann", "https://a.example/~ann"),
      ("https://a.example:443/feed", "https://a.example/feed"),
      ("https://a.example/index.xml", "https://a.example"),
      ("https://a.example/b/../feed", "https://a.example/./feed"),
      ("https://a.example/%c3%a9", "https://a.example/%C3%A9"),
      ("https://a.example/feed?utm_source=x&b=1", "https://a.example/feed?b=1"),
      ("http://feedproxy.google.com/Ann?format=xml", "https://feeds.feedburner.com/Ann"),
      ("https://a.example/?feed=rss2", "https://a.example/feed/"),
      ("https://a.example/feed/rss2/", "https://a.example/feed"),
      ("https://ann.blogspot.co.uk/feeds/posts/default?alt=rss", "https://ann.blogspot.com/atom.xml"),
      ("https://old.reddit.com/r/x/.rss", "https://www.reddit.com/r/x/.rss"),
      ("feed://a.example/x", "http://a.example/x"),
      (
        "https://www.youtube.com/feeds/videos.xml?playlist_id=UU1234567890123456789012",
        "https://www.youtube.com/feeds/videos.xml?channel_id=UC1234567890123456789012"
      ),
    ])
  func equal(_ a: String, _ b: String) {
    #expect(FeedURLComparisonKey(a) == FeedURLComparisonKey(b) && FeedURLComparisonKey(a) != nil)
  }

  @Test(
    "what may be another feed compares different",
    arguments: [
      ("https://a.example/Feed", "https://a.example/feed"),
      ("https://a.example/a%2Fb", "https://a.example/a/b"),
      ("https://a.example/f?a=1&b=2", "https://a.example/f?b=2&a=1"),
      ("https://a.example/f?lang=de", "https://a.example/f"),
      ("https://a.example:8443/f", "https://a.example/f"),
      ("https://a.example/f?feed=atom", "https://a.example/f/feed"),
      (
        "https://www.youtube.com/feeds/videos.xml?channel_id=UCa",
        "https://www.youtube.com/feeds/videos.xml?channel_id=UCb"
      ), ("https://a.example/comments/feed", "https://a.example/feed"),
      ("https://b.a.example/", "https://a.example/"),
    ])
  func different(_ a: String, _ b: String) { #expect(FeedURLComparisonKey(a) != FeedURLComparisonKey(b)) }

  @Test(
    "a key has what distinguishes the address, in one spelling",
    arguments: [
      ("HTTP://WWW.A.example", "a.example"), ("https://www.www.a.example/", "www.a.example"),
      ("https://feeds2.feedburner.com/Ann?fmt=xml&a=1", "feeds.feedburner.com/Ann?a=1"),
      ("https://a.example/f?format=xml&fmt=b", "a.example/f?format=xml&fmt=b"),
      ("https://new.reddit.com/r/x", "reddit.com/r/x"), ("https://np.reddit.com/r/x", "np.reddit.com/r/x"),
      ("https://ann.blogspot.de", "ann.blogspot.com"), ("https://x.ann.blogspot.co.uk", "x.ann.blogspot.com"),
      ("https://blogspot.de/a", "blogspot.de/a"), ("https://a.blogspot/b", "a.blogspot/b"),
      ("https://ann.blogspot.com/rss.xml?alt=rss&b=1", "ann.blogspot.com/feeds/posts/default?b=1"),
      ("https://ann.blogspot.com/feed.xml", "ann.blogspot.com/feed.xml"),
      ("https://a.example/atom.xml?alt=rss", "a.example/atom.xml?alt=rss"),
      // Paths.
      ("https://a.example/a/./b/../c", "a.example/a/c"), ("https://a.example/../a", "a.example/a"),
      ("https://a.example//a", "a.example//a"), ("https://a.example/a//", "a.example/a/"),
      ("https://a.example/a/..", "a.example"), ("https://a.example/index.php", "a.example/index.php"),
      ("https://a.example/myindex.xml", "a.example/myindex.xml"),
      ("https://a.example/b/index.rss", "a.example/b"), ("https://a.example/index.rdf", "a.example"),
      ("https://a.example/index.atom", "a.example"),
      ("https://a.example/b/index.html/", "a.example/b/index.html"),
      // Escapes.
      ("https://a.example/%41%5A%61%7A%30%39%2D%2E%5F%7e", "a.example/AZaz09-._~"),
      ("https://a.example/%40%5b%60%7b%2f%3a", "a.example/%40%5B%60%7B%2F%3A"),
      ("https://a.example/%af%FA%1g%4", "a.example/%AF%FA%1g%4"), ("https://a.example/a%41", "a.example/aA"),
      ("https://a.example/%", "a.example/%"), ("https://a.example/f?%61=%2f", "a.example/f?a=%2F"),
      // Parameters.
      ("https://a.example/f?UTM_x=1&mtm_y&fbclid=2&utm=3", "a.example/f?utm=3"),
      ("https://a.example/f?&a&&b", "a.example/f?a&b"), ("https://a.example/f?igshid=1", "a.example/f"),
      ("https://a.example/f?x=utm_a", "a.example/f?x=utm_a"),
      ("https://a.example/?feed=rss2&a=1", "a.example/feed?a=1"),
      ("https://a.example/b?feed=rss", "a.example/b/feed"),
      ("https://a.example/feed/rss", "a.example/feed"),
      ("https://a.example/feed/rssx", "a.example/feed/rssx"),
      ("https://a.example/feed/atom", "a.example/feed/atom"),
      // Ports.
      ("https://a.example:80/", "a.example"), ("http://a.example:443/", "a.example"),
      ("http://a.example:/", "a.example"),
      ("http://a.example:8080/b", "a.example:8080/b"),
      // A list of all videos is that of the channel, if the name has the length of a channel's.
      (
        "https://youtube.com/feeds/videos.xml?playlist_id=UU123456789012345678901",
        "youtube.com/feeds/videos.xml?playlist_id=UU123456789012345678901"
      ),
      (
        "https://youtube.com/feeds/videos.xml?playlist_id=UU12345678901234567890123",
        "youtube.com/feeds/videos.xml?playlist_id=UU12345678901234567890123"
      ),
      (
        "https://youtube.com/feeds/videos.xml?playlist_id=PL1234567890123456789012",
        "youtube.com/feeds/videos.xml?playlist_id=PL1234567890123456789012"
      ),
      (
        "https://youtube.com/feeds/other?playlist_id=UU1234567890123456789012",
        "youtube.com/feeds/other?playlist_id=UU1234567890123456789012"
      ),
      (
        "https://a.example/feeds/videos.xml?playlist_id=UU1234567890123456789012",
        "a.example/feeds/videos.xml?playlist_id=UU1234567890123456789012"
      ),
    ])
  func keys(_ text: String, _ key: String) { #expect(FeedURLComparisonKey(text)?.key == key) }

  @Test("what has no host has no key", arguments: ["", "a.example", "https:///feed", "feed:a.example"])
  func noKey(text: String) { #expect(FeedURLComparisonKey(text) == nil) }

  @Test(
    "the scheme of feed readers is dropped",
    arguments: [
      ("feed:https://a.example", "https://a.example"), ("FEED://a.example", "http://a.example"),
      (" \nFeed:/a", "/a"), ("feed", "feed"), ("feeds:a", "feeds:a"), ("seed:a", "seed:a"), ("", ""),
      (" f", "f"),
    ])
  func feedScheme(_ text: String, _ expected: String) {
    #expect(FeedURLComparisonKey.withoutFeedScheme(text) == expected)
  }

  @Test(
    "each known site turns its example's page into its example's feed, without another row being in the way")
  func knownSites() {
    for site in KnownFeedSite.table {
      #expect(
        KnownFeedSite.feeds(ofPage: site.example.page)?.feeds.first == site.example.feed, "\(site.name)")
      #expect(KnownFeedSite.feeds(ofPage: site.example.feed) == nil, "\(site.example.feed) is a feed already")
    }
    #expect(KnownFeedSite.feeds(ofPage: "https://github.com/features/actions") == nil)
    #expect(KnownFeedSite.feeds(ofPage: "https://youtube.example/channel/UCx") == nil)
  }

  @Test("hosts of many publishers prove nothing about a feed")
  func sharedHosts() {
    for host in ["www.youtube.com", "feeds.feedburner.com", "github.com", "old.reddit.com"] {
      #expect(KnownFeedSite.hasManyPublishers(host), "\(host)")
    }
    for host in ["daringfireball.net", "ann.substack.com", "ann.blogspot.com"] {
      #expect(!KnownFeedSite.hasManyPublishers(host), "\(host)")
    }
  }

  @Test(
    "an address that is not quite that of a known site's page has no rule",
    arguments: [
      ("https://www.youtube.com/channel/UCx", "https://www.youtube.com/feeds/videos.xml?channel_id=UCx"),
      ("https://www.youtube.com/channel", nil), ("https://www.youtube.com/channel/", nil),
      ("https://www.youtube.com/user/x", nil), ("https://www.youtube.com/playlist", nil),
      ("https://www.youtube.com/playlist?list=", nil), ("https://www.youtube.com/playlist?xlist=PLx", nil),
      ("https://www.youtube.com/playlist?list=PLx&format=rss", nil),
      ("https://www.youtube.com/playlist/a?list=PLx", nil),
      ("https://reddit.com/r/swift", "https://www.reddit.com/r/swift/.rss"),
      ("https://reddit.com/r/swift/top", "https://www.reddit.com/r/swift/top/.rss"),
      ("https://reddit.com/r/swift/best", nil), ("https://reddit.com/r/swift/top/all", nil),
      ("https://reddit.com/r/swift.rss", nil), ("https://reddit.com/r/swift.json", nil),
      ("https://reddit.com/r", nil), ("https://x.reddit.com/r/swift", nil),
      ("https://new.reddit.com/user/ann", "https://www.reddit.com/user/ann/.rss"),
      ("https://github.com/topics/b/releases", nil),
      ("https://github.com/a/b/releases", "https://github.com/a/b/releases.atom"),
      ("not an address", nil),
    ] as [(String, String?)])
  func pagesOfKnownSites(_ page: String, _ feed: String?) {
    #expect(KnownFeedSite.feeds(ofPage: page)?.feeds.first == feed)
  }

  @Test(
    "one of the usual first labels is taken off a host",
    arguments: [
      ("www.a.example", "a.example"), ("m.a.example", "a.example"), ("old.a.example", "a.example"),
      ("new.a.example", "a.example"), ("www.m.a.example", "m.a.example"), ("wwwa.example", "wwwa.example"),
      ("a", "a"),
    ])
  func bareHosts(_ host: String, _ bare: String) { #expect(KnownFeedSite.bare(host) == bare) }
}
