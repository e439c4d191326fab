/// A response of the demo server, step by step, including invalid ones.
struct DemoResponseScript: Sendable {
  /// One step of a script.
  enum Step: Sendable, Equatable {
    case send([UInt8])
    case wait(milliseconds: Int64)
    /// Sends the bytes again and again, with a pause in between, until the client closes the connection.
    case repeatForever([UInt8], pauseMilliseconds: Int64)
    case close
    case reset
    /// Leaves the connection open and sends nothing more.
    case hang
  }

  var steps: [Step]

  init(_ steps: Step...) { self.steps = steps }
}

/// A request, as far as scripts depend on it.
struct DemoRequest: Sendable {
  var feed: DemoFeed
  var path: String
  /// `http://<slug>.localhost:<port>/`
  var site: String
  var ifNoneMatch: String?
  var cookie: String?
  var acceptsGzip = false
  /// The request has an `If-None-Match` without a value.
  var sendsEmptyValidator: Bool { ifNoneMatch == "" }
  /// Seconds since 1970, in whole hours, so that a feed stays unchanged for a while.
  var now: Int64
  var slowMilliseconds: Int64
}

/// A valid HTTP response.
struct DemoResponse {
  var status: String
  var headers: [(String, String)] = []
  var body: [UInt8] = []
  /// The value of Content-Length when it is not the length of the body.
  var announcedLength: Int?

  init(_ status: String, _ headers: [(String, String)] = [], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = Array(body.utf8)
  }

  /// The status line and the headers, including Content-Length.
  var head: [UInt8] {
    var text = "HTTP/1.1 \(status)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !status.hasPrefix("304") { text += "Content-Length: \(announcedLength ?? body.count)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  var script: DemoResponseScript { DemoResponseScript(.send(head + body)) }
}
