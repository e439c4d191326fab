import Diagnostics
import FeedHealth
import FeedState
import Testing

@testable import HTTPTransport

@Suite("Rules of feed health") struct HealthRuleTests {
  @Test(
    "the example of a rule has its reason, the exchanges to use instead do not", arguments: HealthReason.rules
  )
  func example(rule: Rule) async throws {
    let found = try await codes(after: rule.example)
    #expect(found.contains(rule.code), "found \(found)")
    #expect(try await !codes(after: rule.useInstead).contains(rule.code))
  }

  /// The codes that the last of the example's checks gives for the feed, a day apart from each other.
  private func codes(after example: String) async throws -> [String] {
    let checks = try ExampleCheck.checks(in: example)
    let url = try #require(checks.first?.url)
    let other = "http://other.example/feed"
    let clock = TestClock()
    let catalog = try await TestCatalog(feeds: ["a": url, "b": other])
    var codes: [String] = []
    for check in checks {
      let transport = StubTransport([url: check.answer, other: { _ in .ok(FeedText.rss(), from: other) }])
      let report = try await catalog.check(transport, clock) {
        $0.only = ["a"]
        if !check.isAsked { $0.budget = .zero }
      }
      codes = report.feeds.flatMap(\.reasons).map(\.code) + HealthRunReport(report).findings.map(\.code)
      for feed in report.skipped {
        if case .ownRules(let reason, _) = feed.reason { codes.append(reason.code) }
      }
      clock.advance(25 * 3600)
    }
    return codes
  }
}

/// One check of a rule's example: an exchange, or several that redirects join.
struct ExampleCheck {
  /// Of the feed.
  let url: String
  let answer: StubTransport.Answer
  /// The run ends before the feed's turn.
  var isAsked = true

  /// Reads `GET URL`, then `no answer: KIND` or a response.
  static func checks(in example: String) throws -> [ExampleCheck] {
    var checks: [ExampleCheck] = []
    var redirects: [HTTPResponse.Redirect] = []
    for exchange in ("\n" + example).split(separator: "\nGET ") {
      let exchange = try Exchange(exchange)
      if let target = exchange.headers["Location"] {
        redirects.append(.init(status: exchange.status, from: exchange.url, to: target))
      } else {
        let check = ExampleCheck(
          url: redirects.first?.from ?? exchange.url, answer: exchange.answer(after: redirects),
          isAsked: exchange.isAsked)
        checks += Array(repeating: check, count: exchange.times)
        redirects = []
      }
    }
    return checks
  }
}

private struct Exchange {
  var url = ""
  var seconds = 0
  var isAsked = true
  /// How many checks get this answer.
  var times = 1
  var failure: HTTPFailure.Kind?
  var status = 0
  var headers: HTTPHeaders = []
  var body = ""

  init(_ text: Substring) throws {
    let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\n")
    let request = lines[0].split(separator: ", answered after ")
    url = String(request[0])
    if request.count > 1 { seconds = try #require(Int(request[1].dropLast(2))) }
    if lines[1] == "not asked" {
      isAsked = false
      return
    }
    if lines[1].hasPrefix("no answer: ") {
      let kind = String(lines[1].dropFirst("no answer: ".count))
      let known: HTTPFailure.Kind = try #require(HTTPFailure.Kind(rawValue: kind))
      failure = known
      return
    }
    if let match = lines[1].firstMatch(of: /, at (\d+) checks$/) { times = try #require(Int(match.1)) }
    status = try #require(Int(lines[1].dropFirst("HTTP/1.1 ".count).prefix(3)))
    for line in lines.dropFirst(2) {
      let header = line.split(separator: ": ", maxSplits: 1)
      headers[String(header[0])] = String(header[1])
    }
    // A blank line parts two exchanges, and a document has none of its own.
    body = parts.count > 1 ? Self.expanded(String(parts[1])) : ""
  }

  /// Writes out `{1000 × x}`.
  private static func expanded(_ text: String) -> String {
    guard let match = text.firstMatch(of: /\{(\d+) × (.)\}/), let count = Int(match.1) else { return text }
    return text.replacing(String(match.0), with: String(repeating: String(match.2), count: count))
  }

  func answer(after redirects: [HTTPResponse.Redirect]) -> StubTransport.Answer {
    { [self] _ throws(HTTPFailure) in
      if let failure { throw HTTPFailure(failure, "as the example says") }
      var response = HTTPResponse(
        status: status, headers: headers, body: Array(body.utf8.prefix(10 << 20)), finalURL: url,
        redirects: redirects, totalTime: .seconds(seconds))
      if body.utf8.count > 10 << 20 { response.flaws = [.cut] }
      return response
    }
  }
}
