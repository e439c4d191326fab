import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@Suite("Schema plans") struct SchemaPlanTests {
  private func plan(
    _ current: String, _ wanted: String, production: String? = nil, _ environment: Environment = .development
  ) throws -> SchemaPlan {
    func schema(_ types: String) throws -> Schema { try Schema(parsing: "DEFINE SCHEMA \(types)") }
    return SchemaPlan(
      target: ContainerIdentity(name: "local:a.sqlite", environment: environment),
      current: try schema(current),
      wanted: try schema(wanted), production: try production.map(schema))
  }

  private let users = "RECORD TYPE Users ( roles LIST<INT64> );"

  @Test("CREATE for signed-in users of a new type carries no risk, but WRITE does")
  func newTypes() throws {
    let open = "RECORD TYPE A ( f STRING, GRANT CREATE TO \"_icloud\" );"
    #expect(try plan(users, open).risks == [])
    #expect(try plan("RECORD TYPE B ( f STRING );", open + "RECORD TYPE B ( f STRING );").risks == [])
    #expect(try plan(users, open.replacing("CREATE", with: "WRITE")).risks == ["permission-widening"])
    #expect(try plan(users, open.replacing("_icloud", with: "_world")).risks == ["permission-widening"])
  }

  @Test("what development refuses is reported, and no risk is asked for")
  func refused() throws {
    let both = "RECORD TYPE A ( f STRING, g STRING );"
    let refused = try plan(both, "RECORD TYPE A ( f STRING );", production: both)
    #expect(refused.refused.map(\.field) == ["g"])
    let text = SchemaPlanReport(refused).text(.plain).description
    #expect(text.contains("refused: development refuses 1 change") && !text.contains("--accept-risk"))
    let allowed = try plan(both, "RECORD TYPE A ( f STRING );", production: "RECORD TYPE A ( f STRING );")
    #expect(allowed.refused.isEmpty)
    #expect(
      SchemaPlanReport(allowed).text(.plain).description.contains(
        "risks: applying this needs --accept-risk data-loss"))
  }

  @Test("production's plan ends with the Console's steps")
  func production() throws {
    let report = SchemaPlanReport(try plan("", "RECORD TYPE A ( f STRING );", .production))
    #expect(report.text(.plain).description.contains("--exit-code\n"))
    #expect(report.json["steps"]?.array?.count == 4)
    #expect(SchemaPlanReport(try plan("", "", .production)).json["steps"] == nil)
    let refused = SchemaPlanReport(try plan("RECORD TYPE A ( f STRING );", "", .production))
    #expect(
      refused.text(.plain).description.contains("1 change, 1 refused in development, 1 refused in production")
    )
    #expect(refused.json["steps"] == nil)
  }

  @Test("a plan fits a container that lists its roles in another order")
  func roleOrder() throws {
    let types = "RECORD TYPE A ( f STRING, GRANT READ TO x, GRANT READ TO y );"
    let saved = try plan(
      "CREATE ROLE x; CREATE ROLE y; \(types)",
      "CREATE ROLE x; CREATE ROLE y; \(types) RECORD TYPE B ( f STRING );")
    let moved = try Schema(parsing: "DEFINE SCHEMA CREATE ROLE y; CREATE ROLE x; \(types)")
    #expect(
      try SchemaPlan(parsing: saved.json.bytes(), for: saved.target, current: moved).changes.count == 1)
  }

  @Test("a plan whose schema the container got meanwhile is applied already, unless it was edited")
  func alreadyApplied() throws {
    let (old, new) = (
      "RECORD TYPE A ( f STRING );", "RECORD TYPE A ( f STRING SORTABLE ); RECORD TYPE B ( g INT64 );"
    )
    let bytes = JSONValue.object(["result": SchemaPlanReport(try plan(old, new)).json]).bytes()
    func saved(_ current: String, _ bytes: [UInt8]) throws -> SchemaPlan {
      try SchemaPlan(
        parsing: bytes, for: ContainerIdentity(name: "local:a.sqlite", environment: .development),
        current: try Schema(parsing: "DEFINE SCHEMA \(current)"))
    }
    let fresh = try saved(old, bytes)
    #expect(!fresh.isAlreadyApplied && fresh.changes.count == 2)
    // The container adds a type that CloudKit manages, and lists its types in another order.
    let done = try saved("RECORD TYPE B ( g INT64 ); \(users) RECORD TYPE A ( f STRING SORTABLE );", bytes)
    #expect(done.isAlreadyApplied && done.changes.isEmpty && done.risks.isEmpty)
    let text = SchemaPlanReport(done, isApplied: true).text(.plain).description
    #expect(text == "already applied: local:a.sqlite (development) has the schema of this plan\n")
    #expect(
      SchemaPlanReport(try plan(old, old), isApplied: true).text(.plain).description == "already up to date\n"
    )
    for other in [new + "RECORD TYPE C ( h STRING );", "RECORD TYPE A ( f STRING SORTABLE );", ""] {
      let error = #expect(throws: FileFormError.self) { _ = try saved(other, bytes) }
      #expect(error?.description.contains("has changed since the plan was made") == true)
    }
    let edited = Array(String(decoding: bytes, as: UTF8.self).replacing("SORTABLE", with: "QUERYABLE").utf8)
    let error = #expect(throws: FileFormError.self) {
      _ = try saved(new.replacing("SORTABLE", with: "QUERYABLE"), edited)
    }
    #expect(error?.description.contains("was edited") == true)
  }

  @Test("a result whose shown half differs from its plan is refused")
  func shownHalf() throws {
    let current = try Schema(parsing: "DEFINE SCHEMA RECORD TYPE A ( f STRING );")
    let plan = try plan("RECORD TYPE A ( f STRING );", "RECORD TYPE A ( g STRING QUERYABLE );")
    let json = SchemaPlanReport(plan).json
    #expect(
      try SchemaPlan(
        parsing: JSONValue.object(["result": json]).bytes(), for: plan.target, current: current
      ).changes.count == 2)
    let changes = try #require(json["changes"]?.array)
    for shown in [Array(changes.dropLast()), [], changes.reversed(), [changes[0], changes[0]]] {
      var edited = try #require(json.object)
      edited["changes"] = .array(Array(shown))
      let bytes = JSONValue.object(["result": .object(edited)]).bytes()
      let error = #expect(throws: FileFormError.self) {
        _ = try SchemaPlan(parsing: bytes, for: plan.target, current: current)
      }
      #expect(error.map { "\($0)".contains("its list of changes differs") } == true)
    }
  }

  @Test("all that a result shows of its changes is compared, but for verdicts and hints, which may change")
  func shownMembers() throws {
    let old = "CREATE ROLE Staff; RECORD TYPE A ( e STRING QUERYABLE, f STRING, GRANT READ TO Staff );"
    let current = try Schema(parsing: "DEFINE SCHEMA \(old)")
    let plan = try plan(
      old,
      "CREATE ROLE Staff; RECORD TYPE A ( e STRING, g INT64, GRANT READ TO Staff, GRANT CREATE TO \"_icloud\" );"
        + "RECORD TYPE B ( h STRING QUERYABLE, GRANT WRITE TO \"_icloud\" );")
    let text = String(
      decoding: JSONValue.object(["result": SchemaPlanReport(plan).json]).bytes(), as: UTF8.self)
    func error(replacing old: String, with new: String) throws -> String? {
      let edited = text.replacing(old, with: new, maxReplacements: 1)
      try #require(edited != text, "\(old) in \(text)")
      do {
        _ = try SchemaPlan(parsing: Array(edited.utf8), for: plan.target, current: current)
        return nil
      } catch let error as FileFormError { return error.description }
    }
    let edits = [
      (#""kind":"removeField""#, #""kind":"addField""#), (#""recordType":"A""#, #""recordType":"C""#),
      (#""field":"f""#, #""field":"x""#), (#""role":"_icloud""#, #""role":"Staff""#),
      (#""from":"STRING""#, #""from":"BYTES""#), (#""to":"INT64""#, #""to":"BYTES""#),
      (#""risk":"data-loss""#, #""risk":"none""#),
      (#""name":"h""#, #""name":"i""#), (#""privileges":["WRITE"]"#, #""privileges":["READ"]"#),
      (#""options":["QUERYABLE"]"#, #""options":[]"#),
      (#""risks":["data-loss","index-loss","permission-widening"]"#, #""risks":["data-loss"]"#),
      (#""risks":["data-loss","index-loss","permission-widening"],"#, ""),
    ]
    for (old, new) in edits {
      #expect(
        try error(replacing: old, with: new)?.contains("its list of changes differs") == true, "\(old)")
    }
    #expect(try error(replacing: #""development":"unknown""#, with: #""development":"refused""#) == nil)
    #expect(try error(replacing: #""production":"allowed""#, with: #""production":"unknown""#) == nil)
    #expect(try error(replacing: #""hint":""#, with: #""hint":"not "#) == nil)
  }

  @Test("a plan of another container is refused for that, and not for the other schema there")
  func otherPlace() throws {
    let plan = try plan("RECORD TYPE A ( f STRING );", "RECORD TYPE A ( f STRING, g STRING );")
    for place in [
      ContainerIdentity(name: "local:a.sqlite", environment: .production),
      ContainerIdentity(name: "local:b.sqlite", environment: .development),
    ] {
      let failure = #expect(throws: CommandFailure.self) {
        _ = try SchemaPlan(parsing: plan.json.bytes(), for: place, current: Schema())
      }
      #expect(
        failure?.message.contains("was made for local:a.sqlite (development), not for \(place.name)") == true)
    }
  }

  /// A service with a schema, which validates as it is set up to, and counts its imports.
  private actor Service: SchemaManager {
    private var text: String
    private let refusal: String?
    /// What exports throw after an import.
    private let failure: ServerError?
    /// What another client imports right after an import.
    private let others: String?
    private(set) var imports = 0

    init(_ text: String, refusal: String? = nil, failure: ServerError? = nil, others: String? = nil) {
      self.text = text
      self.refusal = refusal
      self.failure = failure
      self.others = others
    }

    func exportSchema() throws -> String {
      if imports > 0, let failure { throw failure }
      return text
    }
    func validateSchema(_ text: String) -> String? { refusal }
    func importSchema(_ text: String) throws {
      imports += 1
      self.text = others ?? text
      if others != nil { throw UnseenSchemaImport(.zero) }
    }
    func resetSchema() {}
    func deploySchema() {}
    nonisolated var importsInOneStep: Bool { false }
  }

  @Test("a service whose import may stop half-way is asked first, and nothing is imported that it refuses")
  func validatedFirst() async throws {
    let plan = try plan("RECORD TYPE A ( f STRING );", "RECORD TYPE A ( f STRING, g STRING );")
    let willing = Service("DEFINE SCHEMA RECORD TYPE A ( f STRING );", refusal: nil)
    try await willing.apply(plan)
    #expect(await willing.imports == 1)
    let unwilling = Service("DEFINE SCHEMA RECORD TYPE A ( f STRING );", refusal: "too many fields")
    let failure = await #expect(throws: ContainerFailure.self) { try await unwilling.apply(plan) }
    #expect(failure?.description.contains("too many fields") == true)
    #expect(await unwilling.imports == 0)
  }

  @Test("an import that another one replaces says so, and one that is not seen yet is to be looked at again")
  func replaced() async throws {
    let before = "DEFINE SCHEMA RECORD TYPE A ( f STRING );"
    let plan = try plan("RECORD TYPE A ( f STRING );", "RECORD TYPE A ( f STRING, g STRING );")
    let overtaken = Service(before, others: "DEFINE SCHEMA RECORD TYPE A ( f STRING, h STRING );")
    let failure = await #expect(throws: ContainerFailure.self) { try await overtaken.apply(plan) }
    #expect(failure?.message.contains("another import has replaced it") == true)
    #expect(failure?.message.contains("record type A: + g STRING") == true, "\(failure?.message ?? "")")
    let slow = Service(before, others: before)
    await #expect(throws: UnseenSchemaImport.self) { try await slow.apply(plan) }
  }

  @Test("an import that cannot be read back was accepted, and its report says so beside the error")
  func unread() async throws {
    let plan = try plan("RECORD TYPE A ( f STRING );", "RECORD TYPE A ( f STRING, g STRING );")
    let service = Service(
      "DEFINE SCHEMA RECORD TYPE A ( f STRING );", refusal: nil,
      failure: ServerError(.authenticationFailed, "expired"))
    let unread = await #expect(throws: UnreadSchemaImport.self) { try await service.apply(plan) }
    let failure = try #require(unread).failure
    #expect(
      failure.message
        == "the import was accepted, but could not be read back: AUTHENTICATION_FAILED: expired")
    #expect(failure.code == "AUTHENTICATION_FAILED" && failure.status == .denied)
    #expect(
      failure.hint?.hasSuffix(" Run the command again to make sure that the container has the schema.")
        == true)
    let report = SchemaPlanReport(plan, isApplied: true, failure: failure)
    #expect(report.status == .denied && report.failure?.code == "AUTHENTICATION_FAILED")
    #expect(report.json["summary"]?["changes"] == 1)
    #expect(
      report.text(.plain).description
        == "1 change imported into local:a.sqlite (development), but not read back\n")
    #expect(
      report.rendered(as: .markdown, .plain).description.contains(
        "\n1 change imported into local:a.sqlite (development), but not read back\n")
    )
  }
}
