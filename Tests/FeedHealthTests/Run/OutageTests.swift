import CloudKitModel
import Diagnostics
import FeedState
import Foundation
import RecordChanges
import Synchronization
import Testing

@testable import FeedHealth
@testable import HTTPTransport

/// Whose fault it is when many feeds fail at once (Documentation/reference/feeds.md#own-outage).
@Suite struct OutageTests {
  private let clock = TestClock()

  /// A failure as the transport reports it.
  private static func failure(
    _ kind: HTTPFailure.Kind, after step: ConnectionTrace.Step, network: IPNetwork? = nil,
    issuer: String? = nil, certificate: Int? = nil, redirectedTo: String? = nil
  ) -> HTTPFailure {
    var trace = ConnectionTrace(step: step)
    trace.network = network
    trace.untrustedIssuer = issuer
    trace.foreignCertificate = certificate
    trace.hasCertificate = issuer != nil || certificate != nil
    trace.redirectedTo = redirectedTo
    trace.elapsed = kind == .timeout ? .seconds(10) : .milliseconds(20)
    return HTTPFailure(kind, "no answer", trace: trace)
  }

  private static func page(_ request: HTTPRequest, status: Int = 200, redirectingTo portal: String? = nil)
    -> HTTPResponse
  {
    let text = """
      <html><head><title>Guest network</title></head><body><p>Welcome. Accept the terms to go on.</p>
      <form action="/accept?to=\(request.url)"><input type="hidden" name="id" value="\(request.url.count)77aef">
      <button>Accept</button></form></body></html>
      """
    var response = HTTPResponse(
      status: status, headers: ["Content-Type": "text/html"], body: Array(text.utf8),
      finalURL: portal ?? request.url)
    if let portal { response.redirects = [.init(status: 302, from: request.url, to: portal)] }
    return response
  }

  /// What stands between us and the hosts.
  enum Trouble: String, CaseIterable {
    case silentNameServer, failingNameServer, noNames, droppedPackets, refusedPort, brokenTLS, portal
    case portalByRedirect, portal511, portalOfAllNames
    case emptyPage, proxy407, untrustedIssuer, portalThatBreaksHTTPS
    case privateNames, portalAtPrivateAddress, silentProxy, portalWithItsCertificate, changingPortal

    var signature: LocalOutage.Signature {
      switch self {
      case .silentNameServer, .failingNameServer: .silentNameServer
      case .noNames: .unknownNames
      case .droppedPackets, .refusedPort, .brokenTLS, .portalThatBreaksHTTPS, .silentProxy: .noConnection
      case .portal, .portal511, .emptyPage, .proxy407, .changingPortal: .foreignPage
      case .portalByRedirect, .portalAtPrivateAddress: .foreignHost
      case .untrustedIssuer: .untrustedIssuer
      case .privateNames: .privateAddress
      case .portalWithItsCertificate, .portalOfAllNames: .foreignCertificate
      }
    }

    func answer(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
      switch self {
      case .silentNameServer: throw failure(.timeout, after: .started)
      case .failingNameServer:
        var failure = failure(.dns, after: .started)
        failure.trace.isUnanswered = true
        throw failure
      case .noNames: throw failure(.dns, after: .started)
      case .droppedPackets: throw failure(.timeout, after: .resolved)
      case .refusedPort: throw failure(.connect, after: .resolved)
      case .brokenTLS: throw failure(.tls, after: .connected)
      case .untrustedIssuer: throw failure(.tls, after: .connected, issuer: "a1")
      case .portal: return page(request)
      case .portalByRedirect: return page(request, redirectingTo: "http://portal.example/?\(request.url)")
      case .portal511: return page(request, status: 511)
      case .proxy407: return page(request, status: 407)
      case .emptyPage: return HTTPResponse(status: 200, finalURL: request.url)
      case .portalThatBreaksHTTPS:
        if request.url.hasPrefix("https") { throw failure(.tls, after: .connected) }
        return page(request, redirectingTo: "http://portal.example/login")
      case .privateNames: throw failure(.addressForbidden, after: .resolved)
      case .portalAtPrivateAddress:
        throw failure(.addressForbidden, after: .resolved, redirectedTo: "http://192.168.8.1/login")
      case .silentProxy:
        throw failure(.protocol, after: request.url.hasPrefix("https") ? .connected : .ready)
      case .portalOfAllNames:
        throw failure(.tls, after: .connected, network: IPNetwork("198.51.100.1"), certificate: 7)
      case .portalWithItsCertificate:
        guard request.url.hasPrefix("https") else { return page(request) }
        let host = UInt8(request.url.split(separator: ".")[0].drop { !$0.isNumber }) ?? 0
        throw failure(.tls, after: .connected, network: IPNetwork([198, 51, host, 1]), certificate: 7)
      case .changingPortal:
        let text =
          "<html><title>Hotel</title><p>\(Set(request.url.utf8).map { "offer\($0)" })<button>Pay</html>"
        return .ok(
          text.replacing(/[0-9]/) { String(UnicodeScalar(UInt8($0.output.utf8.first ?? 0) + 49)) },
          from: request.url)
      }
    }
  }

