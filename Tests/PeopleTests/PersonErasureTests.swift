import Catalog
import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import Testing

@testable import People

@Suite struct PersonErasureTests {
  private func world(_ change: (String) -> String = { $0 }) async throws -> PeopleWorld {
    let world = try await PeopleWorld(change(PeopleWorld.schema))
    try await world.write(nil, ("PublicFeed", "feed", ["title": .string("Feed")]))
    try await world.write(
      PeopleWorld.jane, world.subscription("feed", of: PeopleWorld.jane),
      ("LiveSession", "party", ["hostId": .string(PeopleWorld.jane), "title": .string("Party")]),
      ("ChatMessage", "hello", ["sessionId": .string("party")]))
    try await world.write(
      PeopleWorld.bob, world.subscription("feed", of: PeopleWorld.bob),
      ("ChatMessage", "reply", ["sessionId": .string("party")]),
      ("ChatMessage", "about-her", ["userId": .string(PeopleWorld.jane)]))
    return world
  }

  private func count(_ result: PersonErasureResult, _ type: String) throws -> PersonErasureResult.TypeCount {
    try #require(result.types.first { $0.plan.recordType == type })
  }

  @Test("erases what is the person's, and nothing of others")
  func erases() async throws {
    let world = try await world()
    let result = try await world.erase()
    #expect(result.status == .done && result.foundCount == 4)
    #expect(try count(result, "ChatMessage").ofOthers == 1)
    #expect(try await world.names("ChatMessage") == ["reply"])
    #expect(try await world.names("LiveSession") == [])
    #expect(
      try await world.names("FeedSubscription") == [
        CatalogRecordNames.subscription(feed: "feed", user: PeopleWorld.bob)
      ])
    #expect(try await world.names("PublicFeed") == ["feed"])
  }

  @Test("a plan writes nothing, and names the mirrors that may keep what is erased")
  func plan() async throws {
    let world = try await world()
    var plan = try await world.erasure(in: ReadOnlyContainer(world.container)).plan()
    #expect(plan.status == .done && plan.foundCount == 4)
    // A mirror without any type of a person keeps nothing of one; one that cannot be read may.
    plan.mirrors = [("feeds.db", ["Other"]), ("all.db", ["ChatMessage", "Other"]), ("gone.db", nil)]
    let copies = plan.json["copies"]?.text() ?? ""
    #expect(!copies.contains("feeds.db") && copies.contains("mirror all.db, with ChatMessage: renew"))
    #expect(copies.contains("mirror gone.db: renew"))
    #expect(try await world.names("ChatMessage").count == 3)
  }

  @Test("a record of another person that refers with VALIDATE is named, and goes with --also")
  func referredTo() async throws {
    let world = try await world {
      $0.replacing("message STRING,", with: "answers REFERENCE QUERYABLE, message STRING,")
    }
    let link = FieldValue.reference(Reference("hello", action: .validate))
    try await world.write(PeopleWorld.bob, ("ChatMessage", "answer", ["answers": link]))
    let plan = try await world.erasure().plan()
    #expect(plan.text().description.contains("what 'answers' of 1 ChatMessage record refers to"))
    #expect(plan.text().description.contains("would erase 3 of 4 records"))
    let result = try await world.erase()
    #expect(result.status == .partial && result.failure?.hint?.contains("--also answers=NAME") == true)
    var options = PersonErasure.Options()
    options.pseudonyms = [try #require(PseudonymCondition("answers=hello"))]
    #expect(try await world.erase(options).status == .done)
    #expect(try await world.names("ChatMessage") == ["reply"])
  }

  private static func declaration(messagesIn type: String?) throws -> ModerationDeclaration {
    let thread = type.map { #", "thread": {"field": "sessionId", "recordType": "\#($0)", "sort": "sentAt"}"# }
    return try ModerationDeclaration(
      validating: SourceText(
        name: "moderation.json",
        #"{"types": [{"recordType": "ChatMessage", "hiddenField": "isHidden"\#(thread ?? "")}]}"#))
  }

  private func expectRefusal(of options: PersonErasure.Options, in world: PeopleWorld) async throws {
    await #expect {
      try await world.erase(options)
    } throws: {
      ($0 as? CommandFailure)?.code == "sessions-not-declared"
    }
  }

  @Test(
    "sessions stay as asked, without the fields that name their host; those that are not declared are not lost"
  )
  func keptSessions() async throws {
    let world = try await world()
    var options = PersonErasure.Options()
    for type in [nil, "Room"] {
      options.sessions = try Self.declaration(messagesIn: type)
      try await expectRefusal(of: options, in: world)
    }
    #expect(try await world.names("LiveSession") == ["party"])
    options.sessions = try Self.declaration(messagesIn: "LiveSession")
    let result = try await world.erase(options)
    #expect(result.status == .done)
    let sessions = try count(result, "LiveSession")
    #expect(sessions.kept == 1 && sessions.erased == 0 && sessions.left == 0)
    let session = try #require(try await world.container.lookup(LookupRequest(["party"]))[0].record)
    #expect(session["hostId"] == nil && session["title"] == .string("Party"))
    // A second run finds it again by its creator, and has nothing to write.
    let again = try await world.erase(options)
    #expect(again.status == .done && again.changes.isEmpty)
    #expect(try count(again, "LiveSession").kept == 1)
    try await world.write(PeopleWorld.jane, ("LiveSession", "room", ["hostId": .string("p-jane")]))
    let unclear = try await world.erase(options)
    #expect(unclear.status == .partial && unclear.json["complete"] == false)
    #expect(
      unclear.text(.plain).description.contains(
        "kept, and may still name this person: hostId of 1 LiveSession"))
    #expect(unclear.failure?.hint?.contains("--also hostId=NAME") == true)
    #expect(try count(unclear, "LiveSession").left == 1)
    options.pseudonyms = [try #require(PseudonymCondition("hostId=p-jane"))]
    #expect(try await world.erase(options).text().description.contains("cleared hostId of 1 LiveSession"))
  }

  @Test("the second look erases what an index shows only later")
  func secondLook() async throws {
    let world = try await world()
    var options = PersonErasure.Options()
    options.settle = .seconds(120)
    let result = try await world.erase(options) { time in
      #expect(time == .seconds(120))
      try await world.write(PeopleWorld.jane, ("ChatMessage", "late", [:]))
    }
    #expect(result.status == .done)
    #expect(try count(result, "ChatMessage").erased == 3)
    #expect(try await world.names("ChatMessage") == ["reply"])
  }

  @Test("a record that an index still shows after its deletion is not left")
  func staleIndex() async throws {
    let world = try await world()
    let records = try await world.container.allRecords(Query("ChatMessage"))
    let container = FaultyContainer(world.container)
    let stale = StaleIndex(container, showing: records.filter { $0.recordName == "hello" })
    let result = try await world.erase(in: stale)
    #expect(result.status == .done)
    #expect(try count(result, "ChatMessage").erased == 2)
  }

  @Test("a record that a lost deletion leaves there is deleted by the second look")
  func lostDeletion() async throws {
    let world = try await world()
    // The service reports success without doing it.
    let container = FaultyContainer(
      world.container, writes: [.eachRecord(ServerError(.notFound, "Record not found"))])
    let result = try await world.erase(in: container)
    #expect(result.status == .done)
    #expect(try await world.names("ChatMessage") == ["reply"])
  }

  @Test("a key without WRITE is reported by type, without a record's name")
  func denied() async throws {
    var world = try await world()
    world.roles = .named(["Editor"])
    let result = try await world.erase()
    let failure = try #require(result.failure)
    #expect(failure.status == .partial && failure.code == "not-permitted")
    #expect(failure.details.contains("FeedSubscription: 1 left (ACCESS_DENIED)"))
    let text = "\(failure.body.text())\(result.text(.plain))\(result.json.text())"
    for name in result.changes.map(\.recordName) + [PeopleWorld.jane] { #expect(!text.contains(name)) }
    #expect(try await world.names("ChatMessage").count == 3)
  }

  @Test("what is left after some deletions ends with 5, and the next run finishes it")
  func partial() async throws {
    let world = try await world()
    let busy = FaultyContainer(world.container) { request in
      guard case .modify(let operations) = request, operations.contains(where: { $0.recordName == "party" })
      else { return nil }
      return .refuse(ServerError(.internalError, "cannot delete party"))
    }
    let result = try await world.erase(in: busy)
    #expect(result.status != .done && result.failure.map { !$0.message.contains("party") } == true)
    #expect(try await world.names("LiveSession") == ["party"])
    let rest = try await world.erase()
    #expect(rest.status == .done)
    #expect(try await world.names("LiveSession").isEmpty)
  }

  @Test("a run that is stopped while it waits says how much is erased")
  func interrupted() async throws {
    let world = try await world()
    let result = try await world.erase { _ in throw CancellationError() }
    let failure = try #require(result.failure)
    #expect(failure.code == "interrupted")
    #expect(failure.message.contains("4 of 4 records erased; only the second look is missing"))
    #expect(result.json["complete"] == .bool(false))
  }

  @Test("a person without records and without a user record is unknown when every type was searched")
  func unknown() async throws {
    let world = try await world()
    let stranger = try world.erasure(of: "_33333333333333333333333333333333")
    let error = try await #require(throws: CommandFailure.self) { try await stranger.plan() }
    #expect(error.code == "unknown-person" && !error.message.contains("_3333"))
    try await world.container(.init(userRecordName: "_33333333333333333333333333333333")).signIn()
    #expect(try await stranger.plan().foundCount == 0)
    let unindexed = try await self.world {
      $0.replacing("( \"___recordID\" REFERENCE QUERYABLE, \"___createdBy\" REFERENCE QUERYABLE,", with: "(")
    }
    let unsearched = try await unindexed.erasure(of: "_33333333333333333333333333333333").plan()
    #expect(unsearched.status == .findings && unsearched.failure?.code == "not-searched")
  }

  @Test("records of others that go with the person's are counted and are a risk")
  func cascades() async throws {
    let world = try await world {
      $0.replacing("message STRING,", with: "message STRING, about REFERENCE QUERYABLE,")
    }
    try await world.write(
      PeopleWorld.bob,
      ("ChatMessage", "like", ["about": .reference(Reference("hello", action: .deleteSelf))]))
    let plan = try await world.erasure().plan()
    #expect(plan.cascades == 1 && plan.foundCount == 4)
    var options = PersonErasure.Options()
    options.sessions = try Self.declaration(messagesIn: "LiveSession")
    try await expectRefusal(of: options, in: world)
    #expect(try await world.erase().status == .done)
    #expect(try await world.names("ChatMessage") == ["reply"])
  }
}

/// A container whose index still shows deleted records.
private struct StaleIndex: ContainerDouble {
  let base: any Container
  let shown: [Record]

  init(_ base: any Container, showing shown: [Record]) {
    self.base = base
    self.shown = shown
  }

  var identity: ContainerIdentity { base.identity }
  var clock: ContainerClock { base.clock }
  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] { try await base.lookup(request) }
  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await base.modify(operations)
  }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    var page = try await base.query(request)
    guard let type = shown.first?.recordType, request.query.recordType == type,
      request.query.filters.first?.field == "___createdBy",
      request.query.filters.first?.value.reference?.recordName == PeopleWorld.jane
    else { return page }
    let known = Set(page.records.map(\.recordName))
    page.records += shown.filter { !known.contains($0.recordName) }
    return page
  }
}
