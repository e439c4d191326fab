package import HTTPTransport

/// A feed that was found on a site.
package struct SiteFeed: Sendable, Hashable {
  package var url: String
  package var title: String?
  /// The site that the feed names as its own.
  package var siteURL: String?

  package init(url: String, title: String?, siteURL: String?) {
    self.url = url
    self.title = title
    self.siteURL = siteURL
  }
}

/// Finds the feeds of a site, for feeds that are gone. A module above this one does it.
package protocol SiteFeedSearch: Sendable {
  /// The feeds that have items and are not about comments, the best first. Throws only `CancellationError`.
  ///
  /// - Parameter transport: sends each request as a health check does: with its user agent, its pauses, `robots.txt`, and its
  ///   rule for private addresses, which is in `addresses`, too.
  func feeds(of site: String, through transport: any HTTPTransport, addresses: IPAddressPolicy) async throws
    -> [SiteFeed]
}