  /// Feeds on hosts of their own, every third by http.
  private struct Web {
    var feeds: [String: String] = [:]
    let transport = StubTransport()

    init(hosts: Int, feedsOfHost: Int = 1) {
      for host in 0..<hosts {
        for feed in 0..<feedsOfHost {
          feeds["f\(host)-\(feed)"] =
            "\(host % 3 == 0 ? "http" : "https")://h\(host).example\(host).org/\(feed)"
        }
      }
    }

    func set(_ isAffected: (String) -> Bool = { _ in true }, _ answer: @escaping StubTransport.Answer) {
      for (name, url) in feeds where isAffected(name) { transport.set(url, answer) }
    }
  }

  /// A catalog whose feeds all worked a day ago.
  private func working(_ web: Web) async throws -> TestCatalog {
    let catalog = try await TestCatalog(feeds: web.feeds)
    web.set { [clock] in .ok(FeedText.rss(now: clock.now), from: $0.url) }
    let report = try await catalog.check(web.transport, clock)
    #expect(report.count(of: .healthy) + report.count(of: .degraded) == web.feeds.count)
    clock.advance(86_400)
    return catalog
  }

  private func tags(_ catalog: TestCatalog) async throws -> Set<String> {
    Set(try await catalog.container.allRecords(Query("FeedMetadata")).compactMap(\.changeTag))
  }

  /// Nothing is recorded and nothing is counted, in any output.
  private func expectOutage(
    _ report: HealthRunResult, _ signature: LocalOutage.Signature, hosts: Int, _ comment: Comment
  ) throws {
    let outage = try #require(report.outage, comment)
    #expect(outage.signature == signature && outage.hosts == hosts, comment)
    #expect(report.checked == 0 && report.json["checked"] == 0 && report.json["healthy"] == 0, comment)
    #expect(report.json["outage"]?["signature"] == .string(signature.rawValue), comment)
    #expect(report.json["outage"]?["hosts"] == .integer(Int64(hosts)), comment)
    #expect(report.feeds.allSatisfy { $0.status == .unknown && $0.cause ?? .ours == .ours }, comment)
    #expect(report.feeds.allSatisfy { $0.uptimeChecks == 0 && $0.refusedChecks == 0 }, comment)
    #expect(report.summary.hasPrefix("0 checked: 0 healthy, 0 degraded, 0 down"), comment)
    let checked = report.metrics.filter { $0.family == HealthRunResult.checkedFamily }
    #expect(checked.allSatisfy { $0.value == 0 }, comment)
    let result = HealthRunReport(report, failLevel: .newlyDown)
    #expect(result.status == .failed, comment)
    // With several signs of one portal, the message has the hosts of each.
    let named = (result.failure?.message ?? "").matches(of: /(\d+) hosts?/).compactMap { Int($0.1) }
    #expect(named.reduce(0, +) == hosts, comment)
  }

  @Test(
    "when nothing is reached in one way, nothing is recorded, whatever the way, the size and the concurrency",
    arguments: Trouble.allCases, [(3, 4, 1), (12, 1, 1), (12, 3, 16), (104, 2, 4)])
  func everything(_ trouble: Trouble, _ size: (hosts: Int, feeds: Int, concurrency: Int)) async throws {
    let web = Web(hosts: size.hosts, feedsOfHost: size.feeds)
    let catalog = try await working(web)
    let before = try await tags(catalog)
    web.set { request throws(HTTPFailure) in try trouble.answer(request) }
    let report = try await catalog.check(web.transport, clock) { $0.concurrency = size.concurrency }
    // Of three hosts, two are enough to name what they have in common.
    try expectOutage(report, trouble.signature, hosts: size.hosts, "\(trouble), \(size)")
    #expect(try await tags(catalog) == before)
    #expect(HealthRunReport(report).text(.plain).description.contains("0 checked"))
  }

