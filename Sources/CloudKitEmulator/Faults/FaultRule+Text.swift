extension FaultRule {
  /// The rule as ``init(parsing:)`` reads it.
  public var text: String {
    var words = action.words
    if let endpoint { words.append("endpoint=\(endpoint)") }
    if after != 0 { words.append("after=\(after)") }
    if every != 1 { words.append("every=\(every)") }
    if let count { words.append("count=\(count)") }
    return words.joined(separator: ",")
  }
}

extension FaultRule.Action {
  fileprivate var words: [String] {
    switch self {
    case .status(let status, let body, let wait):
      ["status", "status=\(status)"] + (body.map { ["body=\($0)"] } ?? [])
        + (wait.map { ["retryAfter=\($0.components.seconds)"] } ?? [])
    case .resetBefore: ["reset-before"]
    case .resetAfter: ["reset-after"]
    case .half: ["half"]
    case .slow(let pause):
      [
        "slow",
        "pause=\(pause.components.seconds * 1000 + pause.components.attoseconds / 1_000_000_000_000_000)",
      ]
    case .stuckMarker: ["stuck-marker"]
    case .clockSkew(let skew): ["clock-skew", "seconds=\(skew.components.seconds)"]
    }
  }
}
