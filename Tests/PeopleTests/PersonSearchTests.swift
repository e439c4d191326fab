import Catalog
import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import Testing

@testable import People

@Suite struct PersonSearchTests {
  private func world(_ change: (String) -> String = { $0 }) async throws -> PeopleWorld {
    let world = try await PeopleWorld(change(PeopleWorld.schema))
    try await world.write(
      nil, ("PublicFeed", "feed", ["title": .string("Feed")]), ("PublicFeed", "other", [:]))
    return world
  }

  @Test("finds what the person created, what is named after them, and what names them")
  func finds() async throws {
    let world = try await world()
    try await world.write(
      PeopleWorld.jane, world.subscription("feed", of: PeopleWorld.jane),
      ("FeedSubscription", "made-up-name", [:]), ("ChatMessage", "hers", ["userId": .string("pseudonym")]))
    // An import wrote it again, so the key is its creator.
    try await world.write(nil, world.subscription("other", of: PeopleWorld.jane))
    try await world.write(
      PeopleWorld.bob, world.subscription("feed", of: PeopleWorld.bob),
      ("ChatMessage", "about-her", ["userId": .string(PeopleWorld.jane)]),
      ("ChatMessage", "his", ["userId": .string("other"), "message": .string(PeopleWorld.jane)]))
    let found = try await world.found()
    #expect(
      found == [
        "FeedSubscription": [
          "made-up-name", CatalogRecordNames.subscription(feed: "feed", user: PeopleWorld.jane),
          CatalogRecordNames.subscription(feed: "other", user: PeopleWorld.jane),
        ], "ChatMessage": ["hers", "about-her"], "LiveSession": [],
      ])
  }

  @Test("a pseudonym finds records in the field it is given for, and in no other")
  func pseudonyms() async throws {
    let world = try await world()
    try await world.write(
      nil, ("ChatMessage", "restored", ["userId": .string("mouse")]),
      ("ChatMessage", "talk", ["userId": .string("cat"), "sessionId": .string("mouse")]))
    let mouse = try #require(PseudonymCondition("userId=mouse"))
    #expect(try await world.found(in: nil, [mouse])["ChatMessage"] == ["restored"])
    for (text, hint) in [("userID=mouse", "Did you mean 'userId'?"), ("slug=mouse", nil)] {
      let condition = try #require(PseudonymCondition(text))
      let error = try await #require(throws: CommandFailure.self) { try await world.plan(nil, [condition]) }
      #expect(error.status == .usage && error.hint == hint && !error.message.contains("mouse"))
    }
  }

  @Test("without an index of creators all records are read; without any, only derived names are looked up")
  func ways() async throws {
    let noCreator = try await world { $0.replacing(", \"___createdBy\" REFERENCE QUERYABLE", with: "") }
    try await noCreator.write(
      PeopleWorld.jane, noCreator.subscription("feed", of: PeopleWorld.jane),
      ("FeedSubscription", "odd", [:]),
      ("ChatMessage", "hers", [:]))
    try await noCreator.write(PeopleWorld.bob, ("ChatMessage", "his", [:]))
    #expect(try await noCreator.way("ChatMessage")?.method == .scan)
    #expect(try await noCreator.plan().isComplete)
    #expect(try await noCreator.found()["ChatMessage"] == ["hers"])
    #expect(try await noCreator.found()["FeedSubscription"]?.count == 2)

    let none = try await world {
      $0.replacing("( \"___recordID\" REFERENCE QUERYABLE, \"___createdBy\" REFERENCE QUERYABLE,", with: "(")
    }
    try await none.write(
      PeopleWorld.jane, none.subscription("feed", of: PeopleWorld.jane), ("FeedSubscription", "odd", [:]),
      ("ChatMessage", "hers", [:]))
    #expect(try await none.way("ChatMessage")?.method == .not)
    #expect(try await none.way("FeedSubscription")?.method == .name)
    #expect(
      try await none.found()["FeedSubscription"] == [
        CatalogRecordNames.subscription(feed: "feed", user: PeopleWorld.jane)
      ])
    let failure = try #require(try await none.plan().types.searchFailure)
    #expect(failure.status == .findings && failure.details.count == 3)
    #expect(failure.details[0].contains("add \"___createdBy\" REFERENCE QUERYABLE"))
  }

  @Test("a field that names people and has no index needs a reading of all records")
  func unindexedField() async throws {
    let scanned = try await world { $0.replacing("userId STRING QUERYABLE", with: "userId STRING") }
    try await scanned.write(
      PeopleWorld.bob, ("ChatMessage", "about-her", ["userId": .string(PeopleWorld.jane)]))
    #expect(try await scanned.way("ChatMessage")?.method == .scan)
    #expect(try await scanned.found()["ChatMessage"] == ["about-her"])
    let partly = try await world {
      $0.replacing("userId STRING QUERYABLE", with: "userId STRING")
        .replacing("ChatMessage ( \"___recordID\" REFERENCE QUERYABLE,", with: "ChatMessage (")
    }
    #expect(try await partly.way("ChatMessage")?.method == .index)
    #expect(try await partly.way("ChatMessage")?.problem == .unindexedFields(["userId"]))
  }

  @Test("the schema may promise an index that the environment does not have yet")
  func staleSchema() async throws {
    let world = try await world()
    let container = FaultyContainer(world.container) { request in
      guard case .query(let query) = request, !query.query.filters.isEmpty else { return nil }
      return .refuse(ServerError(.badRequest, "Field '___createdBy' is not marked queryable"))
    }
    #expect(try await world.way("ChatMessage", container)?.method == .scan)
  }

  @Test("a key that may read only its own subscriptions does not search them, whatever the empty answer says")
  func ownOnly() async throws {
    var world = try await world()
    try await world.write(PeopleWorld.jane, ("FeedSubscription", "odd", [:]))
    world.roles = .named([])
    #expect(try await world.way("FeedSubscription")?.problem == .perhapsOwnOnly)
    #expect(try await world.plan().types.searchFailure?.status == .findings)
    // A record that is named after the person exists, and may not be read.
    try await world.write(PeopleWorld.jane, world.subscription("feed", of: PeopleWorld.jane))
    #expect(try await world.found()["FeedSubscription"] == [])
    // With the role, the record of somebody else is the proof; and a role that alone may read another type is one, too.
    world.roles = .named(["Officer"])
    #expect(try await world.way("FeedSubscription")?.problem == nil)
    world.roles = .named(["Editor"])
    #expect(try await world.way("FeedSubscription")?.problem == nil)
    #expect(try await world.way("FeedSubscription")?.mayDelete == .unknown)
  }

  @Test("the person's own record is proof that the key reads records of others")
  func provenByFinding() async throws {
    var world = try await world()
    world.roles = .named(["Officer"])
    let container = FaultyContainer(world.container)
    #expect(try await world.way("FeedSubscription", container)?.problem == .perhapsOwnOnly)
    try await world.write(PeopleWorld.jane, world.subscription("feed", of: PeopleWorld.jane))
    let search = PersonSearch(container: container, person: try PeopleWorld.person(), pseudonyms: [])
    let found = try await search.run(try await world.plan(container))
    #expect(found[0].plan.problem == nil && found[0].records.count == 1)
  }

  @Test("a type that the key may not read is a missing permission")
  func denied() async throws {
    var world = try await world {
      $0.replacing("GRANT READ, WRITE TO \"_creator\", GRANT CREATE", with: "GRANT CREATE")
    }
    world.roles = .named([])
    #expect(try await world.way("FeedSubscription")?.problem == .denied)
    #expect(try await world.plan().types.searchFailure?.code == "not-permitted")
  }

  @Test("a type that the environment does not have has nothing to search")
  func absentType() async throws {
    let world = try await world()
    let container = FaultyContainer(world.container) { request in
      guard case .query(let query) = request, query.query.recordType == "ChatMessage" else { return nil }
      return .refuse(ServerError(.notFound, "could not find record_type with name 'ChatMessage'"))
    }
    #expect(try await world.way("ChatMessage", container) == nil)
  }

  @Test("an explanation of the service that repeats the person's name is not passed on")
  func redaction() async throws {
    let world = try await world()
    let plan = try await world.plan()
    let container = FaultyContainer(world.container) { request in
      guard case .query = request else { return nil }
      return .refuse(ServerError(.internalError, "cannot compare with \(PeopleWorld.jane)"))
    }
    let search = PersonSearch(container: container, person: try PeopleWorld.person(), pseudonyms: [])
    let error = try await #require(throws: ServerError.self) { try await search.run(plan) }
    #expect(error.reason == "cannot compare with [person]")
  }

  @Test("a key that may not read all records needs records of two users, or of another user than its own")
  func provenByCreators() async throws {
    var world = try await world()
    world.roles = .named(["Officer"])
    func problem(_ container: any Container) async throws -> TypeSearchPlan.Problem? {
      try await world.way("FeedSubscription", container)?.problem
    }
    // Behind the other container the key does not know its own name.
    let nameless = FaultyContainer(world.container)
    try await world.write("_operator", ("FeedSubscription", "own", [:]))
    #expect(try await problem(world.container) == .perhapsOwnOnly)
    #expect(try await problem(nameless) == .perhapsOwnOnly)
    try await world.write(PeopleWorld.bob, ("FeedSubscription", "his", [:]))
    #expect(try await problem(world.container) == nil)
    #expect(try await problem(nameless) == nil)
  }

  @Test("without an index of all records nothing proves that the key reads records of others")
  func unprovable() async throws {
    var world = try await world {
      $0.replacing("FeedSubscription ( \"___recordID\" REFERENCE QUERYABLE,", with: "FeedSubscription (")
    }
    try await world.write(PeopleWorld.bob, ("FeedSubscription", "his", [:]))
    world.roles = .named(["Officer"])
    let way = try await world.way("FeedSubscription", FaultyContainer(world.container))
    #expect(way?.method == .index && way?.problem == .perhapsOwnOnly)
  }

  @Test(
    "feeds that cannot be listed leave subscriptions unsearched by name",
    arguments: [(.badRequest, .noIndex), (.accessDenied, .denied), (.notFound, nil)]
      as [(ServerError.Code, TypeSearchPlan.Problem?)])
  func unlistedFeeds(code: ServerError.Code, problem: TypeSearchPlan.Problem?) async throws {
    let world = try await world()
    let plan = try await world.plan()
    let container = FaultyContainer(world.container) { request in
      guard case .query(let query) = request, query.query.recordType == "PublicFeed" else { return nil }
      return .refuse(ServerError(code, "refused"))
    }
    let search = PersonSearch(container: container, person: try PeopleWorld.person(), pseudonyms: [])
    let found = try await search.run(plan)
    #expect(found.map(\.plan.problem) == [problem, nil, nil])
  }

  @Test("a derived name that may not be read is a missing permission, and any other refusal ends the search")
  func refusedNames() async throws {
    let world = try await world()
    let plan = try await world.plan()
    func search(_ code: ServerError.Code) async throws -> [FoundInType] {
      let container = FaultyContainer(world.container) { request in
        guard case .lookup = request else { return nil }
        return .eachRecord(ServerError(code, "refused"))
      }
      return try await PersonSearch(container: container, person: try PeopleWorld.person(), pseudonyms: [])
        .run(plan)
    }
    #expect(try await search(.accessDenied).map(\.plan.problem) == [.denied, nil, nil])
    #expect(try await search(.notFound).map(\.plan.problem) == [nil, nil, nil])
    let error = try await #require(throws: ServerError.self) { try await search(.internalError) }
    #expect(error.code == .internalError)
  }

  @Test("a record of another type that has a derived name is not the person's")
  func nameOfAnotherType() async throws {
    let world = try await world()
    let name = CatalogRecordNames.subscription(feed: "feed", user: PeopleWorld.jane)
    try await world.write(nil, ("PublicFeed", name, [:]))
    #expect(try await world.found()["FeedSubscription"] == [])
  }

  @Test("a reference names a person as a text does")
  func references() async throws {
    let world = try await world { $0.replacing("userId STRING", with: "userId REFERENCE") }
    try await world.write(
      PeopleWorld.bob, ("ChatMessage", "about-her", ["userId": .reference(Reference(PeopleWorld.jane))]),
      ("ChatMessage", "about-him", ["userId": .reference(Reference(PeopleWorld.bob))]))
    #expect(try await world.found()["ChatMessage"] == ["about-her"])
  }

  @Test(
    "whether the environment knows the person",
    arguments: [(nil, false), (.notFound, false), (.accessDenied, nil)] as [(ServerError.Code?, Bool?)])
  func knownUser(refusal: ServerError.Code?, isKnown: Bool?) async throws {
    let container = FaultyContainer(try await world().container) { _ in
      refusal.map { .eachRecord(ServerError($0, "refused")) }
    }
    let search = PersonSearch(container: container, person: try PeopleWorld.person(), pseudonyms: [])
    #expect(try await search.isKnownUser() == isKnown)
  }
}