  @Test("a first run without a network records nothing, of 3 hosts as of 104", arguments: [3, 104])
  func first(_ hosts: Int) async throws {
    for trouble in [Trouble.silentNameServer, .noNames, .droppedPackets, .portal511] {
      let web = Web(hosts: hosts)
      web.set { request throws(HTTPFailure) in try trouble.answer(request) }
      let catalog = try await TestCatalog(feeds: web.feeds)
      try expectOutage(
        try await catalog.check(web.transport, clock), trouble.signature, hosts: hosts, "\(trouble)")
      #expect(try await catalog.metadataCount == 0)
    }
  }

  @Test(
    "a name server that drops requests under load answers when it is asked again: all feeds are used",
    arguments: [(true, 1), (true, 16), (false, 4), (false, 256)])
  func underLoad(_ isFirst: Bool, _ concurrency: Int) async throws {
    let web = Web(hosts: 104)
    let catalog = isFirst ? try await TestCatalog(feeds: web.feeds) : try await working(web)
    let asked = Mutex<[String: Int]>([:])
    web.set { [clock] request throws(HTTPFailure) in
      let times = asked.withLock { asked in
        asked[request.url, default: 0] += 1
        return asked[request.url] ?? 0
      }
      if times == 1, request.url.utf8.reduce(0, { $0 + Int($1) }) % 2 == 0 {
        throw Self.failure(.timeout, after: .started)
      }
      return .ok(FeedText.rss(now: clock.now), from: request.url)
    }
    let report = try await catalog.check(web.transport, clock) { $0.concurrency = concurrency }
    #expect(report.outage == nil && report.checked == 104 && report.feeds.allSatisfy { $0.cause == nil })
    #expect(asked.withLock { $0.values.max() } == 2)
  }

  @Test("of a name server that goes on dropping requests nothing is said about the hosts it dropped")
  func lossy() async throws {
    let web = Web(hosts: 104)
    let catalog = try await working(web)
    let asked = Counter()
    // A quarter never resolves, a quarter does the second time.
    web.set { [clock] request throws(HTTPFailure) in
      let host = Int(request.url.split(separator: ".")[0].drop { !$0.isNumber }) ?? 0
      if host % 4 == 0 { throw Self.failure(.timeout, after: .started) }
      if host % 4 == 1, asked.next() <= 26 { throw Self.failure(.timeout, after: .started) }
      return .ok(FeedText.rss(now: clock.now), from: request.url)
    }
    let report = try await catalog.check(web.transport, clock) { $0.concurrency = 256 }
    #expect(report.outage == nil && report.checked == 78)
    let lost = report.feeds.filter { !$0.isJudged }
    #expect(lost.count == 26 && lost.allSatisfy { $0.cause == .ours && $0.status == .unknown })
    #expect(report.summary.contains("26 asked but not recorded"))
    #expect(report.warnings.first?.contains("it did not answer for the hosts of 26 feeds") == true)
    #expect(try await catalog.metadata("f0-0")?["totalAttempts"] == .int64(1))
  }

  @Test(
    "nothing is recorded about names that a name server does not know after it failed; of one that works, all is",
    arguments: [Trouble.failingNameServer, .noNames], [true, false])
  func failing(_ trouble: Trouble, _ isDead: Bool) async throws {
    let web = Web(hosts: 20)
    let catalog = try await working(web)
    let affected = { (name: String) in ["f4-0", "f9-0"].contains(name) }
    // One of the two hosts had failed before.
    web.set({ $0 == "f9-0" }) { request throws(HTTPFailure) in try trouble.answer(request) }
    #expect(try await catalog.check(web.transport, clock).count(of: .degraded) == 1)
    clock.advance(86_400)
    web.transport.isNameServerDead.store(isDead, ordering: .relaxed)
    web.set(affected) { request throws(HTTPFailure) in try trouble.answer(request) }
    let report = try await catalog.check(web.transport, clock)
    #expect(report.outage == nil && report.checked == (isDead ? 18 : 20) && report.lost == (isDead ? 2 : 0))
    #expect(report.feeds.count { $0.cause == .host } == (isDead ? 0 : 2))
  }

