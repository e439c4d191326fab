import CloudKitModel
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Catalog

/// Records that the container deletes with those that a plan deletes.
@Suite("What goes with pruned records") struct PruneCascadeTests {
  private let container: LocalContainer
  private let schema: Schema
  private let executor: ChangeExecutor
  private let alpha = SeedFeed.named("alpha").derivedName
  private let beta = SeedFeed.named("beta").derivedName

  init() async throws {
    var schema = try RepositoryFile.shippedSchema()
    // A type of the team's own, which no part of the tool knows.
    schema.recordTypes.append(
      RecordType(
        "Note",
        fields: [
          Field("___recordID", .scalar(.reference), [.queryable]), Field("about", .scalar(.reference)),
        ],
        grants: [Grant([.read, .create, .write], to: "CatalogAdmin")]))
    self.schema = schema
    container = try LocalContainer.open(.memory)
    try await container.importSchema(schema.canonicalText)
    executor = ChangeExecutor(container: container, policy: .refuse)
    _ = await executor.apply(try await plan(.sample).changes)
  }

  private func plan(_ catalog: SeedCatalog, prunes: Bool = false) async throws -> SeedPlan {
    try await SeedPlanner(container: container, schema: schema, prunes: prunes)
      .plan(catalog, at: MemoryContainer.morning)
  }

  private func add(_ type: String, _ name: String, _ field: String, _ target: Reference) async throws {
    let outcome = try await container.modify([
      RecordOperation(.create, recordType: type, recordName: name, fields: [field: .reference(target)])
    ])[0]
    if let error = outcome.error { throw error }
  }

  /// The catalog without alpha.
  private var fewer: SeedCatalog {
    var catalog = SeedCatalog.sample
    catalog.feeds.removeFirst()
    catalog.collections[0].feeds.removeFirst()
    return catalog
  }

