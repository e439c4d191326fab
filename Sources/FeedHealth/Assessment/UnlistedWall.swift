internal import FeedParsing
internal import FeedState
internal import HTTPTransport

/// Judges short pages by what they ask for, so that a wall that no table lists is not taken for a dead feed
/// (Documentation/reference/feeds.md#walls).
enum UnlistedWall {
  /// - Parameter text: the start of the page in lower case.
  static func find(in response: HTTPResponse, _ text: String, _ page: WebPage) -> InterstitialPage? {
    guard statuses.contains(response.status), response.body.count < maxBytes, page.links < maxLinks else {
      return nil
    }
    let title = page.title?.lowercased() ?? ""
    let words = page.visibleText.lowercased()
    let asks =
      words.utf8.count < maxWords
      && (titleWords.contains { title.contains($0) } || asksForBrowser(words) || setsCookieAndReloads(text))
    return asks ? InterstitialPage(name: name, reason: .botWall) : nil
  }

  static let name = "a page that asks for scripts or cookies"

  /// A 404 or a 500 says what it means, whatever page comes with it.
  private static let statuses: Set<Int> = [200, 202, 203, 401, 403, 405, 406, 429, 503]
  private static let maxBytes = 16 << 10
  /// Ordinary pages lead somewhere.
  private static let maxLinks = 4
  /// Bytes of visible text.
  private static let maxWords = 800

  /// Words in the title of a page that wants proof of a person, in several languages.
  private static let titleWords = [
    "captcha", "robot", "verif", "überprüfung", "vérification", "verificación", "проверка", "验证", "認証",
  ]

  /// The names of what a page needs are the same in most languages. Cookies are also what ordinary pages inform about,
  /// so they need a word that asks for them.
  private static func asksForBrowser(_ words: String) -> Bool {
    words.contains("javascript") || words.contains("captcha")
      || words.contains("cookie") && requests.contains { words.contains($0) }
  }

  private static let requests = [
    "enable", "allow", "turn on", "must be", "required", "aktivier", "erlaub", "activer", "autoris",
    "habilit",
    "activa", "permit", "attiva", "abilita", "inschakel", "включ", "разреш", "włącz", "启用", "有効", "허용",
  ]

  /// The page's own script stores a cookie and loads the page again.
  private static func setsCookieAndReloads(_ text: String) -> Bool {
    text.contains("document.cookie") && reloads.contains { text.contains($0) }
  }

  private static let reloads = [
    "location.reload", "location.href=", "location.href =", "location.replace", "location=", "location =",
    ".submit()", "http-equiv=\"refresh\"",
  ]
}
