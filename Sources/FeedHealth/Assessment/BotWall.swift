internal import HTTPTransport

/// Pages that admit only browsers. They say nothing about the feed behind them.
enum BotWall {
  private static let phrases = [
    "just a moment", "attention required", "captcha", "enable javascript and cookies", "verify you are human",
    "are you a robot", "checking your browser", "access denied | ",
  ]

  /// The number of leading bytes of a page to search.
  private static let searched = 16 << 10

  static func isPresent(in response: HTTPResponse) -> Bool {
    if response.headers["cf-mitigated"]?.lowercased() == "challenge" { return true }
    let page = String(decoding: response.body.prefix(searched), as: UTF8.self).lowercased()
    return phrases.contains { page.contains($0) }
  }
}
