internal import HTTPTransport

/// The `robots.txt` of each host, fetched once a run.
actor RobotsCache {
  private let transport: any HTTPTransport
  private let policy: FetchPolicy
  private var rules: [String: Task<RobotsRules, Never>] = [:]

  init(transport: any HTTPTransport, policy: FetchPolicy) {
    self.transport = transport
    self.policy = policy
  }

  func allows(_ url: String) async -> Bool {
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
