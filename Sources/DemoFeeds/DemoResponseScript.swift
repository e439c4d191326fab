/// A response of the demo server, step by step, including invalid ones.
package struct DemoResponseScript: Sendable {
  package enum Step: Sendable, Equatable {
    case send([UInt8])
    case wait(milliseconds: Int64)
    /// Sends the bytes again and again, with a pause in between, until the client closes the connection.
    case repeatForever([UInt8], pauseMilliseconds: Int64)
    case close
    case reset
    /// Leaves the connection open and sends nothing more.
    case hang
  }

  package var steps: [Step]

  package init(_ steps: Step...) { self.steps = steps }
}

/// A request, as far as scripts depend on it.
package struct DemoRequest: Sendable {
  package var feed: DemoFeed
  package var path: String
  /// `http://<slug>.localhost:<port>/`
  package var site: String
  package var ifNoneMatch: String?
  package var cookie: String?
  package var acceptsGzip = false
  /// Seconds since 1970, in whole hours, so that a feed stays unchanged for a while.
  package var now: Int64
  package var slowMilliseconds: Int64
}

/// A valid HTTP response.
package struct DemoResponse {
  package var status: String
  package var headers: [(String, String)] = []
  package var body: [UInt8] = []
  /// The value of Content-Length when it is not the length of the body.
  package var announcedLength: Int?

  package init(_ status: String, _ headers: [(String, String)] = [], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = Array(body.utf8)
  }

  /// The status line and the headers, including Content-Length.
  package var head: [UInt8] {
    var text = "HTTP/1.1 \(status)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !status.hasPrefix("304") { text += "Content-Length: \(announcedLength ?? body.count)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  package var script: DemoResponseScript { DemoResponseScript(.send(head + body)) }
}

extension DemoResponseScript {
  init(answering request: DemoRequest) {
    self =
      request.path == "/robots.txt"
      ? DemoResponse("200 OK", [("Content-Type", "text/plain")], "User-agent: *\nAllow: /\n").script
      : request.feed.behavior.answer(request)
  }
}
