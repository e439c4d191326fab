internal import FeedState
internal import HTTPTransport

/// The error of an edge server that could not reach the publisher's own server: status 520 to 530
/// (Documentation/reference/feeds.md#edge-errors). The site behind it does not work, whatever the page says.
struct EdgeError: Sendable, Hashable {
  let reason: HealthReason
  /// Names the edge server and its error: `Cloudflare: 522, the connection timed out`.
  let detail: String

  /// `nil` for any other response.
  init?(_ response: HTTPResponse) {
    let code = Self.code(in: response)
    guard (520...530).contains(response.status) || code.map(Self.dnsCodes.contains) == true else {
      return nil
    }
    let edge =
      response.headers["Server"]?.lowercased().contains("cloudflare") == true
        || response.headers["CF-RAY"] != nil || code != nil || Self.isCloudflarePage(response)
      ? "Cloudflare" : "the edge server"
    let words = Self.words[response.status] ?? "an error of the edge server"
    if let code, Self.dnsCodes.contains(code) {
      reason = .originNotFound
      detail = "\(edge): \(response.status), error \(code), the origin's name has no usable address"
    } else {
      reason = [525, 526].contains(response.status) ? .originTLS : .originDown
      detail = "\(edge): \(response.status), " + (code.map { "error \($0)" } ?? words)
    }
  }

  private static let words = [
    520: "the origin sent an answer that makes no sense", 521: "the origin refuses connections",
    522: "the connection to the origin timed out", 523: "the origin is unreachable",
    524: "the origin did not answer in time", 525: "the TLS handshake with the origin failed",
    526: "the origin's certificate is not valid", 527: "the connection to the origin was interrupted",
  ]

  /// Cloudflare's errors about the name or the address of the origin.
  private static let dnsCodes: Set<Int> = [1000, 1001, 1002, 1004, 1014, 1016, 1018, 1023]

  /// Bytes of a page that are searched.
  private static let searched = 16 << 10

  private static func isCloudflarePage(_ response: HTTPResponse) -> Bool {
    String(decoding: response.body.prefix(searched), as: UTF8.self).contains("cf-error-details")
  }

  /// The number of Cloudflare's own error in the page: `error code: 1016`, `<span class="cf-error-code">1016</span>`.
  private static func code(in response: HTTPResponse) -> Int? {
    guard response.status == 409 || response.status == 403 || (500..<600).contains(response.status) else {
      return nil
    }
    let text = String(decoding: response.body.prefix(searched), as: UTF8.self).lowercased()
    for mark in ["error code: ", "cf-error-code\">"] {
      // To a program Cloudflare often sends nothing but the mark and the number.
      let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
      if let found = parts.dropFirst().first,
        text.contains("cloudflare") || text.contains("cf-error") || response.headers["CF-RAY"] != nil
      {
        return Int(found.prefix { $0.isNumber })
      }
    }
    return nil
  }
}
