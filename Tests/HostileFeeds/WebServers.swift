import DemoFeeds

/// What real web servers do in place of serving a good feed, or while they serve one. The zoo of the health tests: each
/// behavior has a row in the verdicts that ZooTests records.
extension DemoBehavior {
  /// Needs a policy that refuses private addresses: without one, the target is asked.
  static let privateTargets = [
    response("private-target", "a redirect to a private address") { _ in
      DemoResponse("302 Found", [("Location", "http://10.0.0.1/feed.xml")])
    },
    response("metadata-target", "a redirect to the metadata service of a cloud, in IPv6") { _ in
      DemoResponse(
        "301 Moved Permanently", [("Location", "http://[::ffff:169.254.169.254]/latest/meta-data/")])
    },
  ]

  static let web = codings + transfers + statuses + redirects + walls + pages + documents
}

extension DemoRequest {
  /// A good RSS feed.
  var goodFeed: DemoResponse { DemoResponse("200 OK", [("Content-Type", "application/rss+xml")], text.rss20) }

  /// The same with more headers.
  func goodFeed(_ headers: (String, String)..., status: String = "200 OK") -> DemoResponse {
    var response = goodFeed
    response.status = status
    response.headers += headers
    return response
  }
}
