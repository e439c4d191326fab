public import Diagnostics

/// The rules of feed health. An example is the exchanges of one or more checks: the first on 2 March 2026, each later
/// one a day after the one before. `no answer: KIND` stands for a request that failed, with the failure's kind.
public enum HealthRules {
  public static let all = HealthReason.rules
}

extension HealthReason {
  public var rule: Rule {
    switch self {
    case .invalidURL:
      warning(
        "unusable-feed-url", "The feed URL cannot be requested",
        why: "It is not an absolute http or https URL.",
        example: "GET https://exa mple.com/feed\nno answer: invalidRequest",
        help: "Correct feedURL in the seed.")
    case .hostNotFound:
      warning(
        "host-not-found", "The host name has no address",
        why:
          "The domain may have expired, or a name server may be down. Two such checks a day apart make the feed "
          + "down.",
        example: failure("dns"), help: Self.waitOrReplace)
    case .connectionFailed:
      warning(
        "connection-failed", "No connection to the server",
        why: "Nothing listens there, or a network is down.",
        example: failure("connect"), help: Self.waitOrReplace)
    case .tlsFailed:
      warning(
        "tls-failed", "No secure connection to the server",
        why:
          "Usually the certificate has expired or does not fit the host name. The check never skips this test.",
        example: failure("tls"), help: "Report it to the publisher; the certificate may be old.")
    case .timedOut:
      warning(
        "timed-out", "The server took too long", why: "A feed has 30 seconds, redirects included.",
        example: failure("timeout"), help: Self.waitOrReport, source: Self.limits)
    case .tooLarge:
      warning(
        "answer-too-large", "The answer is over the size limit",
        why: "The limit is 15 MiB after decompression.",
        example: failure("tooLarge"), help: "Look for a smaller feed of the same site.", source: Self.limits)
    case .addressForbidden:
      warning(
        "address-forbidden", "The host's address is private",
        why: "A feed URL must not lead a check into the network of the machine that runs it.",
        example: failure("addressForbidden"),
        help: "Correct feedURL, or allow private addresses for an intranet.",
        source: "Documentation/reference/feeds.md#address-policy")
    case .badRedirect:
      warning(
        "bad-redirect", "The redirects lead nowhere",
        why: "There are more than 5 of them, one leads from https to http, or one has no usable target.",
        example: failure("redirect"), help: Self.find, source: Self.limits)
    case .brokenProtocol:
      warning(
        "broken-protocol", "The server broke HTTP or the connection off",
        why: "The connection ended before an answer, or the answer was not HTTP.",
        example: failure("protocol"),
        help: Self.waitOrReplace)
    case .truncated:
      warning(
        "answer-cut-off", "The answer ended early",
        why: "It has fewer bytes than its header announces. Half a feed is not read.",
        example: failure("truncated"), help: Self.waitOrReport)
    case .damagedEncoding:
      warning(
        "damaged-compression", "The answer's compression is damaged",
        why: "The bytes do not decode as the Content-Encoding header says.", example: failure("encoding"),
        help: "Report it to the publisher.")

    case .notFound:
      warning(
        "not-found", "404: nothing is at the feed's address",
        why: "Servers also answer so for a short time, so one such answer does not make the feed down.",
        example: status("404 Not Found"), help: Self.find)
    case .gone:
      error(
        "gone", "410: the publisher has withdrawn the feed",
        why: "The status means that the address is gone for good. A second request must agree.",
        example: status("410 Gone"), help: "Retire the feed.")
    case .accessDenied:
      warning(
        "access-denied", "The server denies access",
        why: "Status 401, 402, 403, 407 or 451. Some servers refuse all programs that are not browsers.",
        example: status("403 Forbidden"), help: "Ask the publisher to admit feed readers.")
    case .throttled:
      warning(
        "throttled", "The server asks for fewer requests",
        why: "Status 429 counts neither as success nor as failure.", example: status("429 Too Many Requests"),
        help: "Nothing; the next check waits as asked.", source: "Documentation/reference/feeds.md#politeness"
      )
    case .refused:
      warning(
        "refused", "The server refuses the request", why: "Another status from 400 to 499.",
        example: status("400 Bad Request"), help: Self.find)
    case .serverError:
      warning(
        "server-error", "The server reports an error of its own", why: "A status from 500 to 599.",
        example: status("500 Internal Server Error"), help: Self.waitOrReport)
    case .unexpectedStatus:
      warning(
        "unexpected-status", "The server's status makes no sense for a feed",
        why: "For example 204 No Content, or 304 although the request did not ask for changes only.",
        example: status("204 No Content"), help: "Try the URL by hand.")
    case .botWall:
      warning(
        "bot-wall", "A challenge for browsers stands before the feed",
        why: "The page says nothing about the feed behind it, so the feed is degraded and not down.",
        example: """
          GET https://example.com/feed
          HTTP/1.1 403 Forbidden
          cf-mitigated: challenge

          <title>Just a moment...</title>
          """, help: "Ask the publisher to admit feed readers.")

    case .notAFeed:
      error(
        "served-no-feed", "The document is not a feed",
        why: "The address serves something else now. A second request must agree.",
        example: answer("<opml version=\"2.0\"><body/></opml>"), help: Self.find)
    case .htmlPage:
      error(
        "served-page", "A web page is there instead of a feed",
        why:
          "The address serves a page now. A second request must agree. A feed that the page links to is suggested.",
        example: answer("<!DOCTYPE html><html><head><title>News</title></head></html>"),
        help: "Use the feed that the page links to, if any.")
    case .illFormed:
      warning(
        "served-ill-formed", "The document is ill-formed and was read with repairs",
        why: "Strict readers show nothing of it.", example: answer(rss(title: "News & views")),
        useInstead: answer(rss(title: "News &amp; views")), help: "Report it to the publisher.")
    case .encodingMismatch:
      warning(
        "served-wrong-encoding", "The text is not in its declared encoding",
        why: "Other readers show wrong letters.",
        example: answer("<?xml version=\"1.0\" encoding=\"euc-jp\"?>\n" + rss(title: "日本")),
        useInstead: answer("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + rss(title: "日本")),
        help: "Report it to the publisher.")
    case .noItems:
      warning(
        "no-items", "The feed has no items", why: "Readers have nothing to show.",
        example: answer("<rss version=\"2.0\"><channel><title>News</title></channel></rss>"),
        help: "Wait; if it stays so, look for a better feed.")
    case .stale:
      warning(
        "stale", "Nothing new for a long time",
        why: "The newest item is older than 30 days and older than 5 times the usual gap between items.",
        example: answer(rss(date: "Mon, 01 Dec 2025 08:00:00 GMT")),
        help: "Retire the feed if its site has ended.")
    case .itemIdentity:
      warning(
        "item-identity", "Items have no id, or share one",
        why: "Readers use the id to know which items they have shown.",
        example: answer(rss(more: "<item><guid>1</guid></item>")),
        useInstead: answer(rss(more: "<item><guid>2</guid></item>")),
        help: "Report it to the publisher: readers will see duplicates.")
    case .emptyDocument:
      warning(
        "empty-answer", "The server sends nothing",
        why: "Usually the program that generates the feed has failed, so the feed is degraded and not down.",
        example: answer(""), help: Self.waitOrReport)

    case .movedPermanently:
      warning(
        "moved-permanently", "The server says the feed has moved for good",
        why: "A new address is suggested when 3 checks in a row saw it, and never applied without an editor.",
        example: redirect("301 Moved Permanently", to: "https://example.com/new"),
        help: "Change feedURL to the new address.",
        source: "Documentation/reference/feeds.md#permanent-redirects")
    case .slow:
      warning(
        "slow", "The answer is slow",
        why: "It took more than 10 seconds; for a feed that was already degraded, more than 8.",
        example: healthy.replacing("/feed\n", with: "/feed, answered after 12 s\n"),
        help: "Nothing, unless it becomes the rule.")
    case .httpsAvailable:
      warning(
        "https-available", "The feed is also served by https",
        why: "Without https, anyone on the way can read and change the feed.",
        example: redirect("302 Found", from: "http://example.com/feed", to: "https://example.com/feed"),
        help: "Change feedURL to https.")

    case .failingRepeatedly:
      error(
        "failing-repeatedly", "The last checks all failed", why: "Three failures in a row make a feed down.",
        example: Array(repeating: failure("timeout"), count: 3).joined(separator: "\n\n"),
        useInstead: Array(repeating: failure("timeout"), count: 2).joined(separator: "\n\n"),
        help: "See the other reason.")
    case .failingForLong:
      error(
        "failing-for-long", "It has failed for a day or more",
        why: "The host name or the certificate failed a day ago and fails again.",
        example: [failure("dns"), failure("dns")].joined(separator: "\n\n"), useInstead: failure("dns"),
        help: "See the other reason.", source: "Documentation/reference/feeds.md#decisive-reasons")
    case .unreliable:
      warning(
        "unreliable", "Too many checks of the last 30 days failed",
        why: "At most 80 % of at least 5 checks succeeded.",
        example: ([failure("timeout")] + Array(repeating: healthy, count: 4)).joined(separator: "\n\n"),
        useInstead: Array(repeating: healthy, count: 5).joined(separator: "\n\n"),
        help: "Wait; look for a mirror if it stays so.")
    case .recovering:
      warning(
        "recovering", "It answers again after being down", why: "One more good check makes the feed healthy.",
        example: [status("410 Gone"), healthy].joined(separator: "\n\n"),
        help: "Nothing; one more good check makes it healthy.")
    }
  }

  /// A reason that makes a feed degraded.
  private func warning(
    _ name: String, _ summary: String, why: String, example: String, useInstead: String? = nil, help: String,
    source: String = Self.statusRules
  ) -> Rule {
    rule(
      name, .warning, summary, why: why, example: example, useInstead: useInstead ?? healthy, help: help,
      source: source)
  }

  /// A reason that makes a feed down.
  private func error(
    _ name: String, _ summary: String, why: String, example: String, useInstead: String? = nil, help: String,
    source: String = Self.statusRules
  ) -> Rule {
    rule(
      name, .error, summary, why: why, example: example, useInstead: useInstead ?? healthy, help: help,
      source: source)
  }

  private static let waitOrReplace = "Wait; if it stays so, find the feed's present address on its site."
  private static let waitOrReport = "Wait; if it stays so, report it to the publisher."
  private static let find = "Find the feed's present address on its site."
  private static let statusRules = "Documentation/reference/feeds.md#status-rules"
  private static let limits = "Documentation/reference/feeds.md#fetch-limits"

  // MARK: Example exchanges

  private var healthy: String { answer(rss()) }

  private func failure(_ kind: String) -> String { "GET https://example.com/feed\nno answer: \(kind)" }

  private func status(_ status: String) -> String { "GET https://example.com/feed\nHTTP/1.1 \(status)" }

  private func answer(_ document: String, from url: String = "https://example.com/feed") -> String {
    "GET \(url)\nHTTP/1.1 200 OK\nContent-Type: application/xml\n\n\(document)"
  }

  private func redirect(_ status: String, from url: String = "https://example.com/feed", to target: String)
    -> String
  {
    "GET \(url)\nHTTP/1.1 \(status)\nLocation: \(target)\n\n" + answer(rss(), from: target)
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
