import CloudKitModel
import Diagnostics
import Testing

@testable import Catalog

/// Rules that judge single records, each asked by itself.
@Suite("Rules of sessions, articles and feeds") struct SessionRulesTests {
  private func record(_ type: String, _ name: String, _ fields: [String: FieldValue]) -> Record {
    Record(recordType: type, recordName: name, fields: fields)
  }

  private func time(_ milliseconds: Int64) -> FieldValue { .timestamp(Timestamp(milliseconds: milliseconds)) }

  private func messages(_ rule: some VerificationRule, _ records: [Record]) async throws -> [String] {
    var rule = rule
    for record in records { rule.visit(record) }
    return try await rule.findings(RecordExistenceCheck(container: MemoryContainer())).map(\.message)
  }

  @Test("times are impossible only when the end is before the start")
  func times() async throws {
    func messages(_ start: Int64?, _ end: Int64?) async throws -> [String] {
      func fields(_ names: (String, String)) -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        fields[names.0] = start.map(time)
        fields[names.1] = end.map(time)
        return fields
      }
      return try await self.messages(
        SessionTimesRule(),
        [
          record("LiveSession", "s", fields(("startTime", "endTime"))),
          record("LiveSessionParticipant", "p", fields(("joinedAt", "leftAt"))),
          record("ChatMessage", "m", fields(("startTime", "endTime"))),
        ])
    }
    #expect(
      try await messages(2, 1) == [
        "endTime is before startTime in 1 LiveSession record (s)",
        "leftAt is before joinedAt in 1 LiveSessionParticipant record",
      ])
    #expect(try await messages(1, 1).isEmpty)
    #expect(try await messages(1, 2).isEmpty)
    #expect(try await messages(nil, 1).isEmpty)
    #expect(try await messages(2, nil).isEmpty)
  }

  @Test("an active session is over when its end is before now")
  func ends() async throws {
    func isFound(_ end: Int64, isActive: Bool = true, type: String = "LiveSession") async throws -> Bool {
      let session = record(type, "s", ["endTime": time(end), "isActive": .flag(isActive)])
      return try await !messages(SessionEndRule(now: Timestamp(milliseconds: 100)), [session]).isEmpty
    }
    #expect(try await isFound(99))
    #expect(try await !isFound(100))
    #expect(try await !isFound(101))
    #expect(try await !isFound(99, isActive: false))
    #expect(try await !isFound(99, type: "Note"))
  }

  @Test("a session is full with as many active participants as its limit, and without a limit never")
  func capacity() async throws {
    func messages(_ limit: Int64?, active: Int, others: Int = 0) async throws -> [String] {
      let session = record("LiveSession", "s", limit.map { ["maxParticipants": .int64($0)] } ?? [:])
      let people = (0..<active + others).map { index in
        record(
          "LiveSessionParticipant", "p\(index)",
          ["sessionId": .string("s"), "isActive": .flag(index < active)])
      }
      return try await self.messages(SessionCapacityRule(), [session] + people)
    }
    #expect(try await messages(2, active: 3) == ["session s has 3 active participants; its limit is 2"])
    #expect(try await messages(2, active: 2).isEmpty)
    #expect(try await messages(2, active: 2, others: 5).isEmpty)
    #expect(try await messages(0, active: 1).isEmpty)
    #expect(try await messages(1, active: 2) == ["session s has 2 active participants; its limit is 1"])
    #expect(try await messages(nil, active: 9).isEmpty)
    #expect(try await messages(1, active: 0).isEmpty)
  }

  @Test("a private session is a finding, and so are its messages")
  func privateSessions() async throws {
    func messages(_ isPrivate: Bool?, messages count: Int) async throws -> [String] {
      let session = record("LiveSession", "s", isPrivate.map { ["isPrivate": .flag($0)] } ?? [:])
      let chat = (0..<count).map { record("ChatMessage", "m\($0)", ["sessionId": .string("s")]) }
      return try await self.messages(
        PrivateSessionRule(), [session] + chat + [record("ChatMessage", "x", [:])])
    }
    let finding = "session s is marked private, and everyone signed in can read it"
    #expect(try await messages(true, messages: 0) == [finding])
    #expect(
      try await messages(true, messages: 2) == [
        finding, "2 ChatMessage records of the private session s can be read by everyone signed in",
      ])
    #expect(try await messages(false, messages: 2).isEmpty)
    #expect(try await messages(nil, messages: 2).isEmpty)
  }

  @Test("an article is judged by its expiry, its date and its guid, with a day's or a week's grace")
  func articles() async throws {
    let day: Int64 = 86_400_000
    let now = 1000 * day
    func messages(_ fields: [String: FieldValue], _ more: [String: FieldValue]? = nil) async throws
      -> [String]
    {
      try await self.messages(
        StoredArticleRule(
          recordType: "PublicArticle", feedField: "feedReference", now: Timestamp(milliseconds: now)),
        [record("PublicArticle", "a", fields), record("Note", "n", [:])]
          + (more.map { [record("PublicArticle", "b", $0)] } ?? [])
      ).map {
        $0.replacing("1 PublicArticle record (a) ", with: "").replacing(
          "1 PublicArticle record (b) ", with: "b ")
      }
    }
    let expired = "expired more than 7 days ago"
    let unlimited = "have no expiry, or one more than a year ahead"
    let future = "were published more than a day ahead of now"
    #expect(try await messages([:]) == [unlimited])
    #expect(try await messages(["expiresAt": time(now)]).isEmpty)
    #expect(try await messages(["expiresTimestamp": time(now)]).isEmpty)
    #expect(try await messages(["expiresAt": time(now - 7 * day)]).isEmpty)
    #expect(try await messages(["expiresAt": time(now - 7 * day - 1)]) == [expired])
    #expect(try await messages(["expiresAt": time(now + 366 * day)]).isEmpty)
    #expect(try await messages(["expiresAt": time(now + 366 * day + 1)]) == [unlimited])
    #expect(try await messages(["expiresAt": time(now), "publishedDate": time(now + day)]).isEmpty)
    #expect(
      try await messages(["expiresAt": time(now), "publishedTimestamp": time(now + day + 1)]) == [future])
    func article(_ feed: FieldValue?, _ guid: String?) -> [String: FieldValue] {
      var fields = ["expiresAt": time(now)]
      fields["feedReference"] = feed
      fields["guid"] = guid.map(FieldValue.string)
      return fields
    }
    let (one, other) = (FieldValue.reference(Reference("f")), FieldValue.reference(Reference("g")))
    let twice = "b repeat the guid of another article of their feed"
    #expect(try await messages(article(one, "x"), article(one, "x")) == [twice])
    #expect(try await messages(article(one, "x"), article(.string("f"), "x")) == [twice])
    #expect(try await messages(article(one, "x"), article(other, "x")).isEmpty)
    #expect(try await messages(article(one, "x"), article(one, "y")).isEmpty)
    #expect(try await messages(article(one, nil), article(one, nil)).isEmpty)
    #expect(try await messages(article(nil, "x"), article(nil, "x")).isEmpty)
  }

  @Test(
    "of feeds with one address, the one with most readers is kept, and only unread ones are to be deleted")
  func readers() async throws {
    func help(_ readers: Int64?...) async throws -> [String?] {
      var rule = UniqueFeedURLRule(recordType: "PublicFeed")
      for (index, count) in readers.enumerated() {
        var fields: [String: FieldValue] = ["feedURL": .string("https://a.example/")]
        fields["subscriberCount"] = count.map(FieldValue.int64)
        rule.visit(record("PublicFeed", "f\(index)", fields))
      }
      rule.visit(record("Feed", "g", ["feedURL": .string("https://a.example/")]))
      return rule.findings(RecordExistenceCheck(container: MemoryContainer())).map(\.help)
    }
    #expect(try await help(1).isEmpty)
    #expect(
      try await help(0, 1) == [
        "keep f1 with 1 reader, and after a recount delete those without readers: celestra-admin records delete f0"
      ])
    #expect(
      try await help(nil, nil, nil) == [
        "keep f0 with 0 readers, and after a recount delete those without readers: celestra-admin records delete f1 f2"
      ])
    let undecided = "and give the others \"replacedBy\" in the seeds: celestra-admin seed duplicates"
    #expect(try await help(1, 2, 0) == ["keep f1 with 2 readers, \(undecided)"])
    #expect(try await help(2, 2) == ["keep f0 with 2 readers, \(undecided)"])
  }

  @Test("of feeds with one slug, the one with most readers keeps it")
  func slugs() async throws {
    var rule = UniqueFeedSlugRule()
    rule.visit(record("PublicFeed", "a", ["slug": .string("s"), "subscriberCount": .int64(1)]))
    rule.visit(record("PublicFeed", "b", ["slug": .string("s"), "subscriberCount": .int64(2)]))
    rule.visit(record("PublicFeed", "c", ["slug": .string("t")]))
    rule.visit(record("Feed", "d", ["slug": .string("t")]))
    let found = rule.findings(RecordExistenceCheck(container: MemoryContainer()))
    #expect(found.map(\.message) == ["2 feed records have the slug 's': a, b"])
    #expect(
      found.first?.help?.hasSuffix("celestra-admin records update PublicFeed a --set slug=null") == true)
  }

  @Test(
    "metadata of one feed is one record, a collection lists a feed once, and subscriptions have digests as names"
  )
  func single() async throws {
    func metadata(_ name: String, _ feed: String, _ type: String = "FeedMetadata") -> Record {
      record(type, name, ["feedReference": .reference(Reference(feed))])
    }
    #expect(
      try await messages(UniqueMetadataRule(), [metadata("b", "f"), metadata("a", "f"), metadata("c", "g")])
        == ["feed f has 2 FeedMetadata records: a, b"])
    #expect(
      try await messages(UniqueMetadataRule(), [metadata("b", "f"), metadata("a", "f", "Note")]).isEmpty)
    #expect(
      try await messages(
        RepeatedFeedRule(),
        [
          record("FeedCollection", "c", ["feeds": .references(["b", "a", "b", "a", "x"])]),
          record("FeedCollection", "d", ["feeds": .references(["b", "a"])]),
          record("Note", "n", ["feeds": .references(["b", "b"])]),
        ]) == ["collection c lists a, b more than once"])
    let digest = String(repeating: "0a", count: 32)
    func subscriptions(_ names: String...) async throws -> [String] {
      try await messages(
        SubscriptionNameRule(), names.map { record("FeedSubscription", $0, [:]) } + [record("Note", "x", [:])]
      )
    }
    #expect(try await subscriptions(digest).isEmpty)
    #expect(
      try await subscriptions(digest, "x") == [
        "the name of 1 FeedSubscription record is not 64 lowercase hexadecimal digits"
      ])
    #expect(
      try await subscriptions("y", "x") == [
        "the name of 2 FeedSubscription records is not 64 lowercase hexadecimal digits"
      ])
  }

  @Test(
    "three names are examples of any number",
    arguments: [(1, "1 T record (1)"), (3, "3 T records (1, 2, 3)"), (4, "4 T records (1, 2, 3, …)")])
  func samples(_ count: Int, _ text: String) {
    var sample = RecordNameSample()
    for number in 1...count { sample.add("\(number)") }
    #expect(sample.text(of: "T") == text)
  }
}
