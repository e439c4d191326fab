import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite("The plan as a changelog")
struct SeedChangelogTests {
  /// A container some edits behind the catalog: one of every kind of entry.
  private func editedPlan(prunes: Bool = false) async throws -> SeedPlan {
    let container = try await MemoryContainer.holding(.sample)
    container.put(MemoryContainer.feed("stray", url: "https://stray.example/", title: "Stray"))
    container.put(MemoryContainer.feed("twin-1", url: "https://twin.example/"))
    container.put(MemoryContainer.feed("twin-2", url: "https://twin.example/"))
    var catalog = SeedCatalog.sample
    catalog.categories[1].values["sortOrder"] = 3
    catalog.feeds[0].title = "Alpha & Omega"
    catalog.feeds[0].isFeatured = true
    catalog.feeds[0].tags = ["swift"]
    catalog.feeds.append(.named("delta"))
    catalog.feeds.append(
      SeedFeed(slug: "twin", title: "Twin", feedURL: "https://twin.example/", category: "apple"))
    catalog.collections[0].feeds = ["gamma", "alpha", "beta"]
    catalog.collections.append(SeedCollection(slug: "new", title: "New", feeds: ["delta"]))
    return try await container.plan(catalog, prunes: prunes)
  }

  @Test("it reads as an editor would write it")
  func text() async throws {
    let text = SeedChangelog(try await editedPlan()).text.description
    #expect(
      text == """
        Plan for memory: (development)

        Categories
          ~ category technology
              sortOrder: 0 → 3

        Feeds in technology
          ~ feed alpha
              isFeatured: no → yes
              tags: + swift
              title: "ALPHA" → "Alpha & Omega"
          + feed delta "DELTA" https://delta.example/feed

        Collections
          ~ collection best (order changed: gamma moved from 3 to 1)
          + collection new "New" (1 feed)

        Conflicts
          ! feed twin left alone: its feed URL belongs to several records: twin-1, twin-2
              Choose the one to keep, for example the first: run 'celestra-admin records update PublicFeed twin-1 --set slug=twin', or add "recordName": "twin-1" to 'twin'.

        Notes
          · feed "Stray" (stray) is in the container but in no seed; it stays

        2 to create, 3 to update, 3 unchanged, 1 conflict.

        """)
  }

  @Test("Markdown shows titles as text, never as markup")
  func markdown() async throws {
    let markdown = SeedChangelog(try await editedPlan()).markdown.description
    #expect(markdown.hasPrefix("### Seed plan for memory: (development)\n\n**2 to create, 3 to update, "))
    #expect(
      markdown.contains("\n#### Feeds in technology\n\n- `~` **feed alpha**\n  - isFeatured: no → yes\n"))
    #expect(markdown.contains("\"Alpha &amp; Omega\""))
  }

  @Test("a plan of changes alone, as saved to a file, still calls its records by their slugs")
  func changesAlone() async throws {
    var catalog = SeedCatalog.sample
    let container = try await MemoryContainer.holding(catalog)
    catalog.feeds.append(.named("delta"))
    catalog.collections[0].feeds.append("delta")
    let plan = try await container.plan(catalog)
    let saved = SeedPlan(target: plan.target, changes: plan.changes)
    #expect(SeedChangelog(saved).text.description.contains("feeds: + delta\n"))
  }

  @Test("removals are shown when pruning was asked for")
  func prune() async throws {
    let text = SeedChangelog(try await editedPlan(prunes: true)).text.description
    #expect(text.contains("\n  - feed Stray 7 readers (0 subscriptions, 7 counted at an unknown time)\n"))
    #expect(text.contains(", 1 to delete, "))
  }

  @Test("an up-to-date container takes one line")
  func upToDate() async throws {
    let plan = try await MemoryContainer.holding(.sample).plan(.sample)
    #expect(SeedChangelog(plan).text == "Already up to date: 6 records are as declared.\n")
  }

  @Test("a list says what came, went and moved")
  func listChanges() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds.append(.named("delta"))
    catalog.collections[0].feeds = ["delta", "gamma", "alpha"]
    let text = SeedChangelog(try await container.plan(catalog)).text.description
    #expect(text.contains("feeds: + delta; - beta; gamma moved from 3 to 2\n"))
  }

  @Test("many equal changes are one line")
  func equalChanges() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    for index in catalog.feeds.indices { catalog.feeds[index].language = "de" }
    let text = SeedChangelog(try await container.plan(catalog)).text.description
    #expect(text.contains("  ~ 3 feeds\n      language: \"en\" → \"de\"\n      alpha, beta, gamma\n"))
    catalog.feeds[0].language = "en"
    #expect(SeedChangelog(try await container.plan(catalog)).text.description.contains("  ~ feed beta\n"))
  }

  @Test("each kind of change has its color, and what goes away shows its readers")
  func colors() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var record = MemoryContainer.feed("stray", url: "https://stray.example/", title: "Stray")
    record.fields["subscriberCount"] = .int64(976)
    container.put(record)
    let plan = try await container.plan(.sample, prunes: true)
    let text = SeedChangelog(plan).text(TerminalStyle(isColored: true)).description
    #expect(
      text.contains(
        "\u{1B}[31m-\u{1B}[0m feed Stray 976 readers (0 subscriptions, 976 counted at an unknown time)\n"))
    #expect(text.contains("\u{1B}[1mPlan for memory: (development)\u{1B}[0m"))
    #expect(plan.risks == [.dataLoss, .subscriberLoss])
    #expect(plan.deletionSummary == "deletes 1 of 4 feeds (25 %) and leaves 976 readers behind")
    container.put(
      Record(
        recordType: "AdminLease", recordName: "lease-recount-subscribers",
        fields: [
          "finishedAt": .timestamp(MemoryContainer.evening),
          "result": .string("{\"additionsAsOf\":\"\(MemoryContainer.morning.iso8601)\"}"),
        ]))
    let dated = SeedChangelog(try await container.plan(.sample, prunes: true)).text.description
    #expect(dated.contains("976 readers (0 subscriptions, 976 counted 2023-11-14)"))
  }

  @Test(
    "a field that somebody changed in the container since the last apply is marked, an edit of the seeds is not"
  )
  func changedInContainer() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var record = try #require(container[SeedFeed.named("alpha").derivedName])
    record.fields["subtitle"] = .string("by hand")
    container.put(record)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].title = "Edited"
    let plan = try await SeedPlanner(container: container)
      .plan(catalog, at: MemoryContainer.evening, lastApplied: { .sample })
    let lines = SeedChangelog(plan).text.description.split(separator: "\n")
    #expect(
      lines.contains {
        $0.contains("subtitle") && $0.hasSuffix("(changed in the container since the last apply)")
      })
    #expect(lines.contains { $0.contains("title: \"ALPHA\"") && $0.hasSuffix("\"Edited\"") })
  }

  @Test("many notes do not bury the changes")
  func manyNotes() async throws {
    let strays = (10..<40).map { MemoryContainer.feed("stray-\($0)", url: "https://\($0).example/") }
    let text = SeedChangelog(try await MemoryContainer(strays).plan(SeedCatalog())).text.description
    #expect(text.contains("(stray-29)") && !text.contains("(stray-30)"))
    #expect(text.contains("· 10 more notes are left out here"))
  }

  @Test("text from outside cannot steer the terminal")
  func hostileText() async throws {
    let container = MemoryContainer([
      MemoryContainer.feed("x", url: "https://x.example/", title: "\u{1B}[2Jboo\n\u{202E}kcab")
    ])
    let text = SeedChangelog(try await container.plan(SeedCatalog())).text.description
    #expect(text.contains(#"feed "\u{1b}[2Jboo\n\u{202e}kcab" (x)"#))
  }

  @Test("of two long texts the part that differs is shown")
  func longText() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds[0].subtitle = String(repeating: "a", count: 300) + "OLD"
    let container = try await MemoryContainer.holding(catalog)
    catalog.feeds[0].subtitle = String(repeating: "a", count: 300) + "NEW"
    let line = SeedChangelog(try await container.plan(catalog)).text.description.split(separator: "\n")[3]
    #expect(line.hasSuffix("aOLD\" → \"…aaaaaaaaaaaaaaaaaaaaNEW\""))
    #expect(line.count < 100)
  }

  private func share(_ deleted: Int, _ present: Int) -> DeletionShare {
    DeletionShare(recordType: "FeedCategory", deleted: deleted, present: present)
  }

  @Test(
    "a share is rounded down, and a majority is more than half",
    arguments: [
      (1, 1, "1 of 1 category (100 %)", true), (1, 2, "1 of 2 categories (50 %)", false),
      (2, 3, "2 of 3 categories (66 %)", true),
      (1, 100, "1 of 100 categories (1 %)", false), (1, 101, "1 of 101 categories (under 1 %)", false),
      (51, 100, "51 of 100 categories (51 %)", true),
      (0, 0, "0 of 0 categories (100 %)", false),
    ])
  func shares(_ deleted: Int, _ present: Int, _ text: String, _ isMajority: Bool) {
    #expect(share(deleted, present).description == text)
    #expect(share(deleted, present).isMajority == isMajority)
  }

  private func updates(_ values: [(String, String, FieldValue?, FieldValue?)], type: String = "PublicFeed")
    -> SeedPlan
  {
    SeedPlan(
      target: ContainerIdentity(name: "memory:", environment: .development),
      changes: values.map { name, field, from, to in
        RecordChange(
          .update, recordType: type, recordName: name, label: name, changeTag: "1",
          fields: [field: FieldChange(from: from, to: to)])
      })
  }

  @Test("three equal changes are one entry, two are not, and creations never are")
  func equal() {
    func text(_ names: String...) -> String {
      SeedChangelog(updates(names.map { ($0, "title", .string("A"), .string("B")) })).text.description
    }
    #expect(
      text("a", "b").contains(
        "  ~ feed a\n      title: \"A\" → \"B\"\n  ~ feed b\n      title: \"A\" → \"B\"\n"))
    #expect(text("a", "b", "c").contains("Feeds\n  ~ 3 feeds\n      title: \"A\" → \"B\"\n      a, b, c\n\n"))
    let others = updates([
      ("a", "title", .string("A"), .string("B")), ("b", "title", .string("A"), .string("B")),
      ("c", "title", .string("A"), .string("C")),
    ])
    #expect(SeedChangelog(others).text.description.contains("  ~ feed b\n"))
    let creations = SeedPlan(
      target: ContainerIdentity(name: "memory:", environment: .development),
      changes: ["a", "b", "c"].map {
        RecordChange(.create, recordType: "PublicFeed", recordName: $0, label: $0)
      })
    #expect(SeedChangelog(creations).text.description.contains("  + feed a\n  + feed b\n  + feed c\n"))
  }

  @Test("values that no editor wrote are counted apart")
  func addedValues() {
    let slugs = updates([("a", "slug", nil, .string("a")), ("b", "slug", nil, .string("b"))])
    #expect(
      SeedChangelog(slugs).text.description == """
        Plan for memory: (development)

        Added values
          ~ 2 feeds slug: none → the slug of the seed

        2 get added values.

        """)
    let one = updates([
      ("a", "isRetired", nil, .int64(0)), ("b", "isRetired", nil, .int64(1)),
      ("c", "slug", .string("x"), .string("c")),
    ])
    let text = SeedChangelog(one).text.description
    #expect(text.contains("Added values\n  ~ 1 feed isRetired: none → no\n"))
    #expect(text.contains("  ~ feed b\n      isRetired: none → yes\n"))
    #expect(text.contains("  ~ feed c\n      slug: \"x\" → \"c\"\n"))
    #expect(text.hasSuffix("\n2 to update, 1 gets an added value.\n"))
  }

  @Test("a creation shows its title, its address and the number of its feeds")
  func creations() {
    func text(_ type: String, _ fields: [String: FieldValue]) -> String {
      let change = RecordChange(
        .create, recordType: type, recordName: "x", fields: fields.mapValues { FieldChange(to: $0) })
      let plan = SeedPlan(target: ContainerIdentity(name: "m", environment: .development), changes: [change])
      return SeedChangelog(plan).text.description.split(separator: "\n").first { $0.hasPrefix("  ") }.map(
        String.init) ?? ""
    }
    func feeds(_ count: Int) -> FieldValue { .references((0..<count).map { "f\($0)" }) }
    #expect(
      text("FeedCollection", ["title": .string("T"), "feeds": feeds(1)]) == "  + collection x \"T\" (1 feed)")
    #expect(text("FeedCollection", ["feeds": feeds(2)]) == "  + collection x (2 feeds)")
    #expect(text("FeedCategory", ["name": .string("N")]) == "  + category x \"N\"")
    #expect(
      text("PublicFeed", ["title": .string("T"), "feedURL": .string("https://x.example/")])
        == "  + feed x \"T\" https://x.example/")
  }

  @Test("up to twenty notes are shown")
  func noteLimit() async throws {
    func text(_ count: Int) async throws -> String {
      let strays = (0..<count).map { MemoryContainer.feed("stray-\($0)", url: "https://\($0).example/") }
      return SeedChangelog(try await MemoryContainer(strays).plan(SeedCatalog())).text.description
    }
    #expect(try await !text(20).contains("left out"))
    #expect(
      try await text(21).contains("  · 1 more note is left out here; the JSON result has all of them\n"))
    #expect(try await text(22).contains("  · 2 more notes are left out here; the JSON result has them all\n"))
  }

  @Test("what an apply did is described by its counts")
  func outcomes() {
    let plan = updates([("a", "title", .string("A"), .string("B"))])
    func outcome(_ results: [(RecordChange.Action, ChangeReport.Outcome)]) -> String {
      let report = ChangeReport(
        results: results.map { (RecordChange($0, recordType: "PublicFeed", recordName: "a"), $1) })
      return SeedChangelog(plan).outcome(report)
    }
    #expect(outcome([]) == "Nothing was written in memory: (development).")
    #expect(
      outcome([(.create, .applied), (.delete, .applied)]) == "1 created, 1 deleted in memory: (development).")
    #expect(
      outcome([
        (.update, .applied), (.update, .applied), (.update, .alreadyApplied), (.create, .notAttempted),
      ])
        == "2 updated in memory: (development). 1 unchanged.")
  }

  @Test(
    "a plan without changes says how much was compared",
    arguments: [
      (0, "The plan holds no changes; nothing was compared.\n"),
      (1, "Already up to date: 1 record is as declared.\n"),
      (2, "Already up to date: 2 records are as declared.\n"),
    ])
  func compared(_ count: Int, _ text: String) async throws {
    let catalog = SeedCatalog(categories: SeedCatalog.sample.categories.reversed().prefix(count).map(\.self))
    let container = try await MemoryContainer.holding(catalog)
    #expect(SeedChangelog(try await container.plan(catalog)).text.description == text)
  }

  @Test("the report of a plan is a changelog, in Markdown where it is asked for")
  func report() async throws {
    let plan = try await editedPlan()
    let report = SeedPlanReport(
      plan, findings: [], requests: RequestCounts(), created: MemoryContainer.morning)
    #expect(report.rendered(as: .markdown, .plain).description.contains("**"))
    #expect(report.rendered(as: .text, .plain).description == report.text(.plain).description)
    #expect(!report.text(.plain).description.contains("**"))
    #expect(report.json["conflicts"]?.integer == Int64(plan.conflicts.count))
    #expect(!report.isConfirmation)
  }
}
