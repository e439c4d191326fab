internal import CloudKitModel
internal import WebServicesWire

/// Trouble to make on purpose: `status,endpoint=records/modify,status=503,body=busy,count=2`.
///
/// The first word is the action, the rest are `name=value`. `endpoint` limits a rule to paths that end so; `after`
/// lets so many matching requests pass first, `every` hits one in so many, `count` ends the rule after so many.
public struct FaultRule: Sendable, Hashable {
  public enum Action: Sendable, Hashable {
    /// An answer instead of the real one; nothing is carried out. Without a body the service's own error.
    case status(Int, body: String?, retryAfter: Duration?)
    /// The connection is reset before anything was carried out.
    case resetBefore
    /// The request is carried out, then the connection is reset: a lost reply.
    case resetAfter
    /// Carried out; half of the answer comes, then a reset.
    case half
    /// Carried out; the answer comes in pieces.
    case slow(pause: Duration)
    /// A query's answer repeats the marker it was asked with.
    case stuckMarker
    /// Signatures are held against a clock that is off by so much, and the answer is dated by it.
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

/// Why a rule's text makes no sense, in words for the person who typed it.
public struct FaultRuleError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

extension FaultRule {
  /// Throws ``FaultRuleError``.
  public init(parsing text: String) throws(FaultRuleError) {
    var words = text.split(separator: ",").map(String.init)
    guard !words.isEmpty else { throw FaultRuleError(description: "an empty fault rule") }
    let name = words.removeFirst()
    var values: [String: String] = [:]
    for word in words {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      // Only a body may be empty: an answer that holds nothing.
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
      throw FaultRuleError(description: "'\(unknown)' means nothing to the fault '\(name)'")
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
          "'\(name)' is not a fault; there are status, misdirected, reset-before, reset-after, half, "
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
