import Catalog
import CloudKitModel
import Curation
import Diagnostics
import LocalContainer
import Platform
import RecordChanges
import Testing

@Suite struct SeedPullTests {
  private let now = Timestamp(milliseconds: 1_795_000_000_000)

  /// A container that the seeds were applied to.
  private func applied(_ seeds: ScratchSeeds) async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(RepositorySchema.text())
    try await apply(seeds, to: container)
    return container
  }

  private func apply(_ seeds: ScratchSeeds, to container: LocalContainer) async throws {
    let plan = try await plan(seeds, container)
    let report = await ChangeExecutor(container: container, policy: .refuse).apply(
      plan.changes)
    #expect(report.isComplete)
  }

  private func plan(
    _ seeds: ScratchSeeds, _ container: LocalContainer, since base: SeedCatalog? = nil,
    _ remembered: AgreedValues = AgreedValues()
  ) async throws -> SeedPlan {
    let planner = SeedPlanner(container: container)
    var existing = try await planner.existing()
    var plan = try await planner.plan(try #require(seeds.catalog), with: &existing, at: now)
    plan.markChanges(
      since: LastAgreement(base, remembered, in: existing), isInGit: true, in: existing)
    return plan
  }

  @discardableResult private func pull(
    _ container: LocalContainer, into seeds: ScratchSeeds, base: SeedCatalog? = nil,
    prefer: SeedPull.Preference? = nil, part: SeedPull.Part? = nil, shuffle seed: UInt64? = nil
  ) async throws -> SeedPull {
    var records = try await SeedPull.records(in: container)
    if let seed {
      var random = SeededGenerator(seed: seed)
      records.shuffle(using: &random)
    }
    var workspace = try seeds.workspace()
    var pull = SeedPull(since: AppliedSeeds(base), preference: prefer, part: part)
    pull.pull(records, into: &workspace)
    try workspace.write()
    return pull
  }

  private func edit(
    _ container: LocalContainer, _ type: String, _ name: String, _ fields: [String: FieldValue?]
  ) async throws {
    let existing = try await container.lookupAll([name]).first?.record
    let change = RecordChange.toward(fields, recordType: type, recordName: name, existing: existing)
    let report = await ChangeExecutor(container: container, policy: .refuse)
      .apply([change].compactMap(\.self))
    #expect(report.isComplete)
  }

  /// Whether only slugs are missing, which records of other clients get at the next apply.
  private func isUpToDate(_ seeds: ScratchSeeds, _ container: LocalContainer) async throws -> Bool {
    let plan = try await plan(seeds, container)
    return plan.conflicts.isEmpty && plan.changes.allSatisfy { Array($0.fields.keys) == ["slug"] }
  }

  /// A feed as seeding would have made it.
  private func feed(_ title: String, _ url: String, category: String = "arts") -> [String: FieldValue?] {
    [
      "title": .string(title), "feedURL": .string(url), "category": .reference(Reference(category)),
      "language": .string("en"), "isFeatured": .int64(0), "isVerified": .int64(0),
    ]
  }

  private let six = CatalogRecordNames.feed(url: "https://six.example/feed")

  @Test("a field that only the container changed is taken, one that only the files changed stays")
  func threeWay() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    try await edit(
      container, "PublicFeed", six, ["title": .string("Six Colors"), "subtitle": .string("Apple")])
    try seeds.write(
      "feeds/technology.json",
      try seeds.text("feeds/technology.json").replacing("\"apple\"", with: "\"apple\", \"mac\""))
    let result = try await pull(container, into: seeds, base: base)
    #expect(result.conflicts.isEmpty && result.pending == 1)
    #expect(
      try seeds.text("feeds/technology.json") == """
        {
          "category": "technology",
          "feeds": [
            {
              "slug": "six",
              "title": "Six Colors",
              "feedURL": "https://six.example/feed",
              "subtitle": "Apple",
              "tags": ["apple", "mac"]
            }
          ]
        }

        """)
  }

  @Test("a feed that moved, and whose URL somebody changed back in the container, is still that feed")
  func movedBack() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    try seeds.write(
      "feeds/technology.json",
      try seeds.text("feeds/technology.json").replacing("six.example/feed", with: "six.example/rss"))
    try await apply(seeds, to: container)
    let base = seeds.catalog
    try await edit(container, "PublicFeed", six, ["feedURL": .string("https://six.example/feed")])
    let result = try await pull(container, into: seeds, base: base)
    #expect(result.conflicts.isEmpty && result.onlyInFiles.isEmpty)
    let text = try seeds.text("feeds/technology.json")
    #expect(text.contains("six.example/feed") && !text.contains("six.example/rss"))
    #expect(seeds.catalog?.feeds.count == base?.feeds.count)
    #expect(try await plan(seeds, container).isUpToDate)
  }

  @Test("both changed: a conflict until a side is preferred; without a base every change is one")
  func conflicts() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    try await edit(container, "PublicFeed", six, ["title": .string("Theirs")])
    let file = try seeds.text("feeds/technology.json")
    #expect(try await pull(container, into: seeds).conflicts.map(\.field) == ["title"])
    #expect(try seeds.text("feeds/technology.json") == file)
    try seeds.write("feeds/technology.json", file.replacing("\"Six\"", with: "\"Ours\""))
    let both = try await pull(container, into: seeds, base: base)
    #expect(both.conflicts.map(\.slug) == ["six"])
    #expect(both.conflicts[0].file == "Ours" && both.conflicts[0].container == "Theirs")
    let kept = try await pull(container, into: seeds, base: base, prefer: .files)
    #expect(kept.conflicts.isEmpty && kept.pending == 1)
    #expect(try seeds.text("feeds/technology.json").contains("\"Ours\""))
    try await pull(container, into: seeds, base: base, prefer: .container)
    #expect(try seeds.text("feeds/technology.json").contains("\"Theirs\""))
  }

  @Test("a new record gets an entry, and a record name only where it is not the derived one")
  func additions() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let url = "https://new.example/feed"
    try await edit(container, "PublicFeed", CatalogRecordNames.feed(url: url), feed("Néw \"feed\"", url))
    try await edit(container, "PublicFeed", "ABC", feed("日本", "https://x.example/f"))
    let none = try await pull(container, into: seeds, part: .changed)
    #expect(none.conflicts.isEmpty && seeds.catalog?.feeds.count == 1)
    let result = try await pull(container, into: seeds, part: .new)
    let feeds = try #require(seeds.catalog).feeds
    #expect(feeds.map(\.slug).sorted() == ["new-feed", "six", "x-example"])
    #expect(feeds.first { $0.slug == "new-feed" }?.recordName == nil)
    #expect(feeds.first { $0.slug == "x-example" }?.recordName == "ABC")
    #expect(result.conflicts.isEmpty)
    #expect(try await isUpToDate(seeds, container))
  }

  @Test(
    "an address changed in the container needs no record name with a slug; two records of one address are refused"
  )
  func addresses() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    try await edit(container, "PublicFeed", six, ["feedURL": .string("https://six.example/rss")])
    try await pull(container, into: seeds, prefer: .container)
    let feed = try #require(seeds.catalog?.feeds.first)
    #expect(feed.feedURL == "https://six.example/rss" && feed.recordName == nil)
    #expect(try await plan(seeds, container).isUpToDate)
    for name in ["t1", "t2"] {
      try await edit(
        container, "PublicFeed", name,
        [
          "title": .string(name), "feedURL": .string("https://twin.example/"),
          "category": .reference(Reference("arts")),
        ])
    }
    let refused = try await pull(container, into: seeds)
    #expect(refused.diagnostics.map(\.code) == ["CU0302"] && seeds.catalog?.feeds.count == 1)
  }

  @Test("nothing is removed: what the container lost, and what the files lost, is listed")
  func removals() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    try seeds.write("feeds/technology.json", "{\"category\": \"technology\", \"feeds\": []}")
    try seeds.write("collections/best.json", "{\"slug\": \"best\", \"title\": \"Best\", \"feeds\": []}")
    try await edit(container, "FeedCategory", "arts", ["description": .string("x")])
    let result = try await pull(container, into: seeds, base: base)
    #expect(result.removedFromFiles == ["feed six"] && seeds.catalog?.feeds.isEmpty == true)
    var catalog = try #require(seeds.catalog)
    catalog.categories.append(SeedCategory(slug: "gone", name: "Gone"))
    try seeds.write(
      "categories.json",
      try seeds.text("categories.json").replacing("  ]", with: "  ,{\"slug\": \"gone\", \"name\": \"Gone\"}]")
    )
    #expect(try await pull(container, into: seeds, base: base).onlyInFiles == ["category gone"])
  }

  @Test("what no seed may hold is a finding, and the file stays valid")
  func unusable() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    try await edit(
      container, "PublicFeed", "bad", ["title": .string("Bad"), "feedURL": .string("not an address")])
    try await edit(
      container, "FeedCollection", CatalogRecordNames.collection(slug: "best"),
      ["feeds": .references([six, "nowhere"])])
    let result = try await pull(container, into: seeds)
    #expect(result.diagnostics.map(\.code).sorted() == ["CU0303", "CU0304"])
    #expect(seeds.catalog != nil)
  }

  @Test("a list that names a feed which the files do not get is a finding, and the files keep theirs")
  func listOfAbsentFeed() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    // Another feed in the files; the record with the old address was in the base.
    let text = try seeds.text("feeds/technology.json")
    try seeds.write(
      "feeds/technology.json",
      text.replacing("six.example/feed", with: "moved.example/rss").replacing("\"Six\"", with: "\"Seven\""))
    try await edit(
      container, "FeedCollection", CatalogRecordNames.collection(slug: "best"), ["title": .string("Finest")])
    try await edit(
      container, "PublicFeed", six, ["title": .string("Old six"), "feedURL": .string("https://old.example/")])
    try await edit(container, "PublicFeed", "twin", feed("Older", "https://six.example/feed"))
    try await edit(
      container, "FeedCollection", CatalogRecordNames.collection(slug: "best"),
      ["feeds": .references(["twin"])])
    let result = try await pull(container, into: seeds, base: base, prefer: .container)
    #expect(result.removedFromFiles.contains { $0.hasPrefix("feed ") })
    #expect(result.diagnostics.map(\.code).contains("CU0307"))
    #expect(seeds.diagnostics.isEmpty)
    #expect(seeds.catalog?.collections.first?.feeds == ["six"])
    #expect(seeds.catalog?.collections.first?.title == "Finest")
  }

  @Test("an address of the container that another feed of the files has is not taken, and nothing is written")
  func invalidResult() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    try seeds.write(
      "feeds/technology.json",
      """
      {"category": "technology", "feeds": [
        {"slug": "six", "recordName": "\(six)", "title": "Six", "feedURL": "https://six.example/new"},
        {"slug": "other", "title": "Other", "feedURL": "https://other.example/feed"}
      ]}
      """)
    try await edit(container, "PublicFeed", six, ["feedURL": .string("https://other.example/feed")])
    let before = try seeds.contents()
    let result = try await pull(container, into: seeds, base: base, prefer: .container)
    #expect(result.diagnostics.map(\.code) == ["CU0307"])
    #expect(result.diagnostics.first?.message.contains("'feedURL' of the feed 'six'") == true)
    #expect(try seeds.contents() == before)
  }

  // MARK: Invalid values, twins and reverts

  @Test(
    "a value that no seed may have clears nothing in the files",
    arguments: [
      ("siteURL", FieldValue.string("ftp://x.example/")), ("tags", .strings(["ok", "Not Ok"])),
      ("language", .string("klingon")), ("isVerified", .int64(7)), ("imageURL", .int64(1)),
      ("title", .string("a\u{1B}[31m")), ("category", .reference(Reference("nowhere"))),
    ])
  func invalidValue(field: String, value: FieldValue) async throws {
    var files = ScratchSeeds.sound
    files["feeds/technology.json"] = """
      {"category": "technology", "feeds": [{"slug": "six", "title": "Six", "feedURL": "https://six.example/feed",
       "siteURL": "https://six.example/", "imageURL": "https://six.example/i.png", "language": "de",
       "tags": ["apple"], "isVerified": true}]}
      """
    let seeds = try ScratchSeeds(files)
    let container = try await applied(seeds)
    let before = try seeds.contents()
    // A service may hold a value of another type under an older schema.
    var records = try await SeedPull.records(in: container)
    let index = try #require(records.firstIndex { $0.recordName == six })
    records[index].fields[field] = value
    records[index].fields["subtitle"] = .string("Valid")
    var workspace = try seeds.workspace()
    var pull = SeedPull(since: AppliedSeeds(seeds.catalog), preference: .container)
    pull.pull(records, into: &workspace)
    try workspace.write()
    #expect(pull.diagnostics.map(\.code) == ["CU0307"])
    #expect(pull.diagnostics[0].message.contains("'\(field)' of the feed 'six'"))
    var after = try #require(seeds.catalog).feeds[0]
    #expect(after.values["subtitle"] == "Valid")
    after.values["subtitle"] = nil
    #expect(after == (try #require(try ScratchSeeds(before).catalog)).feeds[0])
  }

  @Test("two records with the URL of a feed leave its collection alone, whether it moved or not")
  func twins() async throws {
    for hasSlugs in [true, false] {
      let seeds = try ScratchSeeds()
      let container = try await applied(seeds)
      try seeds.write(
        "feeds/technology.json",
        try seeds.text("feeds/technology.json").replacing("six.example/feed", with: "six.example/rss"))
      try await apply(seeds, to: container)
      let before = try seeds.contents()
      try await edit(container, "PublicFeed", "twin", feed("Twin", "https://six.example/rss"))
      if !hasSlugs { try await edit(container, "PublicFeed", six, ["slug": FieldValue?.none]) }
      let result = try await pull(container, into: seeds, prefer: .container)
      #expect(result.diagnostics.map(\.code) == ["CU0302"])
      #expect(result.diagnostics[0].message.contains("twin") && result.diagnostics[0].message.contains(six))
      #expect(try seeds.contents() == before)
      // The collection lists the twin.
      try await edit(
        container, "FeedCollection", CatalogRecordNames.collection(slug: "best"),
        ["feeds": .references(["twin"])])
      try await pull(container, into: seeds, prefer: .container)
      #expect(seeds.catalog?.collections.first?.feeds == ["six"])
    }
  }

  @Test("a pulled value that is changed back in the container is pulled again, and the next plan says so")
  func reverted() async throws {
    let seeds = try ScratchSeeds()
    let container = try await applied(seeds)
    let base = seeds.catalog
    let original = try seeds.contents()
    try await edit(container, "PublicFeed", six, ["title": .string("Pulled"), "subtitle": .string("S")])
    let first = try await pull(container, into: seeds, base: base)
    let memory = first.taken.lastRun(
      after: try await LastJobRun.last(of: .seed, in: container), at: now)
    try await edit(
      container, "AdminLease", "lease-seed",
      memory.fields.compactMapValues(\.self))
    var pulled = AgreedValues(in: try await LastJobRun.last(of: .seed, in: container))
    pulled.noteOwn(Set(first.taken.lines))
    #expect(pulled == first.taken && !pulled.isEmpty)
    #expect(try await plan(seeds, container).isUpToDate)

    try await edit(container, "PublicFeed", six, ["title": .string("Six")])
    let text = SeedChangelog(try await plan(seeds, container, since: base, pulled)).body.text().description
    #expect(text.contains("title: \"Six\" → \"Pulled\"  (the files have a value that was pulled"))
    #expect(text.contains("the record was changed last at "))
    var workspace = try seeds.workspace()
    var second = SeedPull(since: AppliedSeeds(base, values: pulled), preference: nil)
    second.pull(try await SeedPull.records(in: container), into: &workspace)
    try workspace.write()
    #expect(second.conflicts.isEmpty && second.pending == 0)
    #expect(seeds.catalog?.feeds[0].title == "Six" && seeds.catalog?.feeds[0].values["subtitle"] == "S")

    // A pull that was thrown away is no base: the files have other values.
    let discarded = try ScratchSeeds(original)
    try await edit(container, "PublicFeed", six, ["title": .string("Pulled")])
    let plain = SeedChangelog(try await plan(discarded, container, since: base, pulled)).body.text()
      .description
    #expect(plain.contains("title: \"Pulled\" → \"Six\"  (changed in the container since the last apply)"))
  }

  // MARK: Who changed a value

  /// One combination of values of a feed, as numbers of titles: of the commit that was applied last, of what was pulled or
  /// applied after it, of the files and of the container.
  private struct Combination {
    let slug: String
    let committed: Int?
    /// `isOwn` is false for what another clone pulled, applied, undid or declined.
    let remembered: (source: AgreedValues.Source, value: Int, isOwn: Bool)?
    let file: Int
    let container: Int

    /// The table of Documentation/reference/curation.md#pulling.
    var side: ChangedSide {
      if file == container { return .neither }
      guard let remembered, remembered.isOwn || remembered.source == .applied || file == remembered.value
      else {
        guard let committed else { return .unknown }
        return file == committed ? .container : container == committed ? .files : .both
      }
      let isCommits = file == committed
      let isTaken = [.pulled, .undone].contains(remembered.source)
      if file == remembered.value || isCommits && isTaken { return .container }
      guard container == remembered.value else { return .both }
      return isCommits && remembered.source == .applied ? .uncommitted : .files
    }

    static func all(committed: Int?) -> [Combination] {
      let memories: [(AgreedValues.Source, Int, Bool)?] =
        [nil]
        + AgreedValues.Source.allCases.flatMap { source in
          [(source, 0, true), (source, 1, true), (source, 0, false), (source, 1, false)]
        }
      return memories.enumerated().flatMap { number, memory in
        (0...2).flatMap { file in
          (0...2).map { container in
            Combination(
              slug: "f\(number)\(file)\(container)", committed: committed, remembered: memory, file: file,
              container: container)
          }
        }
      }
    }
  }

  private func files(_ combinations: [Combination], _ value: (Combination) -> Int) -> String {
    let feeds = combinations.map {
      "{\"slug\": \"\($0.slug)\", \"title\": \"V\(value($0))\", \"feedURL\": \"https://\($0.slug).example/\"}"
    }
    return "{\"category\": \"arts\", \"feeds\": [\(feeds.joined(separator: ", "))]}"
  }

  @Test(
    "plan and pull agree on who changed a value, whatever was committed, applied and edited",
    arguments: [0, nil] as [Int?])
  func sides(committed: Int?) async throws {
    let all = Combination.all(committed: committed)
    var texts = ScratchSeeds.sound
    texts["feeds/arts.json"] = files(all) { _ in 0 }
    let seeds = try ScratchSeeds(texts)
    let container = try await applied(seeds)
    let base = committed.flatMap { _ in seeds.catalog }
    var remembered = AgreedValues()
    let title = try #require(SeedFields.celestra.feed.first { $0.key == "title" })
    for item in all {
      let name = CatalogRecordNames.feed(url: "https://\(item.slug).example/")
      if item.container > 0 {
        try await edit(container, "PublicFeed", name, ["title": .string("V\(item.container)")])
      }
      guard let memory = item.remembered else { continue }
      var values = AgreedValues()
      values.add(.string("V\(memory.value)"), title, of: name, memory.source)
      remembered.merge(memory.isOwn ? values : AgreedValues(in: values.lastRun(after: nil, at: now)))
    }
    try seeds.write("feeds/arts.json", files(all, \.file))
    func pull(_ prefer: SeedPull.Preference? = nil) async throws -> (SeedPull, taken: Set<String>) {
      var workspace = try seeds.workspace()
      var pull = SeedPull(since: AppliedSeeds(base, values: remembered), preference: prefer)
      pull.pull(try await SeedPull.records(in: container), into: &workspace)
      try workspace.write()
      remembered.merge(pull.taken)
      return (pull, Set(workspace.changes.map(\.slug)))
    }
    func slugs(_ sides: ChangedSide...) -> Set<String> {
      Set(all.filter { sides.contains($0.side) }.map(\.slug))
    }
    func marked(_ plan: SeedPlan) -> Set<String> {
      let edits = plan.origins.filter { $0.value.values.contains { $0 != .uncommitted && $0 != .unseen } }
      return Set(plan.changes.filter { edits[$0.recordName] != nil }.compactMap(\.label))
    }
    func changed(_ plan: SeedPlan) -> Set<String> { Set(plan.changes.compactMap(\.label)) }

    let before = try await plan(seeds, container, since: base, remembered)
    #expect(changed(before) == Set(all.map(\.slug)).subtracting(slugs(.neither)))
    #expect(marked(before) == slugs(.container, .both))
    let (first, taken) = try await pull()
    #expect(taken == slugs(.container))
    #expect(Set(first.conflicts.map(\.slug)) == slugs(.both, .unknown))
    #expect(first.pending == slugs(.files, .uncommitted).count)
    // Pull, then plan: what was pulled is settled.
    let after = try await plan(seeds, container, since: base, remembered)
    #expect(changed(after) == changed(before).subtracting(taken) && marked(after) == slugs(.both))
    // Apply, then pull and plan: nothing is left.
    let report = await ChangeExecutor(container: container, policy: .refuse).apply(
      after.changes)
    remembered.add(report.inContainer)
    let (settled, none) = try await pull()
    #expect(settled.conflicts.isEmpty && settled.pending == 0 && none.isEmpty)
    #expect(try await plan(seeds, container, since: base, remembered).isUpToDate)
    // What is edited or taken back in the files after that is a change of the files.
    let written = report.inContainer.compactMap(\.label)
    for value in [3, 0] {
      let titles = Dictionary(
        uniqueKeysWithValues: try #require(seeds.catalog).feeds.map { ($0.slug, $0.title) })
      try seeds.write(
        "feeds/arts.json",
        files(all) { written.contains($0.slug) ? value : Int(titles[$0.slug]?.dropFirst() ?? "") ?? -1 })
      let again = try await plan(seeds, container, since: base, remembered)
      let (last, back) = try await pull()
      #expect(marked(again).isEmpty && last.conflicts.isEmpty && back.isEmpty)
      #expect(last.pending == again.changes.count)
    }
  }

  // MARK: Laws

  /// Edits the container as somebody in the Console would.
  private func editByHand(_ container: LocalContainer, _ random: inout SeededGenerator) async throws {
    let texts = ["New", "Quote \" \\ slash", "emoji 😀", "line\u{2028}sep", "Ünï", "<b>&amp;"]
    let feeds = try await SeedPull.records(in: container).filter { $0.recordType == "PublicFeed" }.map(
      \.recordName
    ).sorted()
    for name in feeds where Bool.random(using: &random) {
      var fields: [String: FieldValue?] = [:]
      let text = (texts.randomElement(using: &random) ?? "") + " \(Int.random(in: 0...99, using: &random))"
      if Bool.random(using: &random) { fields["title"] = .string(text) }
      if Bool.random(using: &random) {
        fields["subtitle"] = Bool.random(using: &random) ? .string(text) : .some(nil)
      }
      if Bool.random(using: &random) { fields["tags"] = .strings(["t1", "日本"].shuffled(using: &random)) }
      if Bool.random(using: &random) {
        fields["isFeatured"] = .int64(Int64.random(in: 0...1, using: &random))
      }
      if Bool.random(using: &random) { fields["language"] = .string("de") }
      if Bool.random(using: &random) {
        fields["category"] = .reference(Reference(Bool.random(using: &random) ? "arts" : "technology"))
      }
      if !fields.isEmpty { try await edit(container, "PublicFeed", name, fields) }
    }
    let url = "https://hand\(Int.random(in: 0...999, using: &random)).example/feed"
    let name = Bool.random(using: &random) ? CatalogRecordNames.feed(url: url) : "by-hand"
    try await edit(container, "PublicFeed", name, feed(texts.randomElement(using: &random) ?? "", url))
    try await edit(
      container, "FeedCollection", CatalogRecordNames.collection(slug: "best"),
      ["feeds": .references(feeds.shuffled(using: &random))])
  }

  @Test("the laws of pulling hold after any edits in the container", arguments: 1...12 as ClosedRange<UInt64>)
  func laws(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var files = ScratchSeeds.sound
    let feeds = (0..<4).map {
      "{\"slug\": \"f\($0)\", \"title\": \"F\($0)\", \"feedURL\": \"https://f\($0).example/feed\"}"
    }
    files["feeds/arts.json"] = "{\"category\": \"arts\", \"feeds\": [\(feeds.joined(separator: ",\r\n\t"))]}"
    let seeds = try ScratchSeeds(files)
    let container = try await applied(seeds)
    let before = try seeds.contents()

    // Apply, then pull: no change, and no file is written.
    #expect(try await pull(container, into: seeds).conflicts.isEmpty)
    #expect(try seeds.contents() == before)

    try await editByHand(container, &random)
    let copy = try ScratchSeeds(before)
    try await pull(container, into: seeds, base: copy.catalog)
    let pulled = try seeds.contents()
    #expect(seeds.catalog != nil)
    // Pull, then plan: nothing to do.
    #expect(try await isUpToDate(seeds, container))
    // Pulling again changes nothing.
    try await pull(container, into: seeds)
    #expect(try seeds.contents() == pulled)
    // The order of the container's replies decides nothing.
    try await pull(container, into: copy, base: copy.catalog, shuffle: seed)
    #expect(try copy.contents() == pulled)
  }
}
