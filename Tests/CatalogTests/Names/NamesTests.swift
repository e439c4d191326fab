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

  @Test(
    "malformed slugs are refused",
    arguments: ["", "-a", "a-", "a--b", "A", "a b", "a/b", "é", String(repeating: "a", count: 65)])
  func invalid(slug: String) {
    #expect(!Slug.isValid(slug))
  }

  @Test("a text has one form of its letters, and a form without their marks")
  func forms() {
    #expect(Array("e\u{301}".composed.unicodeScalars) == ["\u{E9}"])
    #expect(Array("\u{212B}".composed.unicodeScalars) == ["\u{C5}"])
    #expect("plain".composed == "plain")
    #expect("Café Ångström ẞ İı".inBasicLetters == "cafe angstrom ss ii")
  }

  @Test("record names are the same on every machine")
  func recordNames() {
    #expect(
      CatalogRecordNames.feed(url: "https://example.com/feed") == "46c5cc7d-4e29-5096-af13-8a743d5ee73a")
    // Escapes are named as they are written.
    #expect(
      CatalogRecordNames.feed(url: "https://example.com/%d8")
        != CatalogRecordNames.feed(url: "https://example.com/%D8"))
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
    #expect(CatalogRecordNames.problem(ofSeed: "A7-x.9") == nil)
    #expect(CatalogRecordNames.problem(ofSeed: String(repeating: "a", count: 255)) == nil)
    for name in ["", "_a", "a b", "é", String(repeating: "a", count: 256)] {
      #expect(CatalogRecordNames.problem(ofSeed: name) != nil)
    }
  }
}
