import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@testable import People

@Suite struct TypeSearchPlanTests {
  typealias Problem = TypeSearchPlan.Problem

  static func plan(
    _ type: String = "ChatMessage", _ method: TypeSearchPlan.Method = .index, _ problem: Problem? = nil,
    identifiers: [String] = [], namedAfter: [String] = [], mayDelete: AccessRightsCheck.Answer = .yes
  ) -> TypeSearchPlan {
    TypeSearchPlan(
      recordType: type, method: method, problem: problem,
      identifiers: identifiers.map { Field($0, .string, [.queryable]) }, namedAfter: namedAfter,
      mayDelete: mayDelete)
  }

  @Test(
    "says how a type is searched",
    arguments: [
      (.index, [], "by index"), (.index, ["PublicFeed"], "by index and derived names"),
      (.scan, [], "by reading all records"),
      (.name, ["PublicFeed"], "by derived names only"), (.not, [], "cannot be searched"),
    ] as [(TypeSearchPlan.Method, [String], String)])
  func way(method: TypeSearchPlan.Method, namedAfter: [String], text: String) {
    #expect(Self.plan("T", method, namedAfter: namedAfter).way == text)
  }

  /// The problems, each with the start of its explanation and whether a permission is missing.
  static let problems: [(Problem?, String?, isDenied: Bool)] = [
    (nil, nil, false), (.noIndex, "it lacks an index: ", false),
    (
      .unindexedFields(["a", "b"]), "records of others may name the person in a, b, which has no index", false
    ),
    (.denied, "this key may not read it, and no role may: ", true),
    (.perhapsOwnOnly, "no record of another person is visible: either none exists yet", true),
  ]

  @Test("a search is incomplete for each problem, and complete without one", arguments: problems)
  func problem(problem: Problem?, text: String?, isDenied: Bool) throws {
    let plans = [Self.plan("A"), Self.plan("B", .index, problem)]
    #expect(PersonSearchPlan(types: plans).isComplete == (problem == nil))
    guard let text else {
      #expect(plans.searchFailure == nil)
      return
    }
    let failure = try #require(plans.searchFailure)
    #expect(failure.message == "1 record type could not be searched completely")
    #expect(failure.details.count == 1 && failure.details[0].hasPrefix("B: \(text)"))
    #expect(failure.code == (isDenied ? "not-permitted" : "not-searched") && failure.status == .findings)
  }

  @Test("one missing permission among other problems decides the code")
  func mixedProblems() throws {
    let failure = try #require(
      [Self.plan("A", .not, .noIndex), Self.plan("B", .not, .denied)].searchFailure)
    #expect(failure.message == "2 record types could not be searched completely")
    #expect(failure.code == "not-permitted" && failure.details.map { $0.prefix(2) } == ["A:", "B:"])
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
