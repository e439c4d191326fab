internal import CloudKitModel
internal import WebServicesWire

/// A fault to inject, and the requests it applies to:
/// `status,endpoint=records/modify,status=503,body=busy,count=2`.
///
/// The first word is the fault, the others are `name=value`. `endpoint` limits the rule to paths with this ending,
/// `after` is the number of matching requests to leave alone first, `every=N` hits each Nth request, `count` is the
/// maximum number of faults.
public struct FaultRule: Sendable, Hashable {
  /// What happens to a request.
  public enum Action: Sendable, Hashable {
    /// Reply with this status without processing the request. Without a body, the reply has the service's error.
    case status(Int, body: String?, retryAfter: Duration?)
    /// Reset the connection without processing the request.
    case resetBefore
    /// Process the request, then reset the connection: a lost reply.
    case resetAfter
    /// Process the request, send half of the reply, then reset the connection.
    case half
    /// Process the request and send the reply in pieces.
    case slow(pause: Duration)
    /// Let a query's reply repeat the request's continuation marker.
    case stuckMarker
    /// Check signatures against a clock that is wrong by this duration, and date the reply by it.
    case clockSkew(Duration)
  }

  public var action: Action
  public var endpoint: String?
  public var after = 0
  public var every = 1
  public var count: Int?

  public init(_ action: Action, endpoint: String? = nil, after: Int = 0, every: Int = 1, count: Int? = nil) {
    self.action = action
    self.endpoint = endpoint
    self.after = after
    self.every = every
    self.count = count
  }
}

/// The error for an invalid fault rule, in words for the user.
public struct FaultRuleError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

extension FaultRule {
  /// Throws ``FaultRuleError``.
  public init(parsing text: String) throws(FaultRuleError) {
    var words = text.split(separator: ",").map(String.init)
    guard !words.isEmpty else { throw FaultRuleError(description: "the fault rule is empty") }
    let name = words.removeFirst()
    var values: [String: String] = [:]
    for word in words {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      // Only `body` may be empty, for a reply without content.
      guard pair.count == 2, pair[0] == "body" || !pair[1].isEmpty else {
        throw FaultRuleError(description: "'\(word)' is not name=value")
      }
      values[pair[0]] = pair[1]
    }
    self.init(try Self.action(name, &values), endpoint: values.removeValue(forKey: "endpoint"))
    after = try Self.number("after", &values, 0...1_000_000_000) ?? 0
    every = try Self.number("every", &values, 1...1_000_000_000) ?? 1
    count = try Self.number("count", &values, 1...1_000_000_000)
    if let unknown = values.keys.sorted().first {
      throw FaultRuleError(description: "the fault '\(name)' has no option '\(unknown)'")
    }
  }

  private static func action(_ name: String, _ values: inout [String: String]) throws(FaultRuleError)
    -> Action
  {
    switch name {
    case "status":
      guard let status = try number("status", &values, 200...599) else {
        throw FaultRuleError(description: "the fault 'status' needs status=NUMBER")
      }
      let wait = try number("retryAfter", &values, 0...1_000_000)
      return .status(
        status, body: values.removeValue(forKey: "body"), retryAfter: wait.map { .seconds($0) })
    case "misdirected": return .status(421, body: "misdirected", retryAfter: nil)
    case "reset-before": return .resetBefore
    case "reset-after": return .resetAfter
    case "half": return .half
    case "slow": return .slow(pause: .milliseconds(try number("pause", &values, 1...600_000) ?? 1000))
    case "stuck-marker": return .stuckMarker
    case "clock-skew":
      return .clockSkew(.seconds(try number("seconds", &values, -1_000_000...1_000_000) ?? 3600))
    default:
      throw FaultRuleError(
        description:
          "'\(name)' is not a fault; expected one of: status, misdirected, reset-before, reset-after, half, "
          + "slow, stuck-marker and clock-skew")
    }
  }

  private static func number(
    _ name: String, _ values: inout [String: String], _ range: ClosedRange<Int>
  ) throws(FaultRuleError) -> Int? {
    guard let text = values.removeValue(forKey: name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw FaultRuleError(
        description: "\(name)=\(text) is not a whole number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
