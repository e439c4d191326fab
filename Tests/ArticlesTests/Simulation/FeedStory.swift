import Articles
import CloudKitModel
import Foundation

/// Something that a publisher reports: what the stored articles are compared with.
struct FeedStory {
  var number: Int
  /// Days after the start of the simulation.
  var published: Double
  /// Days after the start of the simulation; `nil` for a story that is never edited.
  var edited: Double?

  /// The name that the articles of this story have as author. No rule of identity reads it.
  var name: String { "story-\(number)" }
}

/// One request for a feed's document: when it is, and how many were before.
struct FeedFetch {
  var number: Int
  /// Days after the start of the simulation.
  var day: Double
}

/// How a story is written as an item of one document.
struct PublishedItem {
  var id: String?
  var title: String?
  var link: String?
  var text: String
  /// Days after the start of the simulation; `nil` for an item without a date.
  var date: Double?
  var enclosure: String?
  /// Elements that only this way of publishing has.
  var more = ""
}

/// A way of publishing stories as a feed, under which each story must become one article.
struct PublishingWay {
  enum Format { case rss, rdf, atom, json }

  /// What befalls the runs, beside the feed.
  enum Trouble {
    case none
    /// The run of this number writes articles and no state.
    case stopped(Range<Int>)
    /// The feed's state is deleted before the run of this number.
    case stateLost(Int)
    /// A plain health check takes the place of these runs.
    case checksOnly(Range<Int>)
    /// The schema has no field for what storing articles keeps.
    case olderSchema
  }

  var name: String
  var format = Format.rss
  var perDay = 2.0
  /// Items of one document.
  var length = 8
  /// Hours until a story is shown.
  var delay = 0.0
  var trouble = Trouble.none
  /// The stories that one document does not show although they are among the newest.
  var hides: @Sendable (FeedStory, FeedFetch) -> Bool = { _, _ in false }
  /// The server does not answer.
  var isDown: @Sendable (FeedFetch) -> Bool = { _ in false }
  /// The document breaks off within an item.
  var isCut: @Sendable (FeedFetch) -> Bool = { _ in false }
  /// Each story twice in a document.
  var repeats = false
  /// The stories that are stored twice, because nothing shows that both are one.
  var doubles = 0
  /// The stories that are stored under another's article, because nothing shows that they are two.
  var losses = 0
  var item: @Sendable (FeedStory, FeedFetch) -> PublishedItem

  static let days = 8
  static let runsPerDay = 4
  static let site = "http://a.example/"

  /// The stories in the order of their publication.
  var stories: [FeedStory] {
    // Some stories are old when the feed is first fetched.
    (0..<Int((Double(Self.days) + 2) * perDay)).map { number in
      let hour = Double(number % 3) / 24
      return FeedStory(number: number, published: (Double(number) + 0.37) / perDay - 2 + hour / perDay)
    }
  }

  func document(at fetch: FeedFetch) -> (text: String, shown: [FeedStory]) {
    let shown = Array(stories.filter { $0.published + delay / 24 <= fetch.day }.suffix(length).reversed())
      .filter { !hides($0, fetch) }
    let items = shown.flatMap { story in
      let item = (story, item(story, fetch))
      return repeats ? [item, item] : [item]
    }
    let text =
      switch format {
      case .rss: Self.rss(items)
      case .rdf: Self.rdf(items)
      case .atom: Self.atom(items)
      case .json: Self.json(items)
      }
    guard isCut(fetch) else { return (text, shown) }
    let part = text.prefix(text.count * 2 / 3)
    return (String(part), Array(shown.prefix(part.components(separatedBy: "</item>").count - 1)))
  }

  static func time(_ day: Double) -> String {
    let milliseconds = ArticleWorld.start.milliseconds + Int64((day * 86_400).rounded()) * 1000
    return Timestamp(milliseconds: milliseconds).iso8601
  }
}

extension PublishingWay {
  private typealias Item = (story: FeedStory, item: PublishedItem)

  private static func element(_ name: String, _ text: String?) -> String {
    text.map { "<\(name)>\($0.replacing("&", with: "&amp;"))</\(name)>" } ?? ""
  }

  private static func body(_ story: FeedStory, _ item: PublishedItem) -> String {
    element("title", item.title) + element("link", item.link) + element("description", item.text)
      + element("dc:creator", story.name) + element("dc:date", item.date.map(time))
      + (item.enclosure.map { "<enclosure url=\"\($0)\" type=\"audio/mpeg\" length=\"9\"/>" } ?? "")
      + item.more
  }

  private static func rss(_ items: [Item]) -> String {
    "<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>A</title>"
      + "<link>\(site)</link><description>d</description>"
      + items.map { story, item in
        let id = item.id.map {
          "<guid isPermaLink=\"false\">\($0.replacing("&", with: "&amp;"))</guid>"
        }
        return "<item>\(id ?? "")\(body(story, item))</item>"
      }.joined() + "</channel></rss>"
  }

  private static func rdf(_ items: [Item]) -> String {
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\""
      + " xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel rdf:about=\"\(site)\"><title>A</title>"
      + "<link>\(site)</link><description>d</description></channel>"
      + items.map { story, item in
        "<item rdf:about=\"\(item.id ?? "")\">\(body(story, item))</item>"
      }.joined() + "</rdf:RDF>"
  }

  private static func atom(_ items: [Item]) -> String {
    "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><id>urn:a</id><link href=\"\(site)\"/>"
      + "<updated>2026-03-01T00:00:00Z</updated>"
      + items.map { story, item in
        "<entry>\(element("id", item.id))\(element("title", item.title))"
          + (item.link.map { "<link href=\"\($0)\"/>" } ?? "")
          + element("updated", item.date.map(time)) + "<author><name>\(story.name)</name></author>"
          + element("summary", item.text) + item.more + "</entry>"
      }.joined() + "</feed>"
  }

  private static func json(_ items: [Item]) -> String {
    func member(_ name: String, _ value: String?) -> String {
      value.map { "\"\(name)\":\"\($0)\"," } ?? ""
    }
    return "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"A\","
      + "\"home_page_url\":\"\(site)\",\"items\":["
      + items.map { story, item in
        "{\(member("id", item.id))\(member("title", item.title))\(member("url", item.link))"
          + "\(member("content_text", item.text))\(member("date_published", item.date.map(time)))"
          + "\"authors\":[{\"name\":\"\(story.name)\"}]}"
      }.joined(separator: ",") + "]}"
  }
}
