internal import Platform

/// The text of a demo feed. Its items depend on the slug alone; their dates count back from `now`.
package struct DemoFeedText {
  private let slug: String
  private let title: String
  private let site: String
  private let items: [Item]

  private struct Item {
    let number: Int
    let title: String
    let text: String
    /// Seconds since 1970.
    let date: Int64

    var rfc822: String { UTCTime.httpDate(secondsSince1970: date) }
    var rfc3339: String { UTCTime.iso8601(secondsSince1970: date) }
  }

  private static let subjects = [
    "Compilers", "Gardens", "Rivers", "Maps", "Batteries", "Novels", "Bridges", "Tides",
  ]
  private static let remarks = [
    "in practice", "at small scale", "without regret", "after ten years", "for beginners", "under pressure",
  ]

  /// - Parameters:
  ///   - now: seconds since 1970; the newest item is a few hours older.
  ///   - age: seconds by which all items are older.
  init(slug: String, title: String, site: String, now: Int64, age: Int64 = 0, isEmpty: Bool = false) {
    self.slug = slug
    self.title = title
    self.site = site
    var random = SeededGenerator(slug + "/items")
    let count = isEmpty ? 0 : Int.random(in: 12...24, using: &random)
    let gap = Int64.random(in: 8...72, using: &random) * 3600
    var date = now - age - Int64.random(in: 1...6, using: &random) * 3600
    var items: [Item] = []
    for number in (0..<count).reversed() {
      let subject = Self.subjects.randomElement(using: &random) ?? ""
      let remark = Self.remarks.randomElement(using: &random) ?? ""
      let sentence = "What \(subject.lowercased()) teach \(remark), and what to leave alone. "
      let text = String(repeating: sentence, count: Int.random(in: 6...16, using: &random))
      items.append(Item(number: number, title: "\(subject) \(remark)", text: text, date: date))
      date -= gap / 2 + Int64.random(in: 0...gap, using: &random)
    }
    self.items = items
  }

  package var rss20: String {
    let entries = items.map {
      """
      <item><title>\($0.title)</title><link>\(link($0))</link><guid isPermaLink="false">\(slug)-\($0.number)</guid>\
      <pubDate>\($0.rfc822)</pubDate><description>\($0.text)</description></item>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0"><channel>
      <title>\(title)</title><link>\(site)</link><description>All of \(title)</description>
      <language>en</language><ttl>60</ttl>
      <image><url>\(site)icon.png</url><title>\(title)</title><link>\(site)</link></image>
      \(entries.joined())</channel></rss>

      """
  }

  package var rss10: String {
    let list = items.map { "<rdf:li rdf:resource=\"\(link($0))\"/>" }.joined()
    let entries = items.map {
      """
      <item rdf:about="\(link($0))"><title>\($0.title)</title><link>\(link($0))</link>\
      <dc:date>\($0.rfc3339)</dc:date><description>\($0.text)</description></item>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="\(site)"><title>\(title)</title><link>\(site)</link>
      <description>All of \(title)</description><dc:language>en</dc:language>
      <items><rdf:Seq>\(list)</rdf:Seq></items></channel>
      \(entries.joined())</rdf:RDF>

      """
  }

  package var atom: String {
    let entries = items.map {
      """
      <entry><title>\($0.title)</title><id>tag:\(slug).example,2024:\($0.number)</id><link href="\(link($0))"/>\
      <updated>\($0.rfc3339)</updated><published>\($0.rfc3339)</published>\
      <content type="html">\($0.text)</content></entry>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
      <title>\(title)</title><subtitle>All of \(title)</subtitle><link href="\(site)"/>
      <id>\(site)</id><icon>\(site)icon.png</icon><author><name>The editors</name></author>
      <updated>\(items.first?.rfc3339 ?? "2024-01-01T00:00:00Z")</updated>
      \(entries.joined())</feed>

      """
  }

  package var jsonFeed: String {
    let entries = items.map {
      """
      {"id":"\(slug)-\($0.number)","url":"\(link($0))","title":"\($0.title)","content_text":"\($0.text)",\
      "date_published":"\($0.rfc3339)"}
      """
    }
    return """
      {"version":"https://jsonfeed.org/version/1.1","title":"\(title)","home_page_url":"\(site)",
      "description":"All of \(title)","language":"en","icon":"\(site)icon.png",
      "items":[\(entries.joined(separator: ",\n"))]}

      """
  }

  private func link(_ item: Item) -> String { "\(site)posts/\(item.number)" }
}
