package struct EmulatorRequest: Sendable {
  package enum BodyProblem: Error, Sendable, Hashable {
    case tooLarge
    case brokenOff
    /// The body did not arrive in time. The connection is closed after the reply.
    case tooSlow
  }

  package var method: String
  package var target: String
  /// The headers, by lowercase name.
  package var headers: [String: String]
  package var body: [UInt8]
  /// Why the body is missing or incomplete; `nil` if it is complete.
  package var bodyProblem: BodyProblem?
  /// This server's URL as the caller sees it, such as `http://127.0.0.1:8080`.
  package var origin: String

  package init(
    _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = [],
    bodyProblem: BodyProblem? = nil, origin: String = "http://127.0.0.1"
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.bodyProblem = bodyProblem
    self.origin = origin
  }

  // By bytes: each request needs the path many times, and looking at whole characters takes far longer.
  var path: String { mark.map { String(target[..<$0]) } ?? target }

  var query: String? { mark.map { String(target[target.utf8.index(after: $0)...]) } }

  private var mark: String.Index? { target.utf8.firstIndex(of: UInt8(ascii: "?")) }

  func header(_ name: String) -> String? { headers[name.lowercased()] }
}

package struct EmulatorReply: Sendable {
  /// How the reply is sent when a fault disturbs it.
  package enum Delivery: Sendable, Hashable {
    case whole
    /// Reset the connection without sending anything.
    case reset
    /// Send half of the body, then reset the connection.
    case half
    /// Send the body in pieces, with a pause before each.
    case slow(pause: Duration)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  package var delivery = Delivery.whole
  package var isDated = true
  /// A longer reason for the refusal than the service gives. Written to the server's log only.
  package var explanation: String?

  package init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], explanation: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.explanation = explanation
  }
}
