import Catalog
import CloudKitModel
import Curation
import Diagnostics
import Testing

/// What a foreign OPML file may decide about the catalog.
@Suite struct OPMLTrustTests {
  private func outline(_ slug: String, _ attributes: String = "") -> String {
    "<outline text=\"\(slug)\" xmlUrl=\"https://\(slug).example/feed\" celestra:slug=\"\(slug)\" \(attributes)/>"
  }

  private func run(
    _ outlines: [String], into seeds: ScratchSeeds, trusts: Bool = false
  ) async throws -> OPMLImport {
    let text = "<opml><body>\(outlines.joined(separator: "\n"))</body></opml>"
    let file = OPMLFile(name: "f.opml", Array(text.utf8))
    var workspace = try seeds.workspace()
    var run = OPMLImport(
      file, catalog: workspace.catalog, mapping: .auto, fallback: "arts", trusts: trusts)
    try await run.add(file.entries, to: &workspace, finder: nil)
    try workspace.write()
    return run
  }

  private func feed(_ slug: String, in seeds: ScratchSeeds) throws -> SeedFeed {
    try #require(seeds.catalog?.feeds.first { $0.slug == slug })
  }

  private static let privileged =
    #"CELESTRA:recordname="victim" celestra:isVerified="true" celestra:isFeatured="true""#

  @Test("a file ties no feed to a record and vouches for none, whatever case its attributes have")
  func ignored() async throws {
    let seeds = try ScratchSeeds()
    let run = try await run(
      [outline("a", Self.privileged), outline("b", #"celestra:isVerified="true""#)], into: seeds)
    for slug in ["a", "b"] {
      let feed = try feed(slug, in: seeds)
      #expect(feed.recordName == nil && !feed.isVerified && feed.values["isFeatured"] != true)
    }
    let notes = run.diagnostics.filter { $0.code == "CU0217" }
    #expect(
      notes.map(\.message) == [
        "'celestra:isFeatured' of 1 new feed is ignored",
        "'celestra:isVerified' of 2 new feeds is ignored; this is the first",
        "'celestra:recordName' of 1 new feed is ignored",
      ])
    #expect(notes.allSatisfy { $0.severity == .note && $0.help?.contains("--trust-celestra") == true })
  }

  @Test("with trust each value is taken and printed with its feed")
  func trusted() async throws {
    let seeds = try ScratchSeeds()
    let run = try await run([outline("a", Self.privileged), outline("b")], into: seeds, trusts: true)
    let feed = try feed("a", in: seeds)
    #expect(feed.recordName == "victim" && feed.isVerified && feed.values["isFeatured"] == true)
    let notes = run.diagnostics.filter { $0.code == "CU0217" }.map(\.message)
    #expect(notes.count == 3 && notes.allSatisfy { $0.contains("'a'") })
    #expect(notes.contains { $0.contains("\"victim\"") })
  }

  @Test("what needs no trust because it says nothing is not reported")
  func harmless() async throws {
    let seeds = try ScratchSeeds()
    let plain = try await run(
      [outline("a", #"celestra:isVerified="false" celestra:recordName="""#)], into: seeds)
    #expect(plain.diagnostics.isEmpty)
    // A known feed keeps what its seed says.
    let known = try await run(
      [#"<outline text="Six" xmlUrl="https://six.example/feed" celestra:isVerified="true"/>"#], into: seeds,
      trusts: true)
    #expect(known.counts.known == 1 && known.diagnostics.isEmpty)
    #expect(try !feed("six", in: seeds).isVerified)
  }

  @Test("one record name for two seeds is refused even from a trusted file")
  func sharedRecordName() async throws {
    let seeds = try ScratchSeeds()
    let attribute = #"celestra:recordName="technology""#
    let run = try await run(
      [outline("a", attribute), outline("b", #"celestra:recordName="x""#)]
        + [outline("c", #"celestra:recordName="x""#)], into: seeds, trusts: true)
    #expect(run.diagnostics.count { $0.code == "CU0218" } == 2)
    let catalog = try #require(seeds.catalog)
    #expect(catalog.feeds.filter { $0.recordName != nil }.map(\.slug) == ["b"])
  }

  @Test("retired and replacedBy are taken for feeds that the import adds, with the slugs that they get")
  func retirement() async throws {
    let seeds = try ScratchSeeds()
    let six = #"<outline text="S" xmlUrl="https://other-six.example/" celestra:slug="six"/>"#
    let run = try await run(
      [
        outline("old", #"celestra:retired="true" celestra:replacedBy="six""#),
        outline("gone", #"celestra:replacedBy="nowhere""#), outline("self", #"celestra:replacedBy="self""#),
        outline("chain", #"celestra:replacedBy="old""#), six,
        #"<outline text="K" xmlUrl="https://six.example/feed" celestra:retired="true"/>"#,
      ], into: seeds)
    // The file's 'six' is another feed than the catalog's, and gets a slug of its own.
    #expect(try feed("old", in: seeds).replacedBy == "s" && feed("old", in: seeds).isRetired)
    for slug in ["gone", "self", "chain"] { #expect(try feed(slug, in: seeds).replacedBy == nil, "\(slug)") }
    #expect(try !feed("six", in: seeds).isRetired)
    #expect(run.diagnostics.count { $0.code == "CU0218" } == 3)
  }

  @Test("a retired feed joins no collection, so the seeds stay valid")
  func retiredInFolder() async throws {
    let seeds = try ScratchSeeds()
    let run = try await run(
      [
        "<outline text=\"Mine\">" + outline("old", #"celestra:retired="true""#) + outline("new")
          + "</outline>"
      ], into: seeds)
    #expect(try #require(seeds.catalog).collections.first { $0.slug == "mine" }?.feeds == ["new"])
    #expect(run.diagnostics.contains { $0.code == "CU0218" && $0.message.contains("'old' is retired") })
  }
}