  @Test("they are changes of the plan, before the record they refer to, and are counted and shown by type")
  func planned() async throws {
    for number in 0..<3 {
      try await add(
        "PublicArticle", "article-\(number)", "feedReference", Reference(alpha, action: .deleteSelf))
    }
    try await add("PublicArticle", "other", "feedReference", Reference(beta, action: .deleteSelf))
    try await add("PublicArticle", "loose", "feedReference", Reference(alpha))
    try await add("Note", "note", "about", Reference(alpha, action: .deleteSelf))
    let plan = try await plan(fewer, prunes: true)
    let deleted = plan.changes.filter { $0.action == .delete }.map(\.recordName)
    #expect(Set(deleted) == ["article-0", "article-1", "article-2", "note", alpha] && deleted.last == alpha)
    #expect(plan.count(.delete) == 5 && plan.risks == [.dataLoss])
    #expect(plan.deletionSummary == "deletes 1 of 3 feeds (33 %), 1 Note record, 3 PublicArticle records")
    #expect(plan.unrestorableTypes == ["PublicArticle"])
    let text = SeedChangelog(plan).text.description
    let unrestorable =
      "  - 3 PublicArticle records refer to deleted records\n      Users may create such records"
    #expect(
      text.contains("Deleted with them\n  - 1 Note record refers to a deleted record\n\(unrestorable)"),
      "\(text)")
    let file = PlanFile(
      command: "seed", target: plan.target, created: MemoryContainer.morning, changes: plan.changes,
      shown: plan.shown)
    #expect(SeedChangelog(try await SeedPlan(saved: file, in: container)).text == SeedChangelog(plan).text)
    #expect(await executor.apply(plan.changes).isComplete)
    #expect(
      try await container.allRecords(Query("PublicArticle")).map(\.recordName).sorted() == ["loose", "other"])
    #expect(try await container.allRecords(Query("Note")).isEmpty)
  }

  @Test("without pruning nothing is deleted, and what the plan itself refers elsewhere stays")
  func stays() async throws {
    try await add("PublicArticle", "article", "feedReference", Reference(alpha, action: .deleteSelf))
    #expect(try await plan(fewer).count(.delete) == 0)
    let article = try #require(try await container.lookupAll(["article"])[0].record)
    let feed = try #require(try await container.lookupAll([alpha])[0].record)
    let move = RecordChange.toward(
      ["feedReference": .reference(Reference(beta, action: .deleteSelf))], recordType: "PublicArticle",
      recordName: "article", existing: article)
    let changes = [try #require(move), RecordChange(deleting: feed)]
    let references = ReferenceFields(CatalogReferences.all, in: schema)
    #expect(try await changes.withCascades(references, in: container) == changes)
    #expect(await executor.apply(changes).isComplete)
    #expect(try await container.lookupAll(["article"])[0].record != nil)
  }

  @Test(
    "a saved plan is out of date when a record that it deletes gained readers, or one that it names was retired"
  )
  func savedPlan() async throws {
    func file(_ plan: SeedPlan) -> PlanFile {
      PlanFile(
        command: "seed", target: plan.target, created: MemoryContainer.morning, changes: plan.changes,
        shown: plan.shown)
    }
    func subscribe(_ user: String) async throws {
      _ = try await container.modify([
        RecordOperation(
          .create, recordType: "FeedSubscription",
          recordName: CatalogRecordNames.subscription(feed: alpha, user: user),
          fields: ["feedRecordName": .string(alpha)])
      ])
    }
    try await subscribe("one")
    let saved = file(try await plan(fewer, prunes: true))
    #expect(try await SeedPlan(saved: saved, in: container).gainedReaders(since: saved) == [])
    try await subscribe("two")
    #expect(
      try await SeedPlan(saved: saved, in: container).gainedReaders(since: saved)
        == ["alpha: it has 2 readers, and had 1"])

    var catalog = SeedCatalog.sample
    catalog.collections.append(SeedCollection(slug: "more", title: "More", feeds: ["beta"]))
    let naming = file(try await plan(catalog))
    func drift() async throws -> [String] {
      try await naming.compared(
        with: container, references: CatalogReferences.betweenSeeds, retirement: CatalogReferences.retirement
      ).drift.map(\.reason)
    }
    #expect(try await drift() == [])
    let feed = try #require(try await container.lookupAll([beta])[0].record)
    let retired = RecordChange.toward(
      ["isRetired": .flag(true)], recordType: "PublicFeed", recordName: beta, existing: feed)
    #expect(await executor.apply([try #require(retired)]).isComplete)
    #expect(try await drift() == ["its feeds names '\(beta)', which was retired"])
  }

  @Test("an undo that deletes a feed asks for subscriber-loss only when the feed may have readers")
  func undoDeletions() async throws {
    func risks(_ name: String) async throws -> Set<String> {
      let record = try #require(try await container.lookupAll([name])[0].record)
      return try await UndoRules.catalog.risks([RecordChange(deleting: record)], container).names
    }
    _ = try await container.modify([
      RecordOperation(
        .create, recordType: "FeedSubscription",
        recordName: CatalogRecordNames.subscription(feed: alpha, user: "one"),
        fields: ["feedRecordName": .string(alpha)])
    ])
    #expect(try await risks(alpha) == ["subscriber-loss"])
    #expect(try await risks(beta) == [])
  }

  @Test(
    "an undo that gives a feed with readers another host asks for readers-move, and one on the same host does not"
  )
  func undoMoves() async throws {
    func risks(from: String, to: String) async throws -> Set<String> {
      let change = RecordChange(
        .update, recordType: "PublicFeed", recordName: alpha,
        fields: ["feedURL": FieldChange(from: .string(from), to: .string(to))])
      return try await UndoRules.catalog.risks([change], container).names
    }
    let (here, elsewhere) = ("https://alpha.example/rss", "https://elsewhere.example/feed")
    #expect(try await risks(from: elsewhere, to: here) == [])
    _ = try await container.modify([
      RecordOperation(
        .create, recordType: "FeedSubscription",
        recordName: CatalogRecordNames.subscription(feed: alpha, user: "one"),
        fields: ["feedRecordName": .string(alpha)])
    ])
    #expect(try await risks(from: elsewhere, to: here) == ["readers-move"])
    #expect(try await risks(from: "https://alpha.example/old", to: here) == [])
  }
}
