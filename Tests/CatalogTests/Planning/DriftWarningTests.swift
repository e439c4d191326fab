import Catalog
import CloudKitModel
import Testing

@Suite("Edits of records that seeds declare") struct DriftWarningTests {
  private let catalog: SeedCatalog = {
    var catalog = SeedCatalog.sample
    catalog.feeds[1].recordName = "pinned"
    return catalog
  }()

  private func slug(_ type: String, _ name: String, _ fields: [String: FieldValue] = [:]) -> String? {
    let record = Record(recordType: type, recordName: name, fields: fields)
    return catalog.driftWarning(of: record, setting: ["title": .string("x"), "name": .string("x")])
      .flatMap { $0.split(separator: "'").dropFirst().first.map(String.init) }
  }

  @Test("the warning names the seed and the fields that it declares, in order")
  func words() {
    let record = Record(recordType: "PublicFeed", recordName: "pinned", fields: [:])
    #expect(
      catalog.driftWarning(
        of: record,
        setting: [
          "title": nil, "subtitle": .string("x"), "slug": .string("x"), "subscriberCount": .int64(1),
          "imageURL": nil,
        ])
        == "The seed 'beta' decides subtitle, title: the next 'seed apply' writes its values back. "
        + "Change the seed too, or run 'celestra-admin seed pull'.")
    #expect(catalog.driftWarning(of: record, setting: ["slug": nil, "imageURL": nil]) == nil)
    #expect(catalog.driftWarning(of: record, setting: [:]) == nil)
  }

  @Test("a feed's seed is known by its record name, or else by the slug or the address of the record")
  func feeds() {
    #expect(slug("PublicFeed", "pinned") == "beta")
    #expect(slug("PublicFeed", "x", ["slug": .string("alpha")]) == "alpha")
    #expect(slug("PublicFeed", "x", ["feedURL": .string("https://ALPHA.example/feed")]) == "alpha")
    #expect(
      slug("PublicFeed", "x", ["slug": .string(""), "feedURL": .string("https://alpha.example/feed")])
        == "alpha")
    // No seed has the record's slug any more, so the feed was renamed.
    #expect(
      slug("PublicFeed", "x", ["slug": .string("z"), "feedURL": .string("https://alpha.example/feed")])
        == "alpha")
    // The record is of another feed, whatever its address.
    #expect(
      slug("PublicFeed", "x", ["slug": .string("beta"), "feedURL": .string("https://alpha.example/feed")])
        == nil)
    // The seed names its record, so no other one is its.
    #expect(slug("PublicFeed", "x", ["slug": .string("beta")]) == nil)
    #expect(slug("PublicFeed", "x", ["feedURL": .string("https://beta.example/feed")]) == nil)
    #expect(slug("PublicFeed", "x") == nil)
  }

  @Test("a category's or collection's seed is known by the name that its slug gives the record")
  func others() {
    #expect(slug("FeedCategory", "apple") == "apple")
    #expect(slug("FeedCategory", "x", ["slug": .string("technology")]) == "technology")
    #expect(slug("FeedCategory", CatalogRecordNames.collection(slug: "best")) == nil)
    #expect(slug("FeedCollection", CatalogRecordNames.collection(slug: "best")) == "best")
    #expect(slug("FeedCollection", "best") == nil)
    #expect(slug("Other", "pinned") == nil)
  }
}
