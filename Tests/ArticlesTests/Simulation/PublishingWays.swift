import Foundation

/// The ways of publishing that the simulation knows.
extension PublishingWay {
  /// With the words that the table of results has for them.
  static let groups: [(name: String, ways: [PublishingWay])] = [
    ("usual feeds, edits, short lists", usual), ("ids that are absent or shared", identities),
    ("ids and addresses that change", changes), ("one title and text for all", repetitions),
    ("dates that say little", dates), ("outages, lost states, other settings", troubles),
  ]

  private static let middle = 4.0

  /// An item with everything: the ways below take parts of it away or change them.
  private static func whole(_ story: FeedStory) -> PublishedItem {
    PublishedItem(
      id: "id-\(story.number)", title: "Title \(story.number)", link: "\(site)post/\(story.number)",
      text: "Text of number \(story.number)", date: story.published)
  }

  private static func way(
    _ name: String, _ change: @escaping @Sendable (inout PublishedItem, FeedStory, FeedFetch) -> Void
  ) -> PublishingWay {
    PublishingWay(name: name) { story, fetch in
      var item = whole(story)
      change(&item, story, fetch)
      return item
    }
  }

  private func with(_ change: (inout PublishingWay) -> Void) -> PublishingWay {
    var copy = self
    change(&copy)
    return copy
  }

  private static let usual: [PublishingWay] = [
    way("id, link, title and date") { _, _, _ in },
    way("no id, a link of its own") { item, _, _ in item.id = nil },
    way("Atom") { _, _, _ in }.with { $0.format = .atom },
    way("JSON Feed") { _, _, _ in }.with { $0.format = .json },
    way("a list of one item") { _, _, _ in }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("a list that is new at each fetch") { _, _, _ in }.with {
      $0.length = 3; $0.perDay = 12
    },
    way("undated, with an id") { item, _, _ in item.date = nil },
    way("undated, a link of its own") { item, _, _ in (item.id, item.date) = (nil, nil) },
    way("text that says how long ago it was") { item, story, fetch in
      item.text += ", \(Int((fetch.day - story.published) * 24)) hours ago"
    },
    way("the title is corrected after a day") { item, story, fetch in
      if fetch.day > story.published + 1 { item.title = "Corrected title \(story.number)" }
    },
    way("a new date at each edit") { item, story, fetch in
      if fetch.day > story.published + 1 {
        item.text += ", edited"
        item.date = story.published + 1
      }
    },
  ]

