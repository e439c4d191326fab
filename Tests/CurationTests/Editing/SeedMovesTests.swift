import Catalog
import Curation
import Diagnostics
import Testing

/// Addresses that health checks propose, and their way into the seed files.
@Suite struct SeedMovesTests {
  private static let feeds = """
    {
      "category": "technology",
      "feeds": [
        {"slug": "six", "title": "Six", "feedURL": "https://six.example/feed"},
        {"slug": "seven",  "title": "Seven", "feedURL": "https://seven.example/feed"}
      ]
    }

    """

  private func seeds() throws -> ScratchSeeds {
    var files = ScratchSeeds.sound
    files["feeds/technology.json"] = Self.feeds
    return try ScratchSeeds(files)
  }

  private func proposal(
    _ slug: String, to url: String, hasSlug: Bool = false, isRedirect: Bool = false
  ) -> ProposedMove {
    let old = "https://\(slug).example/feed"
    return ProposedMove(
      recordName: CatalogRecordNames.feed(url: old), slug: hasSlug ? slug : nil, title: slug, from: old,
      to: url, reason: "FH0302 a web page is served instead of the feed", isRedirect: isRedirect,
      isFree: true)
  }

  @Test(
    "an accepted address is written in place; the record's name only where neither slug nor redirect finds the record",
    arguments: [true, false])
  func accept(hasSlug: Bool) throws {
    let seeds = try seeds()
    var workspace = try seeds.workspace()
    var moves = SeedMoves(
      [
        proposal("six", to: "https://six.example/new"),
        proposal("seven", to: "https://seven.example/new", hasSlug: hasSlug, isRedirect: !hasSlug),
      ], catalog: workspace.catalog)
    #expect(moves.moves.map(\.slug) == ["seven", "six"] && moves.moves.allSatisfy { $0.state == .proposed })
    try moves.accept(nil, in: &workspace)
    try workspace.write()
    let catalog = try #require(seeds.catalog)
    let six = try #require(catalog.feeds.first { $0.slug == "six" })
    let seven = try #require(catalog.feeds.first { $0.slug == "seven" })
    #expect(six.feedURL == "https://six.example/new")
    #expect(six.recordName == CatalogRecordNames.feed(url: "https://six.example/feed"))
    #expect(seven.feedURL == "https://seven.example/new" && seven.recordName == nil)
    // Nothing else of the file is touched.
    #expect(try seeds.text("feeds/technology.json").contains(#"{"slug": "seven",  "title": "Seven", "#))
    #expect(moves.report.json["accepted"] == 2)
    // What holds in this container only is said.
    #expect(moves.report.json["moves"]?.array?.map { $0["pinned"] } == [nil, true])
    #expect(moves.report.text(.plain).description.contains("got a \"recordName\""))
    // Until the apply, the files have the addresses and the records do not, whichever way the records are found.
    let proposals = [
      proposal("six", to: "https://six.example/new"),
      proposal("seven", to: "https://seven.example/new", hasSlug: hasSlug, isRedirect: !hasSlug),
    ]
    var again = SeedMoves(proposals, catalog: catalog)
    #expect(again.moves.map(\.slug) == ["seven", "six"])
    #expect(again.moves.allSatisfy { $0.state == .notApplied && $0.takenBy == nil })
    #expect(again.report.text(.plain).description.contains("Accepted, not applied yet"))
    var later = try seeds.workspace()
    for slugs in [["six"], nil] { try again.accept(slugs, in: &later) }
    #expect(later.changes.isEmpty)
    // An address by hand is not that of the check.
    var other = SeedMoves([proposal("six", to: "https://six.example/newer")], catalog: catalog)
    #expect(other.moves.map(\.state) == [.notApplied] && other.moves[0].otherURL == six.feedURL)
    #expect(throws: CommandFailure.self) { try other.accept(["six"], in: &later) }
  }

  @Test("only the named feeds are changed, and a slug without a proposal is an error that changes nothing")
  func named() throws {
    let seeds = try seeds()
    let before = try seeds.contents()
    var workspace = try seeds.workspace()
    var moves = SeedMoves(
      [proposal("six", to: "https://six.example/new"), proposal("seven", to: "https://seven.example/new")],
      catalog: workspace.catalog)
    #expect(throws: CommandFailure.self) { try moves.accept(["eight"], in: &workspace) }
    #expect(try seeds.contents() == before)
    // One address proposed for two feeds is a choice between them.
    let same = "https://same.example/feed"
    var rivals = SeedMoves(
      [proposal("six", to: same), proposal("seven", to: same)], catalog: workspace.catalog)
    try rivals.accept(nil, in: &workspace)
    #expect(throws: CommandFailure.self) { try rivals.accept(["six", "seven"], in: &workspace) }
    #expect(workspace.changes.isEmpty)
    var other = try seeds.workspace()
    try rivals.accept(["six"], in: &other)
    #expect(rivals.moves.map(\.state) == [.taken, .accepted] && rivals.moves[0].takenBy == "six")
    // Two records of one feed do not compete.
    let twin = proposal("six", to: same)
    var twins = SeedMoves([twin, twin], catalog: workspace.catalog)
    var third = try seeds.workspace()
    try twins.accept(nil, in: &third)
    #expect(twins.moves.allSatisfy { $0.state == .accepted })
    try moves.accept(["seven"], in: &workspace)
    try workspace.write()
    #expect(seeds.catalog?.feeds.map(\.feedURL) == ["https://six.example/feed", "https://seven.example/new"])
  }

  @Test(
    "an address that another seed has, that no seed asked for, or that no catalog takes is not accepted",
    arguments: [false, true])
  func refused(isRedirect: Bool) throws {
    let seeds = try seeds()
    var workspace = try seeds.workspace()
    var moves = SeedMoves(
      [
        proposal("six", to: "https://seven.example/feed", isRedirect: isRedirect),
        proposal("nine", to: "https://nine.example/new"),
        proposal("seven", to: "https://user:pw@seven.example/feed"),
      ], catalog: workspace.catalog)
    #expect(moves.moves.map(\.state) == [.unusable, .taken, .notInSeeds])
    #expect(moves.moves[1].takenBy == "seven")
    #expect(throws: CommandFailure.self) { try moves.accept(["six"], in: &workspace) }
    try moves.accept(nil, in: &workspace)
    #expect(workspace.changes.isEmpty)
    let text = moves.report.text(.plain).description
    #expect(text.contains("add \"replacedBy\": \"seven\" to 'six'"))
    // Only the publisher says that another feed continues this one.
    #expect(text.contains("may be two feeds") == !isRedirect)
  }
}
