import Foundation

/// A feed of a site for tests: eight items, one a day.
struct SiteFeed {
  let text: String
  let type: String

  /// - Parameter line: `@rss | TITLE | SITE | LANGUAGE or - | AGE | NAME [| TYPE]`
  init(_ line: String, now: Date) {
    let parts = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
    let items = (0..<8).map { number in
      Item(
        name: "\(parts[5]) \(number)",
        url: "\(parts[2].hasSuffix("/") ? String(parts[2].dropLast()) : parts[2])/\(parts[5])/\(number)",
        date: now.addingTimeInterval(-86_400 * ((Double(parts[4]) ?? 0) + Double(number))))
    }
    let language = parts[3] == "-" ? "" : parts[3]
    switch parts[0] {
    case "@atom": (text, type) = (Self.atom(parts, language, items), "application/atom+xml")
    case "@json": (text, type) = (Self.json(parts, language, items), "application/feed+json")
    default:
      (text, type) = (Self.rss(parts, language, items), parts.count > 6 ? parts[6] : "application/rss+xml")
    }
  }

  private struct Item {
    let name: String
    let url: String
    let date: Date
  }

  private static func rss(_ parts: [String], _ language: String, _ items: [Item]) -> String {
    let list = items.map { item in
      "<item><title>\(item.name)</title><link>\(item.url)</link><guid>\(item.url)</guid>"
        + "<dc:date>\(item.date.formatted(.iso8601))</dc:date></item>"
    }
    return
      #"<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">"#
      + "<channel><title>\(parts[1])</title><link>\(parts[2])</link><description>d</description>"
      + (language.isEmpty ? "" : "<language>\(language)</language>") + list.joined() + "</channel></rss>"
  }

  private static func atom(_ parts: [String], _ language: String, _ items: [Item]) -> String {
    let list = items.map { item in
      "<entry><title>\(item.name)</title><id>\(item.url)</id><link href=\"\(item.url)\"/>"
        + "<updated>\(item.date.formatted(.iso8601))</updated></entry>"
    }
    return "<feed xmlns=\"http://www.w3.org/2005/Atom\""
      + (language.isEmpty ? "" : " xml:lang=\"\(language)\"")
      + "><title>\(parts[1])</title><id>\(parts[2])</id><link href=\"\(parts[2])\"/>"
      + "<updated>\(items[0].date.formatted(.iso8601))</updated>" + list.joined() + "</feed>"
  }

  private static func json(_ parts: [String], _ language: String, _ items: [Item]) -> String {
    let list = items.map { item in
      #"{"id":"\#(item.url)","url":"\#(item.url)","title":"\#(item.name)","content_text":"x","#
        + #""date_published":"\#(item.date.formatted(.iso8601))"}"#
    }
    return
      #"{"version":"https://jsonfeed.org/version/1.1","title":"\#(parts[1])","home_page_url":"\#(parts[2])","#
      + (language.isEmpty ? "" : #""language":"\#(language)","#)
      + #""items":[\#(list.joined(separator: ","))]}"#
  }
}
