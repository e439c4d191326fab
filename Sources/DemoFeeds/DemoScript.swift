/// What a connection does in answer to one request, down to the byte.
struct DemoScript: Sendable {
  enum Step: Sendable, Equatable {
    case send([UInt8])
    case wait(milliseconds: Int64)
    /// Sends the piece again and again, with a pause between, until the peer has had enough.
    case repeatForever([UInt8], pauseMilliseconds: Int64)
    case close
    case reset
    /// Leaves the connection open and says nothing more.
    case hang
  }

  var steps: [Step]

  init(_ steps: Step...) { self.steps = steps }
}

/// What a script depends on.
struct DemoRequest: Sendable {
  var feed: DemoFeed
  var path: String
  /// `http://<slug>.localhost:<port>/`
  var site: String
  var ifNoneMatch: String?
  /// Seconds since 1970, in whole hours, so that a feed stays the same for a while.
  var now: Int64
  var slowMilliseconds: Int64
}

/// A response that keeps to HTTP.
struct DemoResponse {
  var status: String
  var headers: [(String, String)] = []
  var body: [UInt8] = []
  /// What Content-Length says, where it lies.
  var announcedLength: Int?

  init(_ status: String, _ headers: [(String, String)] = [], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = Array(body.utf8)
  }

  /// Status line and headers with the length.
  var head: [UInt8] {
    var text = "HTTP/1.1 \(status)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !status.hasPrefix("304") { text += "Content-Length: \(announcedLength ?? body.count)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  var script: DemoScript { DemoScript(.send(head + body)) }
}