  @Test("half of the hosts that a name server hides are an outage, half refusing connections are not")
  func half() async throws {
    for (trouble, isOurs) in [(Trouble.silentNameServer, true), (.refusedPort, false), (.noNames, false)] {
      let web = Web(hosts: 20)
      let catalog = try await working(web)
      web.set({ $0.hasSuffix("-0") && Int($0.dropFirst().dropLast(2)) ?? 0 < 10 }) {
        request throws(HTTPFailure) in try trouble.answer(request)
      }
      let report = try await catalog.check(web.transport, clock)
      #expect((report.outage != nil) == isOurs, "\(trouble)")
      #expect(report.checked == (isOurs ? 0 : 20))
      if !isOurs { #expect(report.feeds.count { $0.cause == .host } == 10) }
    }
  }

  @Test("a name server that drops most requests of a first run is the cause: what it hides is not recorded")
  func firstRunUnderLoad() async throws {
    let web = Web(hosts: 104)
    web.set({ !$0.hasPrefix("f1") }) { request throws(HTTPFailure) in
      try Trouble.silentNameServer.answer(request)
    }
    web.set({ $0.hasPrefix("f1") }) { [clock] in .ok(FeedText.rss(now: clock.now), from: $0.url) }
    let catalog = try await TestCatalog(feeds: web.feeds)
    let report = try await catalog.check(web.transport, clock)
    #expect(report.outage == nil && report.checked == 15 && report.count(of: .degraded) == 0)
    #expect(report.lost == 89 && report.feeds.count { $0.cause == .ours } == 89)
    #expect(try await catalog.metadataCount == 15)
  }

  @Test("a port that is refused for all is ours although the other one works", arguments: [true, false])
  func port(_ isSecure: Bool) async throws {
    let web = Web(hosts: 30)
    let catalog = try await working(web)
    let refused = web.feeds.filter { $1.hasPrefix("https") == isSecure }
    web.set({ refused[$0] != nil }) { request throws(HTTPFailure) in try Trouble.refusedPort.answer(request) }
    let report = try await catalog.check(web.transport, clock)
    try expectOutage(report, .noConnection, hosts: isSecure ? 20 : 10, "\(isSecure)")
    // Every host that is not counted is accounted for.
    let message = HealthRunReport(report).failure?.message ?? ""
    #expect(message.contains("(answered), \(isSecure ? 5 : 15) more (answered). "), "\(message)")
  }

  @Test("a name with a private address is skipped, as long as other hosts are reached")
  func blockedNames() async throws {
    let web = Web(hosts: 12)
    let catalog = try await working(web)
    web.set({ ["f3-0", "f4-0", "f5-0"].contains($0) }) { request throws(HTTPFailure) in
      try Trouble.privateNames.answer(request)
    }
    let report = try await catalog.check(web.transport, clock)
    #expect(report.outage == nil && report.checked == 9)
    #expect(report.skipped.map(\.reason.kind) == [.privateAddress, .privateAddress, .privateAddress])
  }

  @Test("what other hosts do not share is theirs, and recorded")
  func theirs() async throws {
    let dead = IPNetwork("203.0.113.7")
    let wrong = Self.failure(.tls, after: .connected, network: dead, certificate: 7)
    let cases: [(hosts: Int, failing: Int, answer: StubTransport.Answer)] = [
      // An edge network that fails for half of the catalog.
      (40, 20, { _ in .status(522) }), (40, 20, { _ in .status(503) }),
      // Hosts of one network, of which nothing answers.
      (22, 20, { _ throws(HTTPFailure) in throw Self.failure(.timeout, after: .resolved, network: dead) }),
      // Parked domains, each with a page of its own.
      (
        10, 9,
        { request in
          let name = String(UInt(bitPattern: request.url.hashValue), radix: 2)
            .replacing("0", with: "a").replacing("1", with: "b").prefix(20)
          return .ok("<html><title>\(name)</title><p>for sale</html>", from: request.url)
        }
      ),
      // Dates and names of certificates.
      (10, 10, { _ throws(HTTPFailure) in throw HTTPFailure(.tls, "certificate has expired") }),
      (22, 20, { _ throws(HTTPFailure) in throw wrong }),
      // Redirects to the host itself, and then nothing.
      (
        10, 10,
        { request throws(HTTPFailure) in
          throw Self.failure(.timeout, after: .ready, redirectedTo: "\(request.url)/feed")
        }
      ),
    ]
    for (hosts, failing, answer) in cases {
      let web = Web(hosts: hosts)
      let catalog = try await working(web)
      web.set({ Int($0.dropFirst().dropLast(2)) ?? 0 < failing }, answer)
      let report = try await catalog.check(web.transport, clock)
      #expect(report.outage == nil && report.checked == hosts, "\(failing) of \(hosts)")
      #expect(report.feeds.count { $0.cause != nil && $0.isJudged } == failing)
    }
    let web = Web(hosts: 20)
    let catalog = try await working(web)
    // Hosts of one operator, which deliver the feeds without TLS.
    web.set { [clock] request throws(HTTPFailure) in
      guard request.url.hasPrefix("http:") else { throw wrong }
      var feed = HTTPResponse.ok(FeedText.rss(now: clock.now), from: request.url)
      feed.remoteAddress = "203.0.113.9"
      return feed
    }
    #expect(try await catalog.check(web.transport, clock).outage == nil)
  }

  @Test("20 feeds of one dead host are recorded, and the cause is said once")
  func deadHost() async throws {
    let web = Web(hosts: 1, feedsOfHost: 20)
    let catalog = try await working(web)
    web.set { _ throws(HTTPFailure) in throw Self.failure(.timeout, after: .resolved) }
    let report = try await catalog.check(web.transport, clock)
    #expect(report.outage == nil && report.count(of: .degraded) == 20)
    let text = HealthRunReport(report).text(.plain).description
    #expect(text.contains("degraded 20 feeds of h0.example0.org\n"))
    #expect(text.components(separatedBy: "FH0103").count == 2)
    #expect(HealthRunReport(report).markdown.components(separatedBy: "FH0103").count == 2)
    #expect(report.feeds.allSatisfy { $0.detail == "no connection within 10 seconds" })
  }

  @Test(
    "a whole outage ends soon: not every host is asked again, and of no host all feeds", arguments: [1, 6])
  func ends(feeds: Int) async throws {
    let web = Web(hosts: 104, feedsOfHost: feeds)
    let catalog = try await working(web)
    let before = web.transport.requests.count
    web.set { request throws(HTTPFailure) in try Trouble.droppedPackets.answer(request) }
    let report = try await catalog.check(web.transport, clock)
    try expectOutage(report, .noConnection, hosts: 104, "\(feeds)")
    #expect(web.transport.requests.count - before <= 104 * min(3, feeds) + 8)
  }

  @Test("of a host that is reached only when it is asked again, all feeds are used")
  func late() async throws {
    let web = Web(hosts: 8, feedsOfHost: 9)
    let catalog = try await working(web)
    let asked = Counter()
    web.set({ $0.hasPrefix("f1-") }) { [clock] request throws(HTTPFailure) in
      if asked.next() <= 3 { return try Trouble.droppedPackets.answer(request) }
      return .ok(FeedText.rss(now: clock.now), from: request.url)
    }
    let report = try await catalog.check(web.transport, clock)
    #expect(report.outage == nil && report.feeds.count == 72 && report.feeds.allSatisfy { $0.cause == nil })
  }

  @Test("hosts that fail in three runs over a day while others deliver are down themselves")
  func longer() async throws {
    let web = Web(hosts: 20)
    let catalog = try await working(web)
    _ = try await leasedCheck(catalog, web)
    web.set({ $0 != "f0-0" }) { request throws(HTTPFailure) in try Trouble.refusedPort.answer(request) }
    for hour in [0, 12, 25] {
      let report = try await leasedCheck(catalog, web)
      #expect((report.outage == nil) == (hour == 25), "\(hour)")
      #expect(report.checked == (hour == 25 ? 20 : 0))
      clock.advance(hour == 0 ? 12 * 3600 : 13 * 3600)
    }
  }

  /// A check of all feeds under a lease, whose record remembers the run.
  private func leasedCheck(_ catalog: TestCatalog, _ web: Web) async throws -> HealthRunResult {
    var options = HealthOptions()
    options.force = true
    let session = WriteSession(
      WritingJob("health check", kind: .job, lease: .health), container: catalog.container,
      dependencies: WriteSessionDependencies(now: clock.health.now, runID: "run", wait: clock.health.wait))
    return try await HealthCheck(
      container: catalog.container, transport: web.transport, clock: clock.health, options: options
    ).run(in: session)
  }
}
