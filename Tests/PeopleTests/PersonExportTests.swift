import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import Testing

@testable import People

@Suite struct PersonExportTests {
  private func world(_ change: (String) -> String = { $0 }) async throws -> PeopleWorld {
    let world = try await PeopleWorld(change(PeopleWorld.schema))
    try await world.write(
      nil, ("PublicFeed", "feed", ["title": .string("Feed")]), ("PublicFeed", "untitled", [:]))
    try await world.write(
      PeopleWorld.jane, world.subscription("feed", of: PeopleWorld.jane),
      world.subscription("untitled", of: PeopleWorld.jane),
      ("LiveSession", "party", ["title": .string("Party")]))
    try await world.write(
      PeopleWorld.bob,
      ("ChatMessage", "about-her", ["userId": .string(PeopleWorld.jane), "sessionId": .string("party")]))
    return world
  }

  private func export(_ world: PeopleWorld, in container: (any Container)? = nil) async throws
    -> (document: JSONValue, report: PlainReport)
  {
    let export = PersonExport(
      of: try PeopleWorld.person(), in: container ?? world.container, world.schema,
      references: world.references, pseudonyms: [])
    let (bytes, report) = try await export.run(for: nil, at: Timestamp(milliseconds: 0))
    return (try JSONValue(parsing: bytes), report)
  }

  @Test("the document has the records with all fields, their dates, and the titles of what they refer to")
  func document() async throws {
    let document = try await export(world()).document
    #expect(document["exported"] == "1970-01-01T00:00:00Z" && document["environment"] == "development")
    #expect(document["user"] == .string(PeopleWorld.jane) && document["notSearched"] == [])
    let records = try #require(document["records"]?.array)
    #expect(
      records.map { $0["recordType"] } == [
        "FeedSubscription", "FeedSubscription", "ChatMessage", "LiveSession",
      ])
    #expect(
      records.map { $0["about"]?.text() }.sorted { ($0 ?? "") < ($1 ?? "") }
        == [nil, nil, #"["Feed"]"#, #"["Party"]"#])
    #expect(records.map { $0["createdByPerson"] } == [true, true, false, true])
    #expect(records[2]["fields"]?["sessionId"]?["value"] == "party" && records[2]["about"] == ["Party"])
    #expect(records.allSatisfy { $0["created"] != nil && $0["modified"] != nil })
  }

  @Test("the report has the counts of each type, and says that the document is not encrypted")
  func report() async throws {
    let report = try await export(world()).report
    #expect(
      report.text(.plain).description.split(separator: "\n").prefix(5) == [
        "record type       found  searched", "FeedSubscription      2  by index and derived names",
        "ChatMessage           1  by index", "LiveSession           1  by index",
        "exported 4 records, not encrypted",
      ])
    #expect(report.text(.plain).description.hasSuffix("who changed a record last\n"))
    #expect(report.json["types"]?.array?.map { $0["found"] } == [2, 1, 1])
    #expect(report.json["complete"] == true && report.status == .done)
    let encrypted = PersonExport.report([], in: TypeSearchPlanTests.container, isEncrypted: true)
    #expect(
      encrypted.text(.plain).description.hasPrefix("exported 0 records, encrypted for the certificate\n"))
  }

  @Test("what could not be searched is in the document and in the report")
  func notSearched() async throws {
    let world = try await world {
      $0.replacing("( \"___recordID\" REFERENCE QUERYABLE, \"___createdBy\" REFERENCE QUERYABLE,", with: "(")
    }
    let (document, report) = try await export(world)
    #expect(
      document["notSearched"]?.array?.map { $0["type"] } == [
        "FeedSubscription", "ChatMessage", "LiveSession",
      ])
    #expect(report.json["complete"] == false && report.status == .findings)
  }

  @Test("a record that is gone when its fields are read is left out")
  func gone() async throws {
    let world = try await world()
    let container = FaultyContainer(world.container) { request in
      guard case .lookup(let lookup) = request, lookup.desiredKeys == nil else { return nil }
      return .eachRecord(ServerError(.notFound, "Record not found"))
    }
    #expect(try await export(world, in: container).document["records"] == [])
  }

  @Test("an explanation of the service that repeats the person's name is not passed on")
  func redaction() async throws {
    let world = try await world()
    let container = FaultyContainer(world.container) { request in
      guard case .lookup(let lookup) = request, lookup.desiredKeys == nil else { return nil }
      return .refuse(ServerError(.internalError, "no user \(PeopleWorld.jane)"))
    }
    let error = try await #require(throws: ServerError.self) { try await export(world, in: container) }
    #expect(error.reason == "no user [person]")
  }
}