  private static let identities: [PublishingWay] = [
    way("no id, the channel's link, titles and dates differ") { item, _, _ in
      (item.id, item.link) = (nil, site)
    },
    way("no id, the channel's link, one item with a new title each day") { item, _, _ in
      (item.id, item.link) = (nil, site)
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("no id, the site's root, one title, texts and dates differ") { item, _, _ in
      (item.id, item.link, item.title) = (nil, "http://a.example", "Notice")
    },
    way("text and date only") { item, _, _ in (item.id, item.link, item.title) = (nil, nil, nil) },
    way("text only") { item, _, _ in
      (item.id, item.link, item.title, item.date) = (nil, nil, nil, nil)
    },
    way("title and text only") { item, _, _ in (item.id, item.link, item.date) = (nil, nil, nil) },
    way("no id, one page for two stories") { item, story, _ in
      (item.id, item.link) = (nil, "\(site)page/\(story.number / 2)")
    },
    way("one id for all, links differ") { item, _, _ in item.id = "urn:feed" },
    way("one id for all, one item in the list") { item, _, _ in item.id = "urn:feed" }
      .with {
        $0.length = 1; $0.perDay = 1
      },
    way("one id for all, no links") { item, _, _ in (item.id, item.link) = ("urn:feed", nil) },
    way("one id for all from the fifth day") { item, story, _ in
      if story.published > middle { item.id = "urn:feed" }
    },
    way("no id, one page for all, and titles that return") { item, story, _ in
      (item.id, item.link, item.title) = (nil, "\(site)status", "Incident \(story.number % 3)")
    },
    way("the same, and texts that are edited") { item, story, fetch in
      (item.id, item.link, item.title) = (nil, "\(site)status", "Incident \(story.number % 3)")
      if fetch.day > story.published + 1 { item.text += ", solved" }
    },
    way("no id, one page and one title for all") { item, _, _ in
      (item.id, item.link, item.title) = (nil, "\(site)status", "Incident")
    },
    way("one id and one title for all") { item, _, _ in
      (item.id, item.link, item.title) = ("status", nil, "Incident")
    },
    way("one id for all, and titles that return when the former item has left") { item, story, _ in
      (item.id, item.link, item.title) = ("status", nil, "Incident \(story.number % 3)")
    }.with { $0.length = 3 },
    way("no id, the channel's link, and titles that return when the former item has left") { item, story, _ in
      (item.id, item.link, item.title) = (nil, site, "Incident \(story.number % 3)")
    }.with { $0.length = 3 },
    way("no id, the channel's link, and new dates with each edit") { item, story, fetch in
      (item.id, item.link) = (nil, site)
      if fetch.day > story.published + 1 {
        item.text += ", edited"
        item.date = story.published + 1
      }
    }.with { $0.perDay = 1 },
    way("no id, one page for all, one item with a new title each day") { item, _, _ in
      (item.id, item.link) = (nil, "\(site)word")
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("no id, one page for all, one item with titles that return") { item, story, _ in
      (item.id, item.link, item.title) = (nil, "\(site)word", "Word \(story.number % 2)")
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("no id, one page and one title for all, one item with a new text and date each day") { item, _, _ in
      (item.id, item.link, item.title) = (nil, "\(site)status", "Incident")
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("titles that return, with another file each") { item, story, _ in
      (item.id, item.link, item.date, item.title) = (nil, nil, nil, "Incident \(story.number % 3)")
      item.enclosure = "\(site)\(story.number).mp3"
    }.with { $0.length = 3 },
    way("one id for all, no links and dates, and titles that return") { item, story, _ in
      (item.id, item.link, item.date) = ("status", nil, nil)
      item.title = "Incident \(story.number % 3)"
    }.with { $0.length = 20 },
    way("JSON Feed with one id for all and no links") { item, _, _ in
      (item.id, item.link) = ("urn:feed", nil)
    }.with { $0.format = .json },
    way("JSON Feed with one id for all and no titles, one item in the list") { item, _, _ in
      (item.id, item.title) = ("urn:feed", nil)
    }.with {
      $0.format = .json; $0.length = 1; $0.perDay = 1
    },
    way("one id for two stories, no links and titles") { item, story, _ in
      item = PublishedItem(id: "id-\(story.number / 2)", text: item.text, date: item.date)
    },
    way("one id for two stories, which differ in their enclosure only") { item, story, _ in
      let pair = story.number / 2
      item = PublishedItem(
        id: "id-\(pair)", title: "Episode \(pair)", link: "\(site)post/\(pair)", text: "Episode",
        date: Double(pair) - 2, enclosure: "\(site)\(story.number).mp3")
    },
    way("ids that are the places in the list, one title for all") { item, story, fetch in
      item.id = "item-\(Int((fetch.day + 2) * 2) - story.number)"
      item.title = "Bulletin"
    },
    way("ids that are the places in the list, one date for all") { item, story, fetch in
      (item.id, item.date) = ("item-\(Int((fetch.day + 2) * 2) - story.number)", -3)
    },
    way("rdf:about beside one dc:identifier for all") { item, story, _ in
      item.id = "\(site)post/\(story.number)"
      item.more = "<dc:identifier>ISSN 1234-5678</dc:identifier>"
    }.with { $0.format = .rdf },
    way("two revisions of each Atom entry in a document") { _, _, _ in }
      .with {
        $0.format = .atom; $0.repeats = true
      },
    way("each item twice, without an id") { item, _, _ in item.id = nil }.with { $0.repeats = true },
  ]

  private static let changes: [PublishingWay] = [
    way("random ids at each fetch") { item, story, fetch in item.id = "\(story.number)-\(fetch.number)" },
    way("random ids at each fetch, undated") { item, story, fetch in
      (item.id, item.date) = ("\(story.number)-\(fetch.number)", nil)
    },
    way("random ids at each fetch, dates without time of day") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
      item.date = (story.published).rounded(.down) - ArticleWorld.fractionOfDay
    },
    way("random ids at each fetch, no titles") { item, story, fetch in
      (item.id, item.title) = ("\(story.number)-\(fetch.number)", nil)
    },
    way("random ids at each fetch, and every third text is edited after a day") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
      if story.number % 3 == 0, fetch.day > story.published + 1 { item.text += ", edited" }
    }.with { $0.doubles = 5 },
    way("ids of two servers that alternate") { item, story, fetch in
      item.id = "server-\(fetch.number % 2)-\(story.number)"
    },
    way("all ids change once") { item, story, fetch in
      if fetch.day > middle { item.id = "new-\(story.number)" }
    },
    way("the ids are gone from the fifth day") { item, _, fetch in
      if fetch.day > middle { item.id = nil }
    },
    way("http becomes https, in ids and links") { item, story, fetch in
      let scheme = fetch.day > middle ? "https" : "http"
      item.link = "\(scheme)://a.example/post/\(story.number)"
      item.id = item.link
    },
    way("letters with accents in ids, in one character or in two by turns") { item, story, fetch in
      item.id = fetch.number.isMultiple(of: 2) ? "caf\u{E9}-\(story.number)" : "cafe\u{301}-\(story.number)"
    },
    way("a host that alternates") { item, story, fetch in
      let host = fetch.number.isMultiple(of: 2) ? "a.example" : "www.a.example"
      (item.id, item.link) = (nil, "http://\(host)/post/\(story.number)")
    },
    way("a host that alternates, undated, and texts that are edited") { item, story, fetch in
      let host = fetch.number.isMultiple(of: 2) ? "a.example" : "www.a.example"
      (item.id, item.date, item.link) = (nil, nil, "http://\(host)/post/\(story.number)")
      if fetch.day > story.published + 1 { item.text += ", edited" }
    },
    way("a link with a parameter that is new at each fetch, no titles") { item, story, fetch in
      (item.id, item.title) = (nil, nil)
      item.link = "\(site)click?tid=\(fetch.number)\(story.number)&p=\(story.number)"
    },
    way("a link with a parameter that is new at each fetch") { item, story, fetch in
      (item.id, item.link) = (nil, "\(site)click?tid=\(fetch.number)\(story.number)&p=\(story.number)")
    },
    way("the same, undated") { item, story, fetch in
      (item.id, item.date) = (nil, nil)
      item.link = "\(site)click?tid=\(fetch.number)\(story.number)&p=\(story.number)"
    },
    way("random ids, and enclosures with a parameter that is new at each fetch") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
      item.enclosure = "\(site)\(story.number).mp3?token=\(fetch.number)"
    },
    way("the same, no titles") { item, story, fetch in
      (item.id, item.title) = ("\(story.number)-\(fetch.number)", nil)
      item.enclosure = "\(site)\(story.number).mp3?token=\(fetch.number)"
    },
    way("an id that ends in #0, later in #1, undated, and files with a parameter that is new at each fetch") {
      item, story, fetch in
      item.id = "\(site)?p=\(story.number)#\(fetch.day > story.published + 1 ? 1 : 0)"
      item.date = nil
      item.enclosure = "\(site)\(story.number).mp3?token=\(fetch.number)"
    },
    way("one id for all, a host that alternates, and texts that are edited") { item, story, fetch in
      let host = fetch.number.isMultiple(of: 2) ? "a.example" : "www.a.example"
      (item.id, item.link) = ("urn:feed", "http://\(host)/post/\(story.number)")
      if fetch.day > story.published + 1 { item.text += ", edited" }
    },
    way("random ids, and documents that break off") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
    }.with { $0.isCut = { $0.number % 5 == 2 } },
    way("a link with tracking parameters that change") { item, story, fetch in
      (item.id, item.link) = (nil, "\(site)post/\(story.number)?utm_source=rss&utm_id=\(fetch.number)")
      if fetch.day > story.published + 1 { item.text += ", edited" }
    },
    way("an id that ends in #0, later in #1 with a new date") { item, story, fetch in
      let isLater = fetch.day > story.published + 1
      item.id = "\(site)?p=\(story.number)#\(isLater ? 1 : 0)"
      if isLater { item.date = story.published + 1 }
    },
    way("the same, with an edited text") { item, story, fetch in
      let isLater = fetch.day > story.published + 1
      item.id = "\(site)?p=\(story.number)#\(isLater ? 1 : 0)"
      if isLater { (item.date, item.text) = (story.published + 1, item.text + ", edited") }
    },
    way("a corrected slug, without an id") { item, story, fetch in
      item.id = nil
      if story.number == 9, fetch.day > story.published + 1 { item.link = "\(site)corrected/9" }
    },
    way("a corrected slug, without an id, and a new text with it") { item, story, fetch in
      item.id = nil
      if story.number == 9, fetch.day > story.published + 1 {
        (item.link, item.text) = ("\(site)corrected/9", "Corrected text")
      }
    }.with { $0.doubles = 1 },
  ]

