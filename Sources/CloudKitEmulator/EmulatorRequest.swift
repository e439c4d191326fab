/// A request as it arrived, whatever server received it.
public struct EmulatorRequest: Sendable {
  public enum BodyProblem: Sendable, Hashable {
    /// It went over the limit and was not read further.
    case tooLarge
    /// The sender went away.
    case brokenOff
    /// The sender's time was up; the connection ends with the answer.
    case tooSlow
  }

  public var method: String
  /// Path and query, nothing decoded.
  public var target: String
  /// Names in lower case.
  public var headers: [String: String]
  public var body: [UInt8]
  /// Why there is no body, or only a part of one.
  public var bodyProblem: BodyProblem?
  /// `http://127.0.0.1:8080`, as the caller sees this server.
  public var origin: String

  public init(
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

  var path: String { String(target.prefix { $0 != "?" }) }

  var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// What is answered, and how it is delivered.
public struct EmulatorReply: Sendable {
  public enum Delivery: Sendable, Hashable {
    case whole
    /// The connection is reset and not a byte of this is sent.
    case reset
    /// Half of the body is sent, then the connection is reset.
    case half
    /// The body is sent in pieces with a pause before each.
    case slow(pause: Duration)
  }

  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  public var delivery: Delivery
  /// Why the request was refused, in more words than the service has. For the server's log only.
  public var explanation: String?

  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    delivery: Delivery = .whole,
    explanation: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delivery = delivery
    self.explanation = explanation
  }
}
