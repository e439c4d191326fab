package import Foundation

/// A web site for tests: what a person types, the feed that must come first, and its documents.
///
/// A file of sites is text. `##### NAME` begins a site; lines `type:` and `first:` follow (`first: none` for a site without
/// a feed). `=== URL` begins a document, with what is not usual behind the address:
///
/// - `=== URL [STATUS TYPE [as ENCODING]]`, then the body. Lines that begin with `> ` are headers.
/// - `=== URL STATUS -> TARGET`: a redirect.
/// - `=== URL @rss | TITLE | SITE | LANGUAGE or - | AGE | NAME`: a feed of eight items, the newest of AGE days ago. `@atom`
///   and `@json` are the other formats. A type may follow.
///
/// The address `http://HOST/*` stands for all that the host has no other document for.
package struct Site: Sendable {
  package let name: String
  package let typed: String
  /// `nil` when no feed must be found.
  package let first: String?
  package let documents: [String: SiteDocument]

  /// - Parameter now: what the ages of items are counted from.
  package static func all(in text: String, now: Date) -> [Site] {
    ("\n" + text).components(separatedBy: "\n##### ").dropFirst().map { Site($0, now: now) }
  }

  private init(_ text: String, now: Date) {
    let parts = text.components(separatedBy: "\n=== ")
    let lines = parts[0].components(separatedBy: "\n")
    let value = { (key: String) in
      lines.first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }
    name = lines[0]
    typed = value("type") ?? ""
    first = value("first").flatMap { $0 == "none" ? nil : $0 }
    documents = Dictionary(
      parts.dropFirst().map { part in
        let (line, body) = part.splitAtFirst("\n")
        let (url, rest) = line.splitAtFirst(" ")
        return (url, SiteDocument(rest, body: body, now: now))
      }, uniquingKeysWith: { first, _ in first })
  }
}

/// One document of a site.
package struct SiteDocument: Sendable {
  var status = 200
  var headers: [(String, String)] = []
  private var text = ""
  private var encoding = String.Encoding.utf8

  static let missing = SiteDocument("404 text/html", body: "<title>Not found</title>", now: Date())

  /// In its encoding; a character that the encoding lacks is left out.
  var body: [UInt8] { Array(text.data(using: encoding, allowLossyConversion: true) ?? Data()) }

  init(_ line: String, body: String, now: Date) {
    text = body
    while text.hasPrefix("> ") {
      let (header, rest) = text.splitAtFirst("\n")
      let (name, value) = header.dropFirst(2).description.splitAtFirst(": ")
      headers.append((name, value))
      text = rest
    }
    if line.hasPrefix("@") {
      let feed = SiteFeed(line, now: now)
      text = feed.text
      headers.append(("Content-Type", feed.type))
    } else if line.contains(" -> ") {
      let (code, target) = line.splitAtFirst(" -> ")
      status = Int(code) ?? 301
      headers.append(("Location", target))
    } else {
      let (code, type) = line.splitAtFirst(" ")
      let (name, charset) = type.splitAtFirst(" as ")
      status = Int(code) ?? 200
      headers.append(("Content-Type", name.isEmpty ? "text/html; charset=utf-8" : name))
      encoding = Self.encodings[charset] ?? .utf8
    }
  }

  private static let encodings: [String: String.Encoding] = [
    "shift_jis": .shiftJIS, "windows-1251": .windowsCP1251,
    // kCFStringEncodingGB_18030_2000
    "gb18030": String.Encoding(rawValue: 0x8000_0632),
  ]

  func at(port: Int) -> SiteDocument {
    var document = self
    document.text = text.insertingPort(port)
    document.headers = headers.map { ($0, $1.insertingPort(port)) }
    return document
  }
}

extension String {
  func insertingPort(_ port: Int) -> String {
    replacing(/\.localhost(?![\w:])/.ignoresCase()) { "\($0.output):\(port)" }
  }

  /// The text before the first separator, and the text after it.
  fileprivate func splitAtFirst(_ separator: String) -> (String, String) {
    guard let range = range(of: separator) else { return (self, "") }
    return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
  }
}