  private static let repetitions: [PublishingWay] = [
    way("a bulletin: one title and text; id, date and enclosure are new") { item, story, _ in
      item.title = "Bulletin"
      item.text = "The news"
      item.link = nil
      item.enclosure = "\(site)\(story.number).mp3"
    }.with { $0.perDay = 12 },
    way("a bulletin: one title, text and link; id and date are new") { item, _, _ in
      (item.title, item.text, item.link) = ("Bulletin", "The news", "\(site)news")
    }.with { $0.perDay = 12 },
    way("the same, one item in the list") { item, _, _ in
      (item.title, item.text, item.link) = ("Bulletin", "The news", "\(site)news")
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("the same, a list that is new at each fetch") { item, _, _ in
      (item.title, item.text, item.link) = ("Bulletin", "The news", "\(site)news")
    }.with {
      $0.length = 3; $0.perDay = 12
    },
    way("open threads: one title and text, a link of its own") { item, _, _ in
      (item.title, item.text) = ("Open thread", "Talk")
    },
    way("open threads without an id") { item, _, _ in
      (item.id, item.title, item.text) = (nil, "Open thread", "Talk")
    },
    way("open threads without an id and a date") { item, _, _ in
      (item.id, item.date, item.title, item.text) = (nil, nil, "Open thread", "Talk")
    },
  ]

  private static let dates: [PublishingWay] = [
    way("one item with a date without time of day, random ids, one title, text and link") { item, story, _ in
      (item.title, item.text, item.link) = ("Photo of the day", "A photo", "\(site)photo")
      item.date = story.published.rounded(.down) - ArticleWorld.fractionOfDay
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("one item with a new fragment in its id and a new date, one title, text and link") { item, story, _ in
      (item.title, item.text, item.link) = ("Report", "All is well", "\(site)report")
      item.id = "\(site)report#\(story.number)"
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("one item with one id, title, text and link for all; file and date are new") { item, story, _ in
      item = PublishedItem(
        id: "now", title: "News", link: "\(site)news", text: "The news", date: story.published,
        enclosure: "\(site)\(story.number).mp3")
    }.with {
      $0.length = 1; $0.perDay = 1
    },
    way("one id for all, one item with a date without time of day, two on a day") { item, story, _ in
      item.id = "urn:feed"
      item.date = story.published.rounded(.down) - ArticleWorld.fractionOfDay
    }.with {
      $0.format = .json; $0.length = 1
    },
    way("one date and text for all, titles that return") { item, story, _ in
      (item.date, item.text, item.title) = (-3, "The same", "Incident \(story.number % 3)")
    }.with { $0.length = 3 },
    way("shown hours after its date") { _, _, _ in }.with { $0.delay = 18 },
    way("shown hours after its date, one title and text") { item, _, _ in
      (item.title, item.text) = ("Open thread", "Talk")
    }.with { $0.delay = 18 },
    way("all items dated with the time of the fetch") { item, _, fetch in item.date = fetch.day - 0.001 },
    way("all items dated with the time of the fetch, random ids") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
      item.date = fetch.day - 0.001
    },
    way("all items dated with the time of the fetch, a link with a parameter that is new at each fetch") {
      item, story, fetch in
      (item.id, item.date) = (nil, fetch.day - 0.001)
      item.link = "\(site)click?tid=\(fetch.number)\(story.number)&p=\(story.number)"
    },
    way("dates in the future") { item, story, _ in item.date = story.published + 30 },
  ]

  private static let troubles: [PublishingWay] = [
    way("items that leave and return") { _, _, _ in }
      .with { $0.hides = { ($0.number + $1.number).isMultiple(of: 3) } },
    way("items that leave and return, random ids") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
    }.with { $0.hides = { ($0.number + $1.number).isMultiple(of: 3) } },
    way("three days without an answer") { _, _, _ in }.with {
      $0.length = 16
      $0.isDown = { (3..<6).contains($0.day) }
    },
    way("one id for all, and checks that store nothing for three days") { item, _, _ in
      item.id = "urn:feed"
    }.with {
      $0.length = 16
      $0.trouble = .checksOnly(10..<22)
    },
    way("one id for all, and the state is lost") { item, _, _ in item.id = "urn:feed" }
      .with { $0.trouble = .stateLost(14) },
    way("one id for all in short lists, and the state is lost") { item, _, _ in item.id = "urn:feed" }
      .with {
        $0.trouble = .stateLost(14); $0.length = 1; $0.perDay = 1
      },
    way("random ids, and the state is lost") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
    }.with { $0.trouble = .stateLost(14) },
    way("random ids, and the first runs write no state") { item, story, fetch in
      item.id = "\(story.number)-\(fetch.number)"
    }.with { $0.trouble = .stopped(0..<5) },
    way("one id for all, and the first runs write no state") { item, _, _ in item.id = "urn:feed" }
      .with { $0.trouble = .stopped(0..<5) },
    way("one id for all, older schema") { item, _, _ in item.id = "urn:feed" }
      .with { $0.trouble = .olderSchema },
    way("one id for all, one item with titles that return, older schema") { item, story, _ in
      (item.id, item.title) = ("urn:feed", "Incident \(story.number % 3)")
    }.with {
      $0.length = 1; $0.perDay = 1; $0.trouble = .olderSchema
    },
    way("random ids, older schema") { item, story, fetch in item.id = "\(story.number)-\(fetch.number)" }
      .with { $0.trouble = .olderSchema },
  ]
}
