internal import Diagnostics
package import HTTPTransport

/// The rules of a `robots.txt` for one user agent (RFC 9309).
struct RobotsRules: Sendable, Hashable {
  private struct Rule: Sendable, Hashable {
    var allows: Bool
    var pattern: [UInt8]
  }

  private let rules: [Rule]

  static let none = RobotsRules("", agent: "")

  /// - Parameter agent: the product token, such as `celestra-admin`.
  init(_ text: String, agent: String) {
    var groups: [(agents: [String], rules: [Rule])] = []
    var startsGroup = true
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (key, value) = Self.pair(line) else { continue }
      switch key {
      case "user-agent":
        if startsGroup || groups.isEmpty { groups.append(([], [])) }
        startsGroup = false
        groups[groups.count - 1].agents.append(value.lowercased())
      case "allow", "disallow":
        startsGroup = true
        guard !groups.isEmpty, !value.isEmpty else { continue }
        groups[groups.count - 1].rules.append(Rule(allows: key == "allow", pattern: Array(value.utf8)))
      default: continue
      }
    }
    let own = groups.filter { $0.agents.contains(agent.lowercased()) }
    rules = (own.isEmpty ? groups.filter { $0.agents.contains("*") } : own).flatMap(\.rules)
  }

  /// The longest matching rule decides, and an allowing rule wins a tie. Without a match everything is allowed.
  ///
  /// - Parameter path: with its query.
  func allows(_ path: String) -> Bool {
    let path = Array(path.utf8)
    let matching = rules.filter { Self.matches($0.pattern[...], path[...]) }
    guard let longest = matching.map(\.pattern.count).max() else { return true }
    return matching.contains { $0.pattern.count == longest && $0.allows }
  }

  private static func pair(_ line: Substring) -> (key: String, value: String)? {
    let content = line.prefix { $0 != "#" }
    guard let colon = content.firstIndex(of: ":") else { return nil }
    let value = content[content.index(after: colon)...].trimmingWhitespace
    return (content[..<colon].trimmingWhitespace.lowercased(), value)
  }

  /// `*` stands for any bytes, a final `$` for the end of the path. Backtracking only to the last `*` bounds the cost by
  /// pattern length times path length.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>) -> Bool {
    let isAnchored = pattern.last == UInt8(ascii: "$")
    let pattern = isAnchored ? pattern.dropLast() : pattern
    var (p, t) = (pattern.startIndex, path.startIndex)
    var resume: (p: Int, t: Int)?
    while true {
      if p < pattern.endIndex, pattern[p] == UInt8(ascii: "*") {
        p += 1
        resume = (p, t)
      } else if p == pattern.endIndex, !isAnchored || t == path.endIndex {
        return true
      } else if p < pattern.endIndex, t < path.endIndex, pattern[p] == path[t] {
        p += 1
        t += 1
      } else if let last = resume, last.t < path.endIndex {
        resume = (last.p, last.t + 1)
        (p, t) = (last.p, last.t + 1)
      } else {
        return false
      }
    }
  }
}

/// The `robots.txt` of each host, fetched once a run.
package actor RobotsCache {
  private let transport: any HTTPTransport
  private let policy: FetchPolicy
  private var rules: [String: Task<RobotsRules, Never>] = [:]

  package init(transport: any HTTPTransport, policy: FetchPolicy) {
    self.transport = transport
    self.policy = policy
  }

  package func allows(_ url: String) async -> Bool {
    guard policy.obeysRobots, let origin = HostName.origin(of: url), let address = URLParts(url) else {
      return true
    }
    let path = address.text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3)
    return await rules(of: origin).allows("/" + (path.first ?? ""))
  }

  private func rules(of origin: String) async -> RobotsRules {
    let task = rules[origin] ?? Task { [transport, policy] in await Self.fetch(origin, transport, policy) }
    rules[origin] = task
    // Cancellation ends the whole run, so no other task still needs this answer.
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// A host without readable rules allows everything. Whether the host works is up to the feed's own check.
  private static func fetch(
    _ origin: String, _ transport: any HTTPTransport, _ policy: FetchPolicy
  ) async -> RobotsRules {
    var limits = policy.limits
    limits.maxBodyBytes = 500 << 10
    let request = HTTPRequest(
      url: origin + "/robots.txt", headers: ["User-Agent": policy.userAgent], limits: limits,
      addressPolicy: policy.addressPolicy)
    guard let response = try? await transport.send(request), response.status == 200 else { return .none }
    let agent = String(policy.userAgent.prefix { $0 != "/" && $0 != " " })
    return RobotsRules(String(decoding: response.body, as: UTF8.self), agent: agent)
  }
}
