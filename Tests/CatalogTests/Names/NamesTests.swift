import Testing

@testable import Catalog

@Suite("Slugs and record names")
struct NamesTests {
  @Test(
    "a title gives the slug an editor would choose",
    arguments: [
      ("Daring Fireball", "daring-fireball"), ("Barney's  Blog!", "barneys-blog"),
      ("512 Pixels", "512-pixels"),
      ("  A|B  ", "a-b"),
    ])
  func derivedSlug(title: String, slug: String) {
    #expect(Slug.derived(fromTitle: title) == slug)
  }

  @Test("a title without an obvious spelling gives none", arguments: ["日本", "Café", "!!!", ""])
  func noDerivedSlug(title: String) {
    #expect(Slug.derived(fromTitle: title) == nil)
  }

  @Test("slugs are checked", arguments: ["a", "a-b", "9to5mac"])
  func valid(slug: String) {
    #expect(Slug.isValid(slug))
  }

  @Test(
    "malformed slugs are refused",
    arguments: ["", "-a", "a-", "a--b", "A", "a b", "a/b", "é", String(repeating: "a", count: 65)])
  func invalid(slug: String) {
    #expect(!Slug.isValid(slug))
  }

  @Test("a slug has up to 64 letters, and no empty word")
  func lengths() {
    #expect(Slug.isValid(String(repeating: "a", count: 64)))
    #expect(Slug.isValid("0-9-z"))
    for slug in ["-", "a-b-", "-a-b", "a--b", "a_b", "`", "{", "/", ":"] {
      #expect(!Slug.isValid(slug), "\(slug)")
    }
    #expect(Slug.derived(fromTitle: String(repeating: "a", count: 64)) == String(repeating: "a", count: 64))
    #expect(Slug.derived(fromTitle: String(repeating: "a", count: 65)) == nil)
    #expect(Slug.derived(fromTitle: "Don\u{2019}t 'Stop'") == "dont-stop")
    #expect(Slug.derived(fromTitle: "A – B") == "a-b")
  }

  @Test(
    "a suggested slug is made of the title without accents, else of the host, else of a digest",
    arguments: [
      ("Café  Ünder's “Blog”", "https://a.example/", "cafe-unders-blog", true),
      ("日本", "https://www.my-site.example/", "my-site-example", true),
      ("!", "https://m.a.example/", "a-example", true),
      ("", "", "feed-", false), ("日本", "https://日本.example/", "feed-", false),
    ])
  func suggestions(_ title: String, _ url: String, _ expected: String, _ isReadable: Bool) {
    let found = Slug.suggested(forTitle: title, url: url, taken: [])
    #expect(found.isReadable == isReadable)
    if isReadable {
      #expect(found.slug == expected)
    } else {
      #expect(found.slug.hasPrefix(expected) && found.slug.utf8.count == expected.utf8.count + 8)
    }
  }

  @Test("a long title is cut after a word, so that the number of a copy fits too")
  func cutTitles() {
    func suggested(_ title: String, _ taken: Set<String> = []) -> String {
      Slug.suggested(forTitle: title, url: "", taken: taken).slug
    }
    let word = String(repeating: "a", count: 31)
    let other = String(repeating: "b", count: 32)
    // 31 + 1 + 32 letters fit; one more does not.
    #expect(suggested("\(word) \(other)") == "\(word)-\(other)")
    #expect(suggested("\(word) \(other)b") == word)
    #expect(suggested("\(word) \(other) c") == "\(word)-\(other)")
    #expect(suggested(String(repeating: "a", count: 65)) == String(repeating: "a", count: 64))
    #expect(suggested("A B", ["a-b"]) == "a-b-2")
    #expect(suggested("A B", ["a-b", "a-b-2"]) == "a-b-3")
    let long = String(repeating: "a", count: 64)
    #expect(suggested(long, [long]) == String(repeating: "a", count: 62) + "-2")
    var pool = SlugPool([])
    let slugs = (0..<11).map { _ in pool.suggested(forTitle: "A", url: "").slug }
    #expect(slugs == ["a", "a-2", "a-3", "a-4", "a-5", "a-6", "a-7", "a-8", "a-9", "a-10", "a-11"])
    let tookTwice = [pool.take("b"), pool.take("b")]
    #expect(tookTwice == [true, false])
  }

  @Test("a text has one form of its letters, and a form without their marks")
  func forms() {
    #expect(Array("e\u{301}".composed.unicodeScalars) == ["\u{E9}"])
    #expect(Array("\u{212B}".composed.unicodeScalars) == ["\u{C5}"])
    #expect("plain".composed == "plain")
    #expect("Café Ångström ß".withoutAccents == "Cafe Angstrom ß")
  }

  @Test("record names are the same on every machine")
  func recordNames() {
    #expect(CatalogRecordNames.category(slug: "technology") == "technology")
    #expect(
      CatalogRecordNames.feed(url: "https://example.com/feed") == "46c5cc7d-4e29-5096-af13-8a743d5ee73a")
    #expect(
      CatalogRecordNames.feed(url: "HTTPS://EXAMPLE.com:443/feed#x")
        == CatalogRecordNames.feed(url: "https://example.com/feed"))
    #expect(CatalogRecordNames.collection(slug: "best-tech") == "02349a75-243d-5b95-921b-1295ef52a9aa")
    #expect(CatalogRecordNames.metadata(feed: "f") != CatalogRecordNames.collection(slug: "f"))
    #expect(
      CatalogRecordNames.subscription(feed: "feed-1", user: "_user")
        == "dcb52bc4da565b7d99edffb741f49bf40ed8e9d29aea27c6412ee0e0201101f4")
  }

  @Test("CloudKit's limits on record names are known")
  func recordNameRules() {
    #expect(CatalogRecordNames.isValid("A7-x.9"))
    #expect(CatalogRecordNames.isValid(String(repeating: "a", count: 255)))
    for name in ["", "_a", "a b", "é", String(repeating: "a", count: 256)] {
      #expect(!CatalogRecordNames.isValid(name))
    }
  }
}
