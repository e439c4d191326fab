internal import Catalog
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport

/// A picture that may represent a feed (Documentation/reference/curation.md#pictures).
struct PictureCandidate: Equatable {
  enum Kind: Equatable {
    case feedImage, touchIcon, preview, icon
    /// A web app manifest, which names icons.
    case manifest
    case manifestIcon
  }

  let url: String
  let kind: Kind

  /// The likeliest first. Pictures come over https, except where the page itself does not.
  static func list(feed: ParsedFeed, page: WebPage?) -> [PictureCandidate] {
    var list: [PictureCandidate] = []
    func add(_ url: String?, _ kind: Kind) {
      guard let url, WebAddress.problem(with: url) == nil, !list.contains(where: { $0.url == url }) else {
        return
      }
      let isSecure = url.hasPrefix("https:") || page?.url.hasPrefix("http:") == true
      if isSecure { list.append(PictureCandidate(url: url, kind: kind)) }
    }
    add(feed.imageURL, .feedImage)
    let icons = page?.icons ?? []
    let touch = icons.filter { $0.kind == .touchIcon && ($0.size ?? 180) >= 120 }
    add(touch.max { ($0.size ?? 180) < ($1.size ?? 180) }?.url, .touchIcon)
    add(page?.manifest, .manifest)
    add(icons.first { $0.kind == .preview }?.url, .preview)
    add(
      icons.filter { $0.kind == .icon && ($0.size ?? 0) >= 64 }.max { ($0.size ?? 0) < ($1.size ?? 0) }?.url,
      .icon)
    return list
  }

  func accepts(_ picture: PictureFileHeader) -> Bool {
    guard let width = picture.width, let height = picture.height else { return kind != .preview }
    let (long, short) = (max(width, height), min(width, height))
    switch kind {
    case .feedImage: return short >= 16 && long <= short * 3
    case .touchIcon, .manifestIcon: return short >= 120
    case .manifest: return false
    case .preview: return short >= 120 && long <= short * 2
    case .icon: return short >= 64
    }
  }
}

/// The format and size of a picture, read from its first bytes.
struct PictureFileHeader: Equatable, CustomStringConvertible {
  enum Format: String {
    case png = "PNG", jpeg = "JPEG", gif = "GIF", webp = "WebP", ico = "ICO", svg = "SVG"
  }

  let format: Format
  /// In pixels; `nil` where the header does not say.
  private(set) var width: Int?
  private(set) var height: Int?

  var description: String {
    guard let width, let height else { return "a picture: \(format.rawValue)" }
    return "a picture: \(format.rawValue), \(width) by \(height)"
  }

  /// `nil` for anything but a picture.
  init?(_ bytes: [UInt8]) {
    let reader = ByteReader(bytes: bytes)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      format = .png
      (width, height) = (reader.big(16, 4), reader.big(20, 4))
    } else if bytes.starts(with: Array("GIF8".utf8)) {
      format = .gif
      (width, height) = (reader.little(6, 2), reader.little(8, 2))
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      format = .jpeg
      (width, height) = reader.jpegSize() ?? (nil, nil)
    } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      format = .webp
      (width, height) = reader.webPSize() ?? (nil, nil)
    } else if bytes.starts(with: [0, 0, 1, 0]), (reader.little(4, 2) ?? 0) > 0 {
      format = .ico
      // 0 means 256.
      width = reader.little(6, 1).map { $0 == 0 ? 256 : $0 }
      height = reader.little(7, 1).map { $0 == 0 ? 256 : $0 }
    } else if String(decoding: bytes.prefix(1024), as: UTF8.self).contains("<svg") {
      format = .svg
    } else {
      return nil
    }
  }
}

private struct ByteReader {
  let bytes: [UInt8]

  func big(_ start: Int, _ count: Int) -> Int? {
    guard start >= 0, start + count <= bytes.count else { return nil }
    return bytes[start..<(start + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  func little(_ start: Int, _ count: Int) -> Int? {
    guard start >= 0, start + count <= bytes.count else { return nil }
    return bytes[start..<(start + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// From the first frame header (SOF0...SOF15 but DHT, JPG and DAC).
  func jpegSize() -> (Int?, Int?)? {
    var place = 2
    while let marker = big(place, 2), marker >> 8 == 0xFF, let length = big(place + 2, 2), length >= 2 {
      if (0xC0...0xCF).contains(marker & 0xFF), ![0xC4, 0xC8, 0xCC].contains(marker & 0xFF) {
        return (big(place + 7, 2), big(place + 5, 2))
      }
      place += 2 + length
    }
    return nil
  }

  func webPSize() -> (Int?, Int?)? {
    guard bytes.count >= 30 else { return nil }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8X": return (little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
    case "VP8L":
      guard let bits = little(21, 4) else { return nil }
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    case "VP8 ": return (little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
    default: return nil
    }
  }
}

/// Finds the icon in a web app manifest, the JSON file with which a site describes itself as an app.
enum WebAppManifest {
  /// The minimum side in pixels.
  private static let minSide = 180

  /// The address of the largest icon for any purpose; `nil` when the manifest has none that is large enough, or cannot
  /// be read.
  ///
  /// - Parameter url: the manifest's own, after redirects: its icons are relative to it.
  static func icon(in manifest: [UInt8], url: String) -> String? {
    guard let json = try? JSONValue(parsing: manifest), case .array(let icons)? = json["icons"] else {
      return nil
    }
    let usable = icons.compactMap { icon -> (href: String, side: Int)? in
      let purposes = icon["purpose"]?.string.map { $0.lowercased().split(whereSeparator: \.isWhitespace) }
      guard let href = icon["src"]?.string, purposes?.contains("any") ?? true,
        let side = IconSizes.max(in: icon["sizes"]?.string ?? ""), side >= minSide
      else { return nil }
      return (href, side)
    }
    // Of icons with the same size, use the first.
    let best = usable.enumerated().max { ($0.element.side, $1.offset) < ($1.element.side, $0.offset) }
    return best.flatMap { URLParts($0.element.href, relativeTo: url)?.text }
  }
}

/// The value of a `sizes` attribute, such as `32x32 180x180`.
enum IconSizes {
  /// The largest of the shorter sides in pixels; `nil` for `any` and invalid values.
  static func max(in text: String) -> Int? {
    text.lowercased().split(whereSeparator: \.isWhitespace).compactMap { size in
      let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      return sides.count == 2 ? sides[0].flatMap { width in sides[1].map { min(width, $0) } } : nil
    }.max()
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
