package import Diagnostics

/// The reasons why a feed is not healthy; ``rule`` has the texts.
///
/// FH01xx: no whole answer. FH02xx: the server answered, but not with the feed. FH03xx: the document. FH04xx: how
/// it is served. FH05xx: the feed's history. FH06xx: the checks themselves.
package enum HealthReason: String, RuleCode {
  case invalidURL = "FH0101"
  case hostNotFound = "FH0102"
  case connectionFailed = "FH0103"
  case tlsFailed = "FH0104"
  case timedOut = "FH0105"
  case tooLarge = "FH0106"
  case addressForbidden = "FH0107"
  case badRedirect = "FH0108"
  case brokenProtocol = "FH0109"
  case truncated = "FH0110"
  case damagedEncoding = "FH0111"
  case tooManyRedirects = "FH0112"

  case notFound = "FH0201"
  case gone = "FH0202"
  case accessDenied = "FH0203"
  case throttled = "FH0204"
  case refused = "FH0205"
  case serverError = "FH0206"
  case unexpectedStatus = "FH0207"
  case botWall = "FH0208"
  case consentPage = "FH0209"
  case loginPage = "FH0210"
  case originDown = "FH0211"
  case originTLS = "FH0212"
  case originNotFound = "FH0213"

  case notAFeed = "FH0301"
  case htmlPage = "FH0302"
  case illFormed = "FH0303"
  case encodingMismatch = "FH0304"
  case noItems = "FH0305"
  case stale = "FH0306"
  case itemIdentity = "FH0307"
  case emptyDocument = "FH0308"
  case ended = "FH0309"
  case futureDates = "FH0310"
  case bridgeError = "FH0311"

  case movedPermanently = "FH0401"
  case slow = "FH0402"
  case httpsAvailable = "FH0403"

  case failingRepeatedly = "FH0501"
  case failingForLong = "FH0502"
  case unreliable = "FH0503"
  case recovering = "FH0504"
  case refusedForLong = "FH0505"

  case neglected = "FH0601"

  package var code: String { rawValue }

  /// The problem, as one clause without a full stop.
  package var explanation: String {
    let summary = rule.summary
    return summary.prefix(1).lowercased() + summary.dropFirst()
  }

  /// What an editor can do about it.
  package var advice: String { rule.help }

  /// One failure of this kind makes a feed down, if a second request confirms it.
  package var isDecisive: Bool { self == .gone || self == .notAFeed || self == .htmlPage }

  /// The kinds of failures. Consecutive failures of one kind count as one failure with one start time.
  package enum Kind: Sendable, Hashable {
    /// The host's name or certificate. Besides the number of checks its duration counts.
    case host
    /// Other content is served successfully. For a feed that worked recently, this may be temporary.
    case content
    case other
  }

  package var kind: Kind {
    switch self {
    case .hostNotFound, .tlsFailed: .host
    case .notAFeed, .htmlPage, .emptyDocument: .content
    default: .other
    }
  }

  /// The family "refused": the server works, but does not let us through, so nothing is known about the feed.
  package var isRefusal: Bool {
    switch self {
    case .accessDenied, .botWall, .consentPage, .loginPage: true
    default: false
    }
  }

  /// The check says nothing about the feed, and is not counted as a failure.
  package var isInconclusive: Bool { isRefusal || self == .throttled || self == .tooLarge }

  /// No server was reached; the fault may lie in our own network.
  package var isConnectionFailure: Bool { self == .hostNotFound || self == .connectionFailed }
}

// MARK: - The rules

