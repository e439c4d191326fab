internal import FeedFetching
internal import FeedState
internal import HTTPTransport

struct CheckedHost: Sendable {
  enum History: Sendable, Hashable {
    case working, failing, unknown
  }

  /// What its requests showed. The best counts, in this order.
  enum Result: Sendable, Hashable {
    /// A feed, or that it has not changed.
    case delivered
    /// The host was reached.
    case answered
    /// Perhaps the host was not reached, but something in between.
    case suspect(FailureSignature)

    var signature: FailureSignature? { if case .suspect(let signature) = self { signature } else { nil } }
  }

  let name: String
  /// The host's feeds are requested with TLS; `nil` for a host that has both kinds.
  var isSecure: Bool?
  var history: History
  /// `nil` until a request ended.
  var result: Result?
  var network: IPNetwork?

  var signature: FailureSignature? { result?.signature }
  var isReached: Bool { result == .delivered || result == .answered }

  /// A name server answered with an address.
  var isNamed: Bool {
    guard result != nil, !HostName.isLoopback(name), IPNetwork(name) == nil else { return false }
    return signature?.isAboutName != true
  }

  /// Hosts that usually have one operator: those of one network, or, as long as no address is known, of one domain.
  var operatedWith: AnyHashable {
    if let network { return network }
    let domain = name.split(separator: ".").dropFirst()
    // Below such as co.uk, domains have nothing to do with each other.
    guard domain.count > 1, let first = domain.first, first.count > Self.maxPublicLabel else { return name }
    return domain.joined(separator: ".")
  }

  private static let maxPublicLabel = 3
}

/// Decides whether the failures of a sample of hosts are our own network's
/// (Documentation/reference/feeds.md#own-outage).
struct OutageRule: Sendable {
  let thresholds: HealthThresholds
  /// The share of hosts for which no name server answered from which on the cause is ours.
  private static let silentShare = 0.5
  /// Hosts without a connection that make a single page or certificate suspect: portals often refuse https.
  private static let vouchingHosts = 2

  private var share: Double { thresholds.outageShare }
  private var minimum: Int { thresholds.outageHosts }

  /// `nil` when the hosts, or their feeds, are the cause.
  ///
  /// - Parameter isCutOff: hosts that were reached before are not reached any more, so the cause is ours.
  func outage(among hosts: [CheckedHost], isCutOff: Bool = false) -> LocalOutage? {
    let suspects = suspects(among: hosts)
    let counted = counted(hosts, isCutOff: isCutOff)
    guard isCutOff || isOurs(counted, suspects, among: hosts) else { return nil }
    let failed = counted.filter { suspects[$0.name] != nil }
    let others = Set(hosts.map(\.name)).subtracting(failed.map(\.name))
    let kinds = failed.compactMap { suspects[$0.name]?.kind }
    return LocalOutage(
      counts: kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 },
      exceptions: Dictionary(grouping: hosts.filter { others.contains($0.name) }) {
        Self.exception($0, suspects)
      }.mapValues { $0.map(\.name) })
  }

  private func isOurs(
    _ counted: [CheckedHost], _ suspects: [String: FailureSignature], among hosts: [CheckedHost]
  ) -> Bool {
    let stranded = stranded(hosts, suspects)
    return Self.parts(of: counted.filter { $0.result != nil }).contains { part in
      var units: [AnyHashable: FailureSignature?] = [:]
      for host in part.hosts {
        let group = host.operatedWith
        units[stranded.contains(group) ? group : host.name] = suspects[host.name]
      }
      let found = units.values.compactMap(\.self)
      guard units.count >= minimum else {
        return part.isWhole && units.count > 1 && found.count == units.count
          && !hosts.contains { $0.isReached }
      }
      return found.count >= minimum
        && (Self.is(found.count, share, of: units.count)
          || Self.is(found.count { $0.kind == .silentNameServer }, Self.silentShare, of: units.count))
    }
  }

  private static func exception(_ host: CheckedHost, _ suspects: [String: FailureSignature])
    -> LocalOutage.Exception
  {
    guard let result = host.result else { return .notAsked }
    if suspects[host.name] != nil { return host.history == .failing ? .failedBefore : .newHost }
    return result.signature == nil ? .answered : .failedOtherwise
  }

  /// All hosts, those asked with TLS, and those asked without: networks treat the two ports differently.
  private static func parts(of hosts: [CheckedHost]) -> [(hosts: [CheckedHost], isWhole: Bool)] {
    [(hosts, true)] + [true, false].map { isSecure in (hosts.filter { $0.isSecure == isSecure }, false) }
  }

  /// No answer that is still to come can make this an outage, except for one that begins now.
  func isRuledOut(among hosts: [CheckedHost]) -> Bool {
    Self.parts(of: counted(hosts)).allSatisfy { part in
      guard part.hosts.count >= minimum else {
        return !part.isWhole || part.hosts.count < 2 || hosts.contains { $0.isReached }
      }
      let possible = part.hosts.count { !$0.isReached }
      return possible < minimum || !Self.is(possible, min(share, Self.silentShare), of: part.hosts.count)
    }
  }

  /// Whether the name server is silent about half of the hosts, so that its silence says nothing about any of them.
  func hidesNames(of hosts: [CheckedHost]) -> Bool {
    let silent = hosts.count { $0.signature?.kind == .silentNameServer }
    return silent >= minimum && Self.is(silent, Self.silentShare, of: hosts.count)
  }

  /// Whether a part is at least this share, except for what arithmetic loses.
  private static func `is`(_ part: Int, _ share: Double, of whole: Int) -> Bool {
    Double(part) >= share * Double(whole) - 1e-9
  }

  /// Those that worked before, and, while no host delivers a feed, those never asked.
  private func counted(_ hosts: [CheckedHost], isCutOff: Bool = false) -> [CheckedHost] {
    let delivers = !isCutOff && hosts.contains { $0.result == .delivered }
    return hosts.filter { $0.history == .working || $0.history == .unknown && !delivers }
  }

  func suspects(among hosts: [CheckedHost]) -> [String: FailureSignature] {
    let found = hosts.compactMap { host in host.signature.map { (host.name, $0) } }
    let counts = found.reduce(into: [:]) { $0[$1.1, default: 0] += 1 }
    func seen(_ kinds: LocalOutage.Signature...) -> Int { found.count { kinds.contains($0.1.kind) } }
    let (issuers, pages) = (seen(.untrustedIssuer), seen(.foreignPage, .foreignHost))
    let isUnanswered = seen(.noConnection, .noAnswer) >= Self.vouchingHosts
    let hasSharedPages = counts.contains { [.foreignPage, .foreignHost].contains($0.kind) && $1 > 1 }
    // Hosts of one operator may have a wrong certificate in common, while hosts elsewhere are reached or a feed arrives.
    let intercepted = Dictionary(grouping: hosts.filter { $0.signature?.kind == .foreignCertificate }) {
      $0.signature
    }.filter { _, sharing in
      let networks = Set(sharing.compactMap(\.network).filter { !$0.isOfThisMachine })
      let isOneOfMany = hosts.contains {
        $0.result == .delivered || $0.isReached && $0.network.map(networks.contains) != true
      }
      return networks.count > (isOneOfMany ? 1 : 0)
    }
    let isNamed = hosts.contains { $0.isNamed }
    let suspects = found.filter { _, signature in
      let isShared = counts[signature] ?? 0 > 1
      return switch signature.kind {
      case .silentNameServer, .privateAddress, .noConnection, .noAnswer: true
      case .unknownNames: !isNamed
      case .foreignPage, .foreignHost: isShared || issuers > 0 || !intercepted.isEmpty || isUnanswered
      case .untrustedIssuer: isShared || pages > 0 || isUnanswered || issuers >= minimum
      case .foreignCertificate: isShared && (hasSharedPages || intercepted[signature] != nil)
      }
    }
    return Dictionary(uniqueKeysWithValues: suspects)
  }

  /// The groups of hosts with one operator of which none is reached, while hosts elsewhere are: their operator is the
  /// cause, so that they count as one.
  private func stranded(_ hosts: [CheckedHost], _ suspects: [String: FailureSignature]) -> Set<AnyHashable> {
    let tried = hosts.filter { $0.result != nil }
    let reached = Set(tried.filter { suspects[$0.name] == nil }.map(\.operatedWith))
    guard !reached.isEmpty else { return [] }
    return Set(tried.map(\.operatedWith)).subtracting(reached)
  }
}

