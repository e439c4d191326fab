/// The dialect of a feed; the raw values are the words users see.
public enum FeedFormat: String, Sendable, CaseIterable {
  case rss090 = "rss0.90"
  case rss091 = "rss0.91"
  case rss092 = "rss0.92"
  case rss10 = "rss1.0"
  case rss20 = "rss2.0"
  case atom03 = "atom0.3"
  case atom10 = "atom1.0"
  case jsonFeed10 = "jsonfeed1.0"
  case jsonFeed11 = "jsonfeed1.1"
  case unknown
}
