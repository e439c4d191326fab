import CloudKitModel
import FeedFetching
import FeedHealth
import FeedState
import Foundation
import HTTPTransport
import HostileFeeds
import Synchronization
import Testing

@testable import DemoFeeds

/// Every behavior of the web, on loopback: its verdicts are a table that is recorded in verdicts.md.
///
/// `CELESTRA_RECORD_VERDICTS=1` records the table again.
@Suite struct ZooTests {
  /// The verdicts of three checks, and the codes of the last.
  private struct Row {
    var statuses: [String] = []
    var codes = ""

    var verdicts: String {
      Set(statuses).count == 1 && statuses.count == 3 ? statuses[0] : statuses.joined(separator: ", ")
    }
  }

  /// How the feeds of a table are checked.
  private enum Policy {
    case loopback, shortTimeout, publicAddresses
    /// Long enough for a whole answer on a busy machine.
    case mediumTimeout

    /// `nil` leaves a good feed all the time that it needs, however busy the machine is.
    var timeout: Duration? {
      switch self {
      case .shortTimeout: .milliseconds(300)
      case .mediumTimeout: .seconds(5)
      case .loopback, .publicAddresses: nil
      }
    }
  }

  private static let tables: [(title: String, policy: Policy, table: DemoFeedTable)] = {
    let all = DemoFeedTable.everyBehavior.feeds
    let light = all.filter { !endless.contains($0.behavior) && !heavy.contains($0.behavior) }
    return [
      ("Servers and documents", .loopback, DemoFeedTable(light)),
      (
        "Servers that never finish", .shortTimeout,
        DemoFeedTable(all.filter { endless.contains($0.behavior) })
      ),
      ("The web", .loopback, DemoFeedTable(DemoFeedTable.web.feeds.filter { $0.slug != staysOpen })),
      (
        "Whole answers without an end", .mediumTimeout,
        DemoFeedTable(DemoFeedTable.web.feeds.filter { $0.slug == staysOpen })
      ),
      ("Private networks", .publicAddresses, .privateTargets),
    ]
  }()
  private static let endless: Set<DemoBehavior> = [.hang, .slowDrip]
  private static let staysOpen = "stays-open"
  /// Large or slow; ``DemoFeedTests`` has them.
  private static let heavy: Set<DemoBehavior> = [
    .slow, .endlessBody, .gzipBomb, .endlessHeaders, .longStatus, .tinyChunks, .endlessChunkExtension,
    .emptyCoding,
    .manyAttributes, .longAttribute, .deepNesting, .nulBytes, .nulsInText, .manyItems, .invalidUTF8,
    .billionLaughs,
    .quadraticEntities, .endlessReference, .jsonItems, .jsonValues, .jsonInOneItem, .jsonNesting,
  ]

  @Test("each behavior has the verdicts of the recorded table")
  func verdicts() async throws {
    var text = Self.head
    for (title, policy, table) in Self.tables {
      let new = try await rows(table, policy, worksFirst: false)
      let known = try await rows(table, policy, worksFirst: true)
      text += "\n## \(title)\n\n\(Self.columns)"
      for feed in table.feeds {
        let (new, known) = (try #require(new[feed.slug]), try #require(known[feed.slug]))
        let others = known.verdicts == new.verdicts ? "" : "; a feed that worked: \(known.verdicts)"
        text += "| \(feed.behavior.summary) | \(new.verdicts)\(others) | \(known.codes) |\n"
      }
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "verdicts.md")
    if ProcessInfo.processInfo.environment["CELESTRA_RECORD_VERDICTS"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    for (line, expected) in zip(text.split(separator: "\n"), recorded.split(separator: "\n")) {
      #expect(line == expected)
    }
    #expect(text == recorded)
  }

  private static let head = """
    # Verdicts

    What `health check` says of the behaviors of servers and feeds that the tests serve on loopback, at three checks a little
    more than an hour apart. One verdict stands for three equal ones. A feed is new, and one that had a success a little more than
    an hour before has the same verdicts unless the table says otherwise. The codes are the reasons of the last check.

    """
  private static let columns = """
    | Behavior | Verdicts | Codes |
    | --- | --- | --- |

    """

  private func rows(_ table: DemoFeedTable, _ policy: Policy, worksFirst: Bool) async throws -> [String: Row]
  {
    let clock = TestClock()
    let isGood = Mutex(worksFirst)
    let served = table.feeds.map { feed in
      let behavior = DemoBehavior(feed.behavior.name, feed.behavior.summary) {
        guard isGood.withLock(\.self) else { return feed.behavior.answer($0) }
        // Without the title, so that no answer after it has the same entity tag.
        var request = $0
        request.feed = DemoFeed(slug: feed.slug, behavior: .rss20)
        return DemoBehavior.rss20.answer(request)
      }
      return DemoFeed(slug: feed.slug, title: feed.title, behavior: behavior)
    }
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(served), now: clock.now.milliseconds / 1000, slowDelay: .milliseconds(50))
    defer { Task { try await server.stop() } }
    let feeds = table.feeds.map { ($0.slug, server.url(of: $0.slug)) }
    let catalog = try await TestCatalog(feeds: Dictionary(uniqueKeysWithValues: feeds))
    let curl = try CurlTransport()
    let transport: any HTTPTransport = policy == .publicAddresses ? OpenFirstHop(transport: curl) : curl
    var rows: [String: Row] = [:]
    for check in (worksFirst ? 0 : 1)...3 {
      let report = try await catalog.check(transport, clock) { options in
        options.policy.allowPrivateAddresses = policy != .publicAddresses
        options.policy.totalTimeout = (check > 0 ? policy.timeout : nil) ?? .seconds(60)
        options.policy.maxBodyBytes = 1 << 20
        options.thresholds.slowAnswer = .seconds(60)
        options.force = true
      }
      isGood.withLock { $0 = false }
      clock.advance(3660)
      guard check > 0 else { continue }
      for feed in report.feeds {
        rows[feed.recordName, default: Row()].statuses.append(feed.status.rawValue)
        rows[feed.recordName]?.codes = feed.reasons.map(\.code).joined(separator: " ")
      }
      for feed in report.skipped {
        rows[feed.recordName, default: Row()].statuses.append("skipped")
        if case .ownRules(let reason, _) = feed.reason { rows[feed.recordName]?.codes = reason.code }
      }
    }
    return rows
  }
}

/// Lets the first request of a chain reach loopback, where the feeds of the zoo are. The address policy of the request
/// applies to the target of its redirect.
private struct OpenFirstHop: HTTPTransport {
  let transport: CurlTransport

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    var first = request
    first.addressPolicy = .any
    first.limits.maxRedirects = 0
    let response = try await transport.send(first)
    guard (300..<400).contains(response.status), let target = response.headers["Location"] else {
      return response
    }
    var next = request
    next.url = target
    return try await transport.send(next)
  }
}
