/// The dialect of a feed. The raw values appear in output.
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

extension FeedFormat {
  var isAtom: Bool { self == .atom03 || self == .atom10 }

  /// The dialect that an `rss` element declares. 0.93 and 0.94 count as 0.92; what this parser reads is the same.
  static func rss(version: String?) -> FeedFormat {
    guard let version else { return .rss20 }
    if version.hasPrefix("0.91") { return .rss091 }
    if version.hasPrefix("0.90") || version == "0.9" { return .rss090 }
    if version.hasPrefix("0.9") { return .rss092 }
    return version.hasPrefix("1.") ? .rss10 : .rss20
  }

  static func atom(version: String?, namespace: String?) -> FeedFormat {
    let address = namespace ?? ""
    if address.contains("2005/Atom") { return .atom10 }
    return version?.hasPrefix("0.") == true || address.contains("purl.org/atom") ? .atom03 : .atom10
  }
}
