import DemoFeeds
import Foundation
import Synchronization
import Testing

/// Documents that stop inside an item, for each reason that a connection has, and by our own limit.
@Suite struct CutTransferTests {
  enum Cut: String, CaseIterable { case gzip, length, chunk, close, limit }

  private static let fetch = [
    "articles", "fetch", "--allow-private-addresses", "--force", "--format", "json",
  ]

  /// What the feeds send: a first document, then a longer one that is cut, then that one whole.
  private enum Phase { case first, cut, whole }

  private static func feed(_ cut: Cut, _ phase: @escaping @Sendable () -> Phase) -> DemoFeed {
    let behavior = DemoBehavior(cut.rawValue, "cut") { _ in
      let text = document(phase() == .first ? [1, 10] : numbers)
      let isCut = phase() == .cut
      let part = Array(text.utf8.prefix(isCut && cut != .limit ? place(in: text) : text.utf8.count))
      var response = DemoResponse("200 OK", [("Content-Type", "application/rss+xml"), ("ETag", "\"1\"")])
      response.body = part
      switch cut {
      case .gzip:
        response.headers.append(("Content-Encoding", "gzip"))
        let whole = Gzip.stored(Array(text.utf8))
        // Shorter than our own limit, which would end the reading before the damage is seen.
        response.body = isCut ? Array(whole.prefix(part.count - 40)) : whole
      case .length: response.announcedLength = text.utf8.count
      case .chunk, .close:
        var head = response.head.split(separator: UInt8(ascii: "\n"))
          .map { String(decoding: $0, as: UTF8.self) + "\n" }.filter { !$0.hasPrefix("Content-Length") }
        let size = String(part.count, radix: 16)
        if cut == .chunk { head.insert("Transfer-Encoding: chunked\r\n", at: 1) }
        let body = cut == .chunk ? Array("\(size)\r\n".utf8) + part + Array("\r\n".utf8) : part
        let end = cut == .chunk && !isCut ? "0\r\n\r\n" : ""
        return DemoResponseScript(.send(Array(head.joined().utf8) + body + Array(end.utf8)), .close)
      case .limit: break
      }
      return DemoResponseScript(.send(response.head + response.body), .close)
    }
    return DemoFeed(slug: cut.rawValue, behavior: behavior)
  }

  /// The id of 1003 begins with that of 10.
  private static let numbers = [0, 1, 10, 1003]

  private static func document(_ numbers: [Int]) -> String {
    let items = numbers.map { number in
      "<item><guid isPermaLink='false'>post-\(number)</guid><title>Title \(number)</title>"
        + "<link>https://s.example/\(number)</link><description>Text \(number)</description></item>"
    }
    return "<rss version='2.0'><channel><title>S</title><link>https://s.example/</link>\(items.joined())"
      + "</channel></rss>"
  }

  /// Where a cut makes of the id of 1003 that of 10.
  private static func place(in text: String) -> Int {
    text.firstRange(of: "post-1003").map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) + 7 }
      ?? text.utf8.count
  }

  @Test(
    "of a document that stops inside an item all but that item is stored, of a damaged one nothing, and the next brings the rest"
  )
  func cut() async throws {
    let phase = Mutex(Phase.first)
    let shared = { @Sendable in phase.withLock(\.self) }
    try await withDemoFeeds(Cut.allCases.map { Self.feed($0, shared) }) { tool in
      _ = try await tool.json(Self.fetch)
      phase.withLock { $0 = .cut }
      var limited = tool
      let text = Self.document(Self.numbers)
      limited.environment["CELESTRA_ADMIN_HEALTH_MAX_FEED_BYTES"] = "\(Self.place(in: text))"
      let result = try await limited.json(Self.fetch)
      for feed in try #require(result["feeds"] as? [[String: Any]]) {
        if feed["recordName"] as? String == "gzip" {
          #expect(feed["reasons"] as? [String] == ["FH0111"] && feed["items"] == nil, "\(feed)")
          continue
        }
        #expect(feed["status"] as? String == "degraded" && feed["items"] as? Int == 3, "\(feed)")
        let place =
          feed["recordName"] as? String == "limit"
          ? "only the first \(Self.place(in: text)) bytes" : "stops at 1:\(Self.place(in: text) + 1),"
        #expect((feed["detail"] as? String)?.contains(place) == true, "\(feed)")
      }
      for cut in Cut.allCases {
        let new = cut == .gzip ? [] : ["Title 0"]
        #expect(try await titles(tool, cut) == new + ["Title 1", "Title 10"], "\(cut)")
      }
      phase.withLock { $0 = .whole }
      _ = try await tool.json(Self.fetch)
      for cut in Cut.allCases {
        #expect(try await titles(tool, cut) == Self.numbers.map { "Title \($0)" }, "\(cut)")
      }
    }
  }

  private func titles(_ tool: Tool, _ cut: Cut) async throws -> [String] {
    let listed = try await tool.json(["articles", "list", "--feed", cut.rawValue, "--format", "json"])
    return (listed["articles"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }.sorted()
  }
}
