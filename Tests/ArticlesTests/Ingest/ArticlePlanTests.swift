import Catalog
import CloudKitModel
import FeedParsing
import FeedState
import RecordChanges
import Testing

@testable import Articles

@Suite struct ArticlePlanTests {
  private static let now = Timestamp(milliseconds: 1_772_452_800_000)
  private static let us = "_us"

  /// - Parameter level: the content level of the feed's articles.
  private func document(
    _ items: [TestItem], undated: [Int64] = [], level: ArticleOptions.Content = .excerpt,
    options: ArticleOptions = ArticleOptions(), cutBy bytesLost: Int = 0
  ) -> ArticleDocument {
    var limits = FeedLimits()
    limits.keepsArticles = true
    var metadata = FeedMetadata(feed: "a")
    metadata.undatedItems = undated
    metadata.articlesValidator = ArticleCoverage.uncovered(content: level.rawValue)
    let bytes = Array(TestItem.document(items).utf8.dropLast(bytesLost))
    return ArticleDocument(
      FeedParser.parse(bytes, limits: limits),
      ArticleBody(bytes, from: [], of: metadata, options: options, at: Self.now), facts: nil, of: metadata,
      url: "http://a.example/feed", options: options, at: Self.now)
  }

  private func plan(
    _ document: ArticleDocument, _ found: [String: StoredArticles.Match] = [:], room: Int = .max,
    options: ArticleOptions = ArticleOptions(), author: RunAuthor? = nil
  ) -> ArticlePlan {
    var plan = ArticlePlan(
      options: options, owner: ArticleOwner(author: author, keys: author.map { _ in Set() }), at: Self.now,
      room: room)
    plan.add(document, found)
    return plan
  }

  /// A stored article.
  private func record(hash: String?, fetched age: Duration? = nil, by user: String = us) -> Record {
    var record = Record(recordType: "PublicArticle", recordName: "r", fields: [:])
    record.fields["contentHash"] = hash.map(FieldValue.string)
    record.fields["fetchedAt"] = age.map {
      .timestamp(Timestamp(milliseconds: Self.now.milliseconds - $0.components.seconds * 1000))
    }
    record.created = RecordStamp(timestamp: Self.now, userRecordName: user, deviceID: "")
    record.changeTag = "t"
    return record
  }