/// An example is the exchanges of one or more checks: the first on 2 March 2026, each later one a day after the one before.
/// `no answer: KIND` stands for a request that failed, with the failure's kind.
extension HealthReason {
  package var rule: Rule {
    switch self {
    case .invalidURL:
      feedRule(
        "unusable-feed-url", "The feed URL cannot be requested",
        why: "It is not an absolute http or https URL.",
        example: "GET https://exa mple.com/feed\nno answer: invalidRequest",
        help: "Correct feedURL in the seed.")
    case .hostNotFound:
      feedRule(
        "host-not-found", "The host name has no address",
        why:
          "The domain may have expired, or a name server may be down or silent. Three such checks in a row make the feed "
          + "down, and so do two that are a day apart.",
        example: failure("dns"), help: Self.waitOrReplace)
    case .connectionFailed:
      feedRule(
        "connection-failed", "The server accepts no connection",
        why: "No program listens at the address, it does not answer within 10 seconds, or a network is down.",
        example: failure("connect"), help: Self.waitOrReplace)
    case .tlsFailed:
      feedRule(
        "tls-failed", "The TLS connection to the server failed",
        why:
          "Usually the certificate has expired or does not match the host name. The check never accepts "
          + "such a certificate. Three such checks in a row make the feed down, and so do two that are a day apart.",
        example: failure("tls"), help: "Report it to the publisher; the certificate may be old.")
    case .timedOut:
      feedRule(
        "timed-out", "The server took too long",
        why:
          "The connection stood, but the whole answer did not arrive. The limit is 30 seconds, redirects included, unless "
          + "--timeout sets another.",
        example: failure("timeout"), help: Self.waitOrReport, source: Self.limits)
    case .tooLarge:
      feedRule(
        "answer-too-large", "Only the first part of the answer was read",
        why:
          "A check reads at most 10 MiB and 20,000 items of a feed; the setting health.maxFeedBytes sets another "
          + "limit of bytes. The check counts as a success, because the unread part may be just as good.",
        example: answer(rss(title: "{10485760 × x}")), help: "Look for a smaller feed of the same site.",
        source: Self.limits)
    case .addressForbidden:
      feedRule(
        "address-forbidden", "The host's address is private",
        why:
          "A feed URL must not make the check send requests to a private network. The feed is skipped, and "
          + "nothing is recorded.",
        example: failure("addressForbidden"),
        help: "Correct feedURL, or allow private addresses for an intranet.",
        source: Rule.reference("feeds", "address-policy"))
    case .badRedirect:
      feedRule(
        "bad-redirect", "The redirects do not lead to a document",
        why: "They form a loop, one leads from https to http, or one has no usable target.",
        example: failure("redirect"), help: Self.find, source: Self.limits)
    case .brokenProtocol:
      feedRule(
        "broken-protocol", "The server violated HTTP or closed the connection",
        why:
          "The connection ended before the answer, or the answer was not valid HTTP, such as one with "
          + "endless headers.",
        example: failure("protocol"),
        help: Self.waitOrReplace)
    case .truncated:
      feedRule(
        "answer-cut-off", "The answer ended early",
        why:
          "It has fewer bytes than its Content-Length header says, or its last chunk is missing. The check "
          + "reads what arrived, but many clients refuse such an answer.",
        example: failure("truncated"), help: Self.waitOrReport)
    case .damagedEncoding:
      feedRule(
        "damaged-compression", "The answer's compression is not as declared",
        why:
          "The bytes do not decode as the Content-Encoding header says, or are compressed although no "
          + "header says so. A second request, which asks for no compression, may still bring the feed.",
        example: failure("encoding"), help: "Report it to the publisher.")
    case .tooManyRedirects:
      feedRule(
        "too-many-redirects", "There are more redirects than a check follows",
        why:
          "The limit is 10, unless the setting health.maxRedirects sets another. The feed is skipped, and "
          + "nothing is recorded.",
        example: failure("tooManyRedirects"), help: Self.find, source: Self.limits)

    case .notFound:
      feedRule(
        "not-found", "404: nothing is at the feed's address",
        why: "Servers sometimes answer 404 for a short time, so one such answer does not make the feed down.",
        example: status("404 Not Found"), help: Self.find)
    case .gone:
      feedRule(
        "gone", severity: .error, "410: the publisher has withdrawn the feed",
        why: "The status means that the address is gone for good. A second request must agree.",
        example: status("410 Gone"), help: "Retire the feed.")
    case .accessDenied:
      feedRule(
        "access-denied", "The server refuses us",
        why:
          "Status 401, 402, 403, 406, 407, 451 or 999. Firewalls send these to programs, also for feeds that work in "
          + "a browser. The feed is degraded, and becomes down only after 30 days (FH0505).",
        example: status("403 Forbidden"), help: Self.allow, source: Self.walls)
    case .throttled:
      feedRule(
        "throttled", "The server asks for fewer requests",
        why: "Status 429 counts neither as success nor as failure.", example: status("429 Too Many Requests"),
        help: "Do nothing: the next check waits as long as the server asks.",
        source: Rule.reference("feeds", "politeness")
      )
    case .refused:
      feedRule(
        "refused", "The server does not accept the request",
        why:
          "The status is from 400 to 499, and no other rule covers it.",
        example: status("400 Bad Request"), help: Self.find)
    case .serverError:
      feedRule(
        "server-error", "The server reports an error of its own", why: "A status from 500 to 599.",
        example: status("500 Internal Server Error"), help: Self.waitOrReport)
    case .unexpectedStatus:
      feedRule(
        "unexpected-status", "The server's status makes no sense for a feed",
        why: "For example 204 No Content, or 304 Not Modified although the request was not conditional.",
        example: status("204 No Content"), help: "Request the URL with another program.")
    case .botWall:
      feedRule(
        "bot-wall", "A check for bots is served instead of the feed",
        why: "The page says nothing about the feed behind it, so the feed is degraded and not down.",
        example: """
          GET https://example.com/feed
          HTTP/1.1 403 Forbidden
          cf-mitigated: challenge

          <title>Just a moment...</title>
          """, help: Self.allow, source: Self.walls)
    case .consentPage:
      feedRule(
        "consent-page", "A page that asks for consent is served instead of the feed",
        why: "The page says nothing about the feed behind it, so the feed is degraded and not down.",
        example: answer("<html><head><title>Before you continue</title></head><body></body></html>"),
        help: "Look for an address of the feed that needs no consent.", source: Self.walls)
    case .loginPage:
      feedRule(
        "login-page", "A page to sign in is served instead of the feed",
        why: "The page says nothing about the feed behind it, so the feed is degraded and not down.",
        example: answer(
          "<html><head><title>Sign in</title></head><body><form><input type=\"password\"></form></body></html>"
        ),
        help: "Ask the publisher whether the feed is still public.", source: Self.walls)
    case .originDown:
      feedRule(
        "edge-origin-down", "The edge server cannot reach the publisher's server",
        why:
          "Status 520 to 524, 527 or 530 comes from the server in front of the publisher's own, such as Cloudflare. "
          + "It is a failure, whatever the page contains.",
        example: edge(522, "Connection timed out"), help: Self.waitOrReport, source: Self.edges)
    case .originTLS:
      feedRule(
        "edge-origin-tls", "The edge server does not trust the publisher's certificate",
        why:
          "Status 525 or 526 comes from the server in front of the publisher's own, such as Cloudflare: the TLS "
          + "handshake with the publisher's server failed, or its certificate is not valid.",
        example: edge(526, "Invalid SSL certificate"), help: "Report it to the publisher.", source: Self.edges
      )
    case .originNotFound:
      feedRule(
        "edge-origin-dns", "The edge server finds no address for the publisher's server",
        why:
          "The page of an edge server such as Cloudflare names an error of DNS, for example 1016. The site may be "
          + "gone.",
        example: edge(530, "Origin DNS error. Error code: 1016"), help: Self.waitOrReplace, source: Self.edges
      )

    case .notAFeed:
      feedRule(
        "served-no-feed", severity: .error, "The document is not a feed",
        why: Self.otherContent,
        example: answer("<opml version=\"2.0\"><body/></opml>"), help: Self.find)
    case .htmlPage:
      feedRule(
        "served-page", severity: .error, "A web page is served instead of the feed",
        why: Self.otherContent + " If the page links to a feed, the check suggests its address.",
        example: answer("<!DOCTYPE html><html><head><title>News</title></head></html>"),
        help: "Use the suggested address, if there is one.")
    case .illFormed:
      feedRule(
        "served-ill-formed", "The document is ill-formed and was read with repairs",
        why: "Strict feed readers show nothing of such a feed.", example: answer(rss(title: "News & views")),
        useInstead: answer(rss(title: "News &amp; views")), help: "Report it to the publisher.")
    case .encodingMismatch:
      feedRule(
        "served-wrong-encoding", "The text is not in its declared encoding",
        why: "Feed readers may show wrong characters.",
        example: answer("<?xml version=\"1.0\" encoding=\"euc-jp\"?>\n" + rss(title: "日本")),
        useInstead: answer("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + rss(title: "日本")),
        help: "Report it to the publisher.")
    case .noItems:
      feedRule(
        "no-items", "The feed has no items", why: "Readers have nothing to show.",
        example: answer("<rss version=\"2.0\"><channel><title>News</title></channel></rss>"),
        help: "Wait; if it stays so, look for a better feed.")
    case .stale:
      feedRule(
        "stale", "Nothing new for a long time",
        why:
          "The newest item is older than 30 days and older than 5 times the usual gap between items. Dates more than "
          + "two days ahead do not count.",
        example: answer(rss(date: "Mon, 01 Dec 2025 08:00:00 GMT")),
        help: "Retire the feed if its site has ended.")
    case .itemIdentity:
      feedRule(
        "item-identity", "Many items have no id, or share one",
        why:
          "Feed readers use the id to know which items they have shown, so a reader may show such an item twice or "
          + "not at all. Stored articles lose none of them: their guids are then made of the link, the title, the "
          + "date or the content as well. The rule applies if at least a tenth of the items lack an id of their own.",
        example: answer(rss(more: "<item><guid>1</guid></item>")),
        useInstead: answer(rss(more: "<item><guid>2</guid></item>")),
        help: "Ask the publisher to give each item an id of its own.")
    case .emptyDocument:
      feedRule(
        "empty-answer", "The server sends nothing",
        why: "Usually the program that generates the feed has failed, so the feed is degraded and not down.",
        example: answer(""), help: Self.waitOrReport)
    case .ended:
      feedRule(
        "feed-ended", "The publisher says that the feed has ended",
        why: "A JSON Feed with 'expired', or a podcast with itunes:complete, will never change again.",
        example: answer(Self.jsonFeed(expired: true)), useInstead: answer(Self.jsonFeed(expired: false)),
        help: "Retire the feed.")
    case .futureDates:
      feedRule(
        "future-dates", "All dates of the feed are in the future",
        why:
          "Dates more than two days ahead do not count, so the time of the last update is unknown. A calendar, with "
          + "different days of the next two years, is not reported.",
        example: answer(rss(date: "Fri, 31 Dec 9999 23:59:59 GMT")), help: "Report it to the publisher.",
        source: Rule.reference("feeds", "dates-of-items"))
    case .bridgeError:
      feedRule(
        "bridge-error", "The program that makes the feed reports an error in it",
        why:
          "A feed bridge, such as RSS-Bridge, makes a feed of a site without one. When it cannot read the site, it "
          + "adds an entry about its error. Such an entry is not stored as an article.",
        example: answer(
          Self.bridgeFeed(link: "https://bridge.example/?action=display&amp;bridge=News&amp;format=Mrss")),
        useInstead: answer(Self.bridgeFeed(link: "https://forum.example/threads/5")),
        help: "Open the feed and read the error. Tell who runs the bridge, or replace the feed.",
        source: Rule.reference("feeds", "errors-of-bridges"))

    case .movedPermanently:
      feedRule(
        "moved-permanently", "The publisher says the feed has moved for good",
        why:
          "The publisher uses a permanent redirect or itunes:new-feed-url. The tool suggests a new address "
          + "when 3 checks in a row saw it. Only an editor changes it.",
        example: redirect("301 Moved Permanently", to: "https://example.com/new"),
        help: "Wait: the new address is proposed when 3 checks in a row saw it.",
        source: Rule.reference("feeds", "permanent-redirects"))
    case .slow:
      feedRule(
        "slow", "The answer is slow",
        why: "It took more than 10 seconds; for a feed that was already degraded, more than 8.",
        example: healthy.replacing("/feed\n", with: "/feed, answered after 12 s\n"),
        help: "Do nothing unless it happens often.")
    case .httpsAvailable:
      feedRule(
        "https-available", "The feed is also available over https",
        why: "Without https, others in the network can read and change the feed.",
        example: redirect("302 Found", from: "http://example.com/feed", to: "https://example.com/feed"),
        help: "Change feedURL to https.")

    case .failingRepeatedly:
      feedRule(
        "failing-repeatedly", severity: .error, "The last checks all failed",
        why: "Three failures in a row make a feed down.",
        example: Array(repeating: failure("timeout"), count: 3).joined(separator: "\n\n"),
        useInstead: Array(repeating: failure("timeout"), count: 2).joined(separator: "\n\n"),
        help: "Fix the reason that is reported with this one.")
    case .failingForLong:
      feedRule(
        "failing-for-long", severity: .error, "The feed has failed for a day or more",
        why:
          "The lookup of the host name, or the check of the certificate, failed a day ago and fails again.",
        example: [failure("dns"), failure("dns")].joined(separator: "\n\n"), useInstead: failure("dns"),
        help: "Fix the reason that is reported with this one.",
        source: Rule.reference("feeds", "decisive-reasons"))
    case .unreliable:
      feedRule(
        "unreliable", "Too many checks in the last 30 days failed",
        why: "At most 80 % of at least 5 checks succeeded.",
        example: ([failure("timeout")] + Array(repeating: healthy, count: 4)).joined(separator: "\n\n"),
        useInstead: Array(repeating: healthy, count: 5).joined(separator: "\n\n"),
        help: "Wait; look for a mirror if it stays so.")
    case .recovering:
      feedRule(
        "recovering", "The feed works again after being down",
        why: "One more good check makes the feed healthy.",
        example: [status("410 Gone"), healthy].joined(separator: "\n\n"),
        help: "Do nothing: one more good check makes the feed healthy.")

    case .refusedForLong:
      feedRule(
        "refused-for-long", severity: .error, "The server has refused us for 30 days",
        why:
          "Fewer than 5 % of the checks of the last 30 days succeeded, and the first refusal is 30 days ago. Readers "
          + "that fetch the feed from a server probably get nothing, too.",
        example: status("403 Forbidden, at 31 checks"), useInstead: status("403 Forbidden, at 20 checks"),
        help: "Open the feed in a browser and with a feed reader. If neither shows it, retire it.",
        source: Self.walls)

    case .neglected:
      feedRule(
        "neglected", "The feed was not checked for three times its check interval",
        why:
          "Each run ended before the feed's turn, because its --budget was used up or the host asked to "
          + "wait.",
        example: [healthy, "GET https://example.com/feed\nnot asked"].joined(separator: "\n\n"),
        useInstead: [healthy, healthy].joined(separator: "\n\n"),
        help: "Run the check more often, or with a larger --budget.",
        source: Rule.reference("feeds", "politeness"))
    }
  }

  /// A reason that makes a feed degraded; with the severity `error` one that makes it down.
  private func feedRule(
    _ name: String, severity: Diagnostic.Severity = .warning, _ summary: String, why: String,
    example: String, useInstead: String? = nil, help: String, source: String = Self.statusRules
  ) -> Rule {
    rule(
      name, severity, summary, why: why, example: example, useInstead: useInstead ?? healthy, help: help,
      source: source)
  }

  private static let waitOrReplace = "Wait; if it stays so, find the feed's present address on its site."
  private static let waitOrReport = "Wait; if it stays so, report it to the publisher."
  private static let find = "Find the feed's present address on its site."
  private static let statusRules = Rule.reference("feeds", "status-rules")
  private static let limits = Rule.reference("feeds", "fetch-limits")
  private static let walls = Rule.reference("feeds", "walls")
  private static let edges = Rule.reference("feeds", "edge-errors")
  private static let allow =
    "Open the feed in a browser. If it works there, ask the publisher to put the user agent celestra-admin on the "
    + "allow list, and set 'contact' to an address that they can write to."
  private static let otherContent =
    "A feed that worked in the last 7 days becomes down only if a check an hour later finds the same. Any "
    + "other feed becomes down if a second request finds the same."

  // MARK: Example exchanges

  private var healthy: String { answer(rss()) }

  private func failure(_ kind: String) -> String { "GET https://example.com/feed\nno answer: \(kind)" }

  private func status(_ status: String) -> String { "GET https://example.com/feed\nHTTP/1.1 \(status)" }

  private func edge(_ code: Int, _ page: String) -> String {
    status("\(code) \(code)\nServer: cloudflare\n\n<div id=\"cf-error-details\"><h1>\(page)</h1></div>")
  }

  private func answer(_ document: String, from url: String = "https://example.com/feed") -> String {
    "GET \(url)\nHTTP/1.1 200 OK\nContent-Type: application/xml\n\n\(document)"
  }

  private func redirect(_ status: String, from url: String = "https://example.com/feed", to target: String)
    -> String
  {
    "GET \(url)\nHTTP/1.1 \(status)\nLocation: \(target)\n\n" + answer(rss(), from: target)
  }

  private static func jsonFeed(expired: Bool) -> String {
    #"{"version":"https://jsonfeed.org/version/1.1","title":"News","expired":\#(expired),"#
      + #""items":[{"id":"1","date_published":"2026-03-02T08:00:00Z"}]}"#
  }

  /// A feed with an entry that a bridge made, if the link is one of it, and an article.
  private static func bridgeFeed(link: String) -> String {
    """
    <rss version="2.0"><channel><title>News</title>
    <item><guid>2</guid><title>Bridge returned error 403! (20514)</title><link>\(link)</link></item>
    <item><guid>1</guid><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>
    """
  }

  private func rss(
    title: String = "News", date: String = "Mon, 02 Mar 2026 08:00:00 GMT", more: String = ""
  ) -> String {
    """
    <rss version="2.0"><channel><title>\(title)</title>\(more)
    <item><guid>1</guid><pubDate>\(date)</pubDate></item></channel></rss>
    """
  }
}
