/// One thing that real web servers do in place of serving a good feed, or while they serve one. The zoo of the health
/// tests: each behavior has a row in Documentation/HealthVerdicts.md.
public struct WebServerBehavior: Sendable, Hashable {
  /// Also the slug of its feed: lower-case letters, digits and dashes.
  public let name: String
  /// A few words for a table.
  public let summary: String
  let answer: @Sendable (DemoRequest) -> DemoResponseScript

  init(_ name: String, _ summary: String, _ answer: @escaping @Sendable (DemoRequest) -> DemoResponseScript) {
    self.name = name
    self.summary = summary
    self.answer = answer
  }

  /// The same for an answer that is one response.
  static func response(
    _ name: String, _ summary: String, _ response: @escaping @Sendable (DemoRequest) -> DemoResponse
  ) -> WebServerBehavior {
    WebServerBehavior(name, summary) { response($0).script }
  }

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

  public static let all = codings + transfers + statuses + redirects + walls + pages + documents

  public static func == (lhs: WebServerBehavior, rhs: WebServerBehavior) -> Bool { lhs.name == rhs.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
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
