internal import Diagnostics

/// The addresses in a page's structured data (JSON-LD), where some sites name their feed.
enum StructuredData {
  private static let maxBytes = 256 << 10
  private static let maxAddresses = 200

  /// Texts that look like addresses, in document order.
  static func addresses(in page: [UInt8]) -> [String] {
    let text = String(decoding: page.prefix(maxBytes), as: UTF8.self)
    guard text.contains("ld+json") else { return [] }
    var found: [String] = []
    for part in text.split(separator: "ld+json").dropFirst() {
      guard let start = part.firstIndex(of: ">"), let end = part.firstRange(of: "</script") else { continue }
      // What is not JSON says nothing.
      guard start < end.lowerBound,
        let json = try? JSONValue(parsing: String(part[part.index(after: start)..<end.lowerBound]))
      else { continue }
      collect(json, &found)
    }
    return found
  }

  private static func collect(_ json: JSONValue, _ found: inout [String]) {
    guard found.count < maxAddresses else { return }
    if let text = json.string, text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("/")
    {
      found.append(text)
    }
    for element in json.array ?? [] { collect(element, &found) }
    for member in json.object?.members ?? [] { collect(member.value, &found) }
  }
}

/// Chooses the links of a page that lead to the part of a site with articles.
enum BlogPageFilter {
  /// Segments of addresses and labels of links, in lower case.
  private static let names: Set<String> = [
    "blog", "blogs", "news", "journal", "posts", "articles", "weblog", "writing", "notes", "log", "diary",
    "insights", "stories", "updates", "newsroom", "press", "magazine", "essays", "latest", "announcements",
    "aktuelles", "nachrichten", "neuigkeiten", "magazin", "actualites", "actualités", "nouvelles", "noticias",
    "notícias", "novedades", "novidades", "notizie", "articoli", "nieuws", "berichten", "nyheter", "uutiset",
    "aktualności", "wpisy", "новости", "блог", "ブログ", "ニュース", "お知らせ", "博客", "新闻", "블로그",
  ]

  /// In the order of the page, each once, on the page's own host or below it.
  static func candidates(in page: WebPage) -> [String] {
    let host = page.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    var found: [String] = []
    for anchor in page.anchors {
      let parts = anchor.url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map { $0.lowercased() }
      guard parts.count > 1, !found.contains(anchor.url) else { continue }
      let label = anchor.label.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let isNamed = parts.count == 3 && (names.contains(parts[2]) || names.contains(label))
      let isBlogHost = parts.count == 2 && parts[1] == "blog." + host.lowercased().replacing("www.", with: "")
      if isBlogHost || isNamed && parts[1] == host.lowercased() { found.append(anchor.url) }
    }
    return found
  }
}
