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
          ✗ feed twin left alone: its feed URL belongs to several records: twin-1, twin-2
              Choose the one to keep, for example the first: run 'celestra-admin records update PublicFeed twin-1 --set slug=twin', or add "recordName": "twin-1" to 'twin'.

        Notes
          · feed "Stray" (stray) is in the container but in no seed; it stays

        2 to create, 3 to update, 3 unchanged, 1 conflict.

        """)
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
    let text = SeedChangelog(plan).body.text(TerminalStyle(isColored: true)).description
    #expect(
      text.contains(
        "\u{1B}[31m-\u{1B}[0m \u{1B}[1mfeed Stray\u{1B}[0m 976 readers (0 subscriptions, 976 counted at an unknown time)\n"
      ))
    #expect(plan.risks == [.dataLoss, .subscriberLoss])
    #expect(plan.deletionSummary == "deletes 1 of 4 feeds (25 %) and leaves 976 readers behind")
    container.put(
      Record(
        recordType: "AdminLease", recordName: "lease-recount-subscribers",
        fields: [
          "finishedAt": .timestamp(MemoryContainer.evening),
          "result": .string("{\"schemaVersion\":1,\"asOf\":\"\(MemoryContainer.morning.iso8601)\"}"),
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
    let planner = SeedPlanner(container: container)
    var records = try await planner.existing()
    var plan = try await planner.plan(catalog, with: &records, at: MemoryContainer.evening)
    plan.markChanges(since: .sample, in: records)
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
    #expect(text.contains("… and 10 more"))
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
    let line = SeedChangelog(try await container.plan(catalog)).text.description.split(separator: "\n")[2]
    #expect(line.hasSuffix("aOLD\" → \"…aaaaaaaaaaaaaaaaaaaaNEW\""))
    #expect(line.count < 100)
  }
}
