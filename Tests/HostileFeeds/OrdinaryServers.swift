package import DemoFeeds

/// Ordinary servers that the demo has no feed of.
extension DemoBehavior {
  package static let empty = response("empty", "no items") {
    $0.feedResponse($0.text(isEmpty: true).rss20, "application/rss+xml")
  }
  package static let rateLimited = response("ratelimited", "429 with Retry-After") { _ in
    busy("429 Too Many Requests")
  }
  package static let unavailable = response("unavailable", "503 with Retry-After") { _ in
    busy("503 Service Unavailable")
  }

  static let ordinary = [
    rss20, rss10, atom, jsonFeed, gzip, movedPermanently, notFound, gone, serverError, malformed,
    wrongEncoding, htmlPage,
    slow, stale, empty, rateLimited, unavailable,
  ]

  private static func busy(_ status: String) -> DemoResponse {
    DemoResponse(status, [("Retry-After", "7200"), ("Content-Type", "text/plain")], "later\n")
  }
}
