import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@testable import People

@Suite struct TypeSearchPlanTests {
  static let container = ContainerIdentity(name: "memory:", environment: .development)

  static func plan(
    _ type: String = "ChatMessage", _ method: TypeSearchPlan.Method = .index,
    _ problem: TypeSearchPlan.Problem? = nil
  ) -> TypeSearchPlan {
    TypeSearchPlan(
      recordType: type, method: method, problem: problem, identifiers: [], namedAfter: [], mayDelete: .yes)
  }

  private func planned(_ types: String, _ pseudonyms: String...) async throws -> PersonSearchPlan {
    let world = try await PeopleWorld("DEFINE SCHEMA \(types)")
    return try await world.plan(nil, pseudonyms.compactMap(PseudonymCondition.init))
  }

  @Test(
    "the types that users may create are searched",
    arguments: [
      ("", true), (", GRANT CREATE TO \"_icloud\"", true), (", GRANT CREATE TO \"_world\"", true),
      (", GRANT READ TO \"_icloud\", GRANT WRITE TO \"_world\"", false),
      (", GRANT CREATE TO \"_creator\"", false),
      (", GRANT CREATE TO Editor", false),
    ])
  func madeByUsers(grants: String, isSearched: Bool) async throws {
    let index = "\"___recordID\" REFERENCE QUERYABLE, \"___createdBy\" REFERENCE QUERYABLE"
    let plan = try await planned("CREATE ROLE Editor; RECORD TYPE Note ( \(index)\(grants) );")
    #expect(plan.types.map(\.recordType) == (isSearched ? ["Note"] : []))
  }

  @Test("the service's own types have no field for a pseudonym", arguments: ["Users", "cloudkit.share"])
  func managedTypes(type: String) async throws {
    let world = try await PeopleWorld()
    let schema = Schema(recordTypes: [RecordType(type, fields: [Field("nick", .string, [.queryable])])])
    let pseudonym = try #require(PseudonymCondition("nick=x"))
    await #expect(throws: CommandFailure.self) {
      try await PersonSearchPlan(
        of: world.container, schema, references: ReferenceFields([], in: schema), pseudonyms: [pseudonym])
    }
  }

  @Test("types that refer to each other are searched once each, those that refer to others first")
  func circle() async throws {
    let types = ["A", "B", "C"].map {
      "RECORD TYPE \($0) ( \"___recordID\" REFERENCE QUERYABLE, to STRING );"
    }
    let world = try await PeopleWorld("DEFINE SCHEMA \(types.joined(separator: " "))")
    func order(_ links: (String, String)...) async throws -> [String] {
      let references = ReferenceFields(
        links.map { ReferenceField($0.0, "to", .name, to: [$0.1]) }, in: world.schema)
      return try await PersonSearchPlan(of: world.container, world.schema, references: references)
        .types.map(\.recordType)
    }
    #expect(try await order() == ["A", "B", "C"])
    #expect(try await order(("C", "B"), ("B", "A")) == ["C", "B", "A"])
    #expect(try await order(("C", "A")) == ["C", "A", "B"])
    #expect(try await order(("A", "B"), ("B", "A")) == ["B", "A", "C"])
    #expect(try await order(("A", "A")) == ["A", "B", "C"])
  }

  static let note = """
    RECORD TYPE Note ( "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
      nick STRING QUERYABLE, other REFERENCE QUERYABLE, age INT64 QUERYABLE, names LIST<STRING> QUERYABLE );
    """

  @Test("a pseudonym is a text or a reference", arguments: ["nick", "other"])
  func pseudonymField(field: String) async throws {
    let plan = try await planned(Self.note, "\(field)=x")
    #expect(plan.types.map { $0.identifiers.map(\.name) } == [[field]])
  }

  @Test(
    "a field of another type is refused, and one that no type has is refused with what is similar",
    arguments: [
      ("age", "the field of --also holds neither texts nor references", nil),
      ("names", "the field of --also holds neither texts nor references", nil),
      ("nik", "no record type that users write has the field of --also", "Did you mean 'nick'?"),
      ("___createdBx", "no record type that users write has the field of --also", nil),
    ])
  func otherField(field: String, message: String, hint: String?) async throws {
    let error = try await #require(throws: CommandFailure.self) { try await planned(Self.note, "\(field)=x") }
    #expect(error.message == message && error.status == .usage)
    if field != "age", field != "names" { #expect(error.hint == hint) }
  }
}
