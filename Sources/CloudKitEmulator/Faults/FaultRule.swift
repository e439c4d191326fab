/// A fault to inject, and the requests it applies to:
/// `status,endpoint=records/modify,status=503,body=busy,count=2`.
///
/// The first word names the ``Fault``, the others are `name=value`: options of the fault, and those of every rule,
/// which select requests.
package struct FaultRule: Sendable {
  /// The fault's word with its own options, such as `slow,pause=20`.
  package let fault: String
  /// The end of the paths that the rule applies to; `nil` for all.
  package var endpoint: String?
  /// The number of matching requests to leave alone first.
  package var after = 0
  /// Of the following ones, disturb each Nth.
  package var every = 1
  /// The maximum number of requests to disturb; `nil` for no limit.
  package var count: Int?
  let effect: Fault.Effect

  package init(parsing text: String) throws(EmulatorOptionError) {
    var words = text.split(separator: ",").map(String.init)
    guard !words.isEmpty else { throw EmulatorOptionError("the fault rule is empty") }
    let word = words.removeFirst()
    guard let fault = Fault.all.first(where: { $0.word == word }) else {
      let known = Fault.all.map(\.word).joined(separator: ", ")
      throw EmulatorOptionError("'\(word)' is not a fault; expected one of: \(known)")
    }
    var options = try FaultRuleOptions(words)
    endpoint = options.text("endpoint")
    after = try options.number("after", 0...1_000_000_000) ?? 0
    every = try options.number("every", 1...1_000_000_000) ?? 1
    count = try options.number("count", 1...1_000_000_000)
    self.fault = ([word] + options.remaining.map { "\($0.key)=\($0.value)" }).joined(separator: ",")
    effect = try fault.effect(&options)
    if let unknown = options.remaining.first {
      throw EmulatorOptionError("the fault '\(word)' has no option '\(unknown.key)'")
    }
  }

  /// The rule as ``init(parsing:)`` reads it.
  package var text: String {
    var words = [fault]
    if let endpoint { words.append("endpoint=\(endpoint)") }
    if after != 0 { words.append("after=\(after)") }
    if every != 1 { words.append("every=\(every)") }
    if let count { words.append("count=\(count)") }
    return words.joined(separator: ",")
  }

  package static var help: String {
    let width = 2 + (Fault.all.map(\.word.count).max() ?? 0)
    let faults = Fault.all.map { fault in
      "  \(fault.word)\(String(repeating: " ", count: width - fault.word.count))\(fault.help)"
    }
    return """
      A fault rule is one of these words and its options, separated by commas:

      \(faults.joined(separator: "\n"))

      Any rule takes endpoint=PATH, the end of the paths it applies to, such as records/modify; after=N, to leave the \
      first N requests alone; every=N, to disturb only each Nth; and count=N, to disturb at most N.
      """
  }
}

/// The words `name=value` of a rule. Reading one removes it.
struct FaultRuleOptions: Sendable {
  private var values: [String: String] = [:]

  init(_ words: [String]) throws(EmulatorOptionError) {
    for word in words {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      // Only `body` may be empty, for a reply without content.
      guard pair.count == 2, pair[0] == "body" || !pair[1].isEmpty else {
        throw EmulatorOptionError("'\(word)' is not name=value")
      }
      values[pair[0]] = pair[1]
    }
  }

  /// The options that were not read, by name.
  var remaining: [(key: String, value: String)] { values.sorted { $0.key < $1.key } }

  mutating func text(_ name: String) -> String? { values.removeValue(forKey: name) }

  mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(EmulatorOptionError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw EmulatorOptionError(
        "\(name)=\(text) is not a whole number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