  @Test("new items are created while there is room")
  func room() {
    let items = TestItem.list(["1", "2", "3"])
    for room in 0...4 {
      let plan = plan(document(items), room: room)
      let created = min(room, 3)
      #expect(
        plan.counts.new == created && plan.counts.leftForNextRun == 3 - created
          && plan.changes.count == created)
      #expect(plan.documents["a"]?.isComplete == (created == 3) && plan.documents["a"]?.isWritten == true)
      #expect(plan.changes.allSatisfy { $0.action == .create && $0.recordType == "PublicArticle" })
    }
  }

  @Test("of a cut document the whole items are stored, and the feed does not count as covered by it")
  func cut() {
    let whole = document(TestItem.list(["1", "2"]))
    for lost in 1...60 {
      let document = document(TestItem.list(["1", "2"]), level: .full, cutBy: lost)
      let plan = plan(document)
      #expect(document.drafts.map(\.guid) == whole.drafts.prefix(document.drafts.count).map(\.guid))
      #expect(plan.documents["a"]?.isComplete == false && plan.counts.new == document.drafts.count)
      var next = FeedMetadata(feed: "a")
      let previous = document.isOtherLevel ? ArticleCoverage.uncovered(content: "full") : nil
      var before = next
      before.articlesValidator = previous
      plan.documents["a"]?.record(in: &next, after: before, keepsCoverage: true, ArticleOptions())
      #expect(next.articlesValidator == ArticleCoverage.uncovered(content: "full"), "the former level stays")
    }
  }

  /// The outcome for the only item, whose stored article is given.
  private func outcome(
    _ record: Record, room: Int = .max, options: ArticleOptions = ArticleOptions(), by user: String? = nil
  ) -> (counts: ArticleCounts, actions: [RecordChange.Action], isComplete: Bool?) {
    let author = RunAuthor(user.map { RecordStamp(timestamp: Self.now, userRecordName: $0, deviceID: "") })
    let plan = plan(
      document(TestItem.list(["1"]), options: options), ["1": .record(record)], room: room, options: options,
      author: author)
    return (plan.counts, plan.changes.map(\.action), plan.documents["a"]?.isComplete)
  }

  private static let hash = ArticleIdentity.contentHash(
    title: "Title 1", url: "http://a.example/1", text: "text")

  @Test("a stored article with the same hash, or with one of other rules, is the same")
  func same() {
    for hash in [Self.hash, "2:abc", "10:", "0:\(Self.hash)"] {
      let (counts, actions, isComplete) = outcome(record(hash: hash))
      #expect(counts.same == 1 && counts.changed == 0 && actions == [] && isComplete == true, "\(hash)")
    }
    for hash in [nil, "", "abc", ":abc", "x2:abc", String(Self.hash.dropLast())] {
      let (counts, actions, isComplete) = outcome(record(hash: hash))
      #expect(
        counts.same == 0 && counts.changed == 1 && actions == [.update] && isComplete == true,
        "\(hash ?? "none")")
    }
  }

  @Test("a changed article is written a day after it was fetched, and its document comes back until then")
  func changed() {
    for (age, isWritten) in [(nil, true), (0, false), (86_399, false), (86_400, true), (86_401, true)]
      as [(Int64?, Bool)]
    {
      let (counts, actions, isComplete) = outcome(
        record(hash: "x", fetched: age.map { .seconds($0) }), room: 0)
      #expect(
        counts.changed == 1 && actions == (isWritten ? [.update] : []) && isComplete == isWritten,
        "\(age ?? -1)")
    }
  }

  @Test(
    "a changed article of another user is made again while there is room, and updated where that user is a program"
  )
  func replaced() {
    let foreign = record(hash: "x", by: "_other")
    let (counts, actions, isComplete) = outcome(foreign, by: Self.us)
    #expect(
      counts.replaced == 1 && counts.changed == 0 && actions == [.delete, .create] && isComplete == true)
    let none = outcome(foreign, room: 0, by: Self.us)
    #expect(
      none.counts.leftForNextRun == 1 && none.counts.replaced == 0 && none.actions == []
        && none.isComplete == false)
    #expect(outcome(record(hash: "x"), by: Self.us).actions == [.update])
    #expect(outcome(foreign).actions == [.update])
    #expect(
      outcome(foreign, options: ArticleOptions(mapping: .celestraCloud), by: Self.us).actions == [.update])
    #expect(outcome(record(hash: Self.hash, by: "_other"), by: Self.us).counts.same == 1)
  }

  @Test(
    "content that is stored under another guid is not stored again, and an undated item that was purged neither"
  )
  func others() {
    let rekeyed = plan(
      document(TestItem.list(["1"])), ["1": .otherGuid(record(hash: Self.hash), hasEqualContent: true)])
    #expect(
      rekeyed.counts.rekeyed == 1 && rekeyed.changes.isEmpty && rekeyed.documents["a"]?.isComplete == true)
    let undated = [
      TestItem(guid: "1", title: "T", age: nil), TestItem(guid: "2", title: "T", age: -1),
      TestItem(guid: "3", title: "T"),
    ]
    let digests = ["1", "2", "3"].map {
      ArticleIdentity.digest(of: CatalogRecordNames.article(feed: "a", guid: $0))
    }
    let first = plan(document(undated))
    #expect(first.counts.new == 3 && first.documents["a"]?.undated.prefix(2) == digests.prefix(2))
    let again = plan(document(undated, undated: digests))
    #expect(
      again.counts.undated == 2 && again.counts.new == 1
        && again.documents["a"]?.undated.prefix(2) == digests.prefix(2))
    let full = plan(document(undated), room: 0)
    #expect(full.counts.leftForNextRun == 3 && full.documents["a"]?.undated == [])
  }

  @Test(
    "an article of another level is written again, even on the day of its last change, unless it is another user's"
  )
  func otherLevel() throws {
    for hash in [Self.hash, "x"] {
      let stored = record(hash: hash, fetched: .seconds(1))
      for (level, user, actions) in [
        (.full, Self.us, [.update]), (.excerpt, Self.us, []),
        (.full, "_other", hash == "x" ? [.delete, .create] : []),
      ] as [(ArticleOptions.Content, String, [RecordChange.Action])] {
        let author = RunAuthor(RecordStamp(timestamp: Self.now, userRecordName: user, deviceID: ""))
        let plan = plan(
          document(TestItem.list(["1"]), level: level), ["1": .record(stored)], author: author)
        #expect(plan.changes.map(\.action) == actions, "\(hash) \(level) \(user)")
        #expect(plan.counts.changed == (user == Self.us && (level == .full || hash == "x") ? 1 : 0))
      }
    }
    let plan = plan(document(TestItem.list(["1"]), level: .full), ["1": .record(record(hash: Self.hash))])
    let fields = try #require(plan.changes.first).fields
    #expect(fields["content"] == FieldChange(to: nil) && fields["fetchedAt"] != nil)
    #expect(fields["expiresAt"] == nil && fields["publishedDate"] == nil)
  }

  @Test("an article under another guid keeps that guid when its level changes")
  func otherLevelAndGuid() throws {
    var stored = record(hash: Self.hash)
    stored.fields["guid"] = .string("former")
    let plan = plan(
      document(TestItem.list(["1"]), level: .full), ["1": .otherGuid(stored, hasEqualContent: true)])
    let change = try #require(plan.changes.first)
    #expect(change.action == .update && change.recordName == "r" && plan.counts.changed == 1)
    #expect(change.fields["guid"] == FieldChange(to: .string("former")))
    let author = RunAuthor(RecordStamp(timestamp: Self.now, userRecordName: "_other", deviceID: ""))
    let foreign = self.plan(
      document(TestItem.list(["1"]), level: .full), ["1": .otherGuid(stored, hasEqualContent: true)],
      author: author)
    #expect(foreign.counts.rekeyed == 1 && foreign.changes.isEmpty)
  }

  @Test("a created article has its feed, its dates and its expiry")
  func created() throws {
    var options = ArticleOptions()
    options.lifetime = .seconds(10)
    let items = [TestItem(guid: "1", title: "T", age: 1), TestItem(guid: "2", title: "T", age: nil)]
    let change = try #require(plan(document([items[1]], options: options), options: options).changes.first)
    #expect(change.fields["publishedDate"] == FieldChange(to: .timestamp(Self.now)))
    #expect(change.fields["expiresAt"] == FieldChange(to: .timestamp(Self.now + .seconds(10))))
    #expect(change.fields["feedReference"] == FieldChange(to: .reference(Reference("a"))))
    let dated = try #require(plan(document([items[0]])).changes.first)
    #expect(dated.fields["publishedDate"] == FieldChange(to: .timestamp(Self.now + .seconds(-86_400))))
    #expect(dated.fields["expiresAt"] == FieldChange(to: .timestamp(Self.now + .seconds(90 * 86_400))))
  }

  @Test("items are skipped for their age, their ids and their repetition, and explained on request")
  func skipped() {
    var options = ArticleOptions()
    options.lifetime = .seconds(86_400)
    options.explains = true
    let items = [
      TestItem(guid: "1", age: 1), TestItem(guid: "2", age: 1.001), TestItem(guid: "1", age: 0.5),
      TestItem(text: "", age: 0.2), TestItem(guid: "3", age: -5),
    ]
    let plan = plan(document(items, options: options), options: options)
    #expect(plan.counts.listed == 5 && plan.counts.new == 2 && plan.counts.tooOld == 1)
    #expect(plan.counts.repeated == 1 && plan.counts.noIdentity == 1)
    #expect(plan.decisions.map(\.name) == ["2", "1", "(no id)", "1", "3"])
    options.explains = false
    #expect(self.plan(document(items, options: options), options: options).decisions.isEmpty)
  }

  @Test(
    "a document stays open when an article is missing that can still be stored",
    arguments: [
      (.applied, 1, 0, true), (.alreadyApplied, 1, 0, true), (.notAttempted, 0, 0, false),
      (.unknown, 0, 1, false),
      (.conflict("x"), 0, 1, false), (.failed(ServerError(.badRequest, "")), 0, 1, true),
      (.failed(ServerError(.requestTooLarge, "")), 0, 1, true),
      (.failed(ServerError(.quotaExceeded, "")), 0, 1, false),
    ] as [(ChangeReport.Outcome, Int, Int, Bool)])
  func settled(outcome: ChangeReport.Outcome, written: Int, failed: Int, isComplete: Bool) {
    var plan = plan(document(TestItem.list(["1"])))
    plan.settle(ChangeReport(results: plan.changes.map { ($0, outcome) }))
    #expect(plan.counts.written == written && plan.counts.failed == failed)
    #expect(plan.documents["a"]?.isComplete == isComplete && plan.documents["a"]?.isWritten == isComplete)
  }

  @Test(
    "deletions are not counted as written; an interruption leaves every document open, and a dry run none")
  func unsettled() {
    let stored = ["1": StoredArticles.Match.record(record(hash: "x", by: "_other"))]
    let author = RunAuthor(RecordStamp(timestamp: Self.now, userRecordName: Self.us, deviceID: ""))
    func settled(isDryRun: Bool, isInterrupted: Bool) -> ArticlePlan {
      var plan = plan(document(TestItem.list(["1"])), stored, author: author)
      let results = isDryRun ? [] : plan.changes.map { (change: $0, outcome: ChangeReport.Outcome.applied) }
      plan.settle(
        ChangeReport(results: results, interruption: isInterrupted ? ServerError(.internalError, "") : nil))
      return plan
    }
    #expect(settled(isDryRun: false, isInterrupted: false).counts.written == 1)
    #expect(settled(isDryRun: false, isInterrupted: false).documents["a"]?.isComplete == true)
    #expect(settled(isDryRun: true, isInterrupted: false).documents["a"]?.isComplete == true)
    #expect(settled(isDryRun: false, isInterrupted: true).documents["a"]?.isComplete == false)
    #expect(settled(isDryRun: false, isInterrupted: true).documents["a"]?.isWritten == false)
  }
}
