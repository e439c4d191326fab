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
    let feeds = { (page: String) in WebAddress(page).flatMap(KnownFeedSite.feeds)?.feeds }
    for site in KnownFeedSite.table {
      #expect(feeds(site.example.page)?.first == site.example.feed, "\(site.name)")
      #expect(feeds(site.example.feed) == nil, "\(site.example.feed) is a feed already")
    }
    #expect(feeds("https://github.com/features/actions") == nil)
    #expect(feeds("https://youtube.example/channel/UCx") == nil)
  }

  @Test("hosts of many publishers prove nothing about a feed")
  func sharedHosts() {
    for host in [
      "www.youtube.com", "feeds.feedburner.com", "github.com", "old.reddit.com", "api.substack.com",
    ] {
      #expect(KnownFeedSite.hasManyPublishers(host), "\(host)")
    }
    for host in ["daringfireball.net", "ann.substack.com", "ann.blogspot.com"] {
      #expect(!KnownFeedSite.hasManyPublishers(host), "\(host)")
    }
  }
}