package struct LocalOutage: Sendable, Hashable {
  /// What the hosts have in common.
  package enum Signature: String, Sendable, Hashable, CaseIterable {
    case silentNameServer = "silent-name-server"
    case unknownNames = "no-such-name"
    case privateAddress = "private-address"
    case noConnection = "no-connection"
    case noAnswer = "no-answer"
    case foreignPage = "foreign-page"
    case foreignHost = "foreign-host"
    case untrustedIssuer = "untrusted-root"
    case foreignCertificate = "foreign-certificate"
  }

  package var signature: Signature {
    Signature.allCases.reversed().max { counts[$0] ?? 0 < counts[$1] ?? 0 } ?? .noConnection
  }
  package var counts: [Signature: Int]
  package var hosts: Int { counts.values.reduce(0, +) }
  /// The other hosts that were judged together with them.
  package var exceptions: [Exception: [String]] = [:]

  package enum Exception: Sendable, Hashable, CaseIterable {
    case answered, failedBefore, newHost, failedOtherwise, notAsked
  }
}

/// A page that most hosts of a run sent in place of their feeds. Its status makes it their answer, but a network between
/// may have sent it (Documentation/reference/feeds.md#own-outage).
struct SharedPage: Sendable, Hashable {
  let hosts: Int
  /// The hosts with feeds that were not down before.
  let asked: Int
  let example: FeedResult

  /// The share of hosts from which on a person has to look.
  private static let share = 0.5
  /// A run that has fewer hosts shows nothing.
  private static let fewest = 3

  /// `nil` when no page is that frequent.
  init?(in feeds: [FeedResult], _ thresholds: HealthThresholds) {
    let news = feeds.filter { $0.isJudged && $0.previousStatus != .down }
    asked = Set(news.map { HostName.of($0.feedURL) }).count
    let pages = Dictionary(grouping: news.filter { $0.page != nil }, by: { [$0.page, $0.httpStatus] }).values
      .map { feeds in
        (feeds: feeds, hosts: Set(feeds.map { HostName.of($0.feedURL) }).count)
      }
    guard let page = pages.max(by: { $0.hosts < $1.hosts }), let example = page.feeds.first,
      page.hosts >= max(Self.fewest, min(asked, thresholds.outageHosts)),
      Double(page.hosts) >= Self.share * Double(asked)
    else { return nil }
    (hosts, self.example) = (page.hosts, example)
  }
}
