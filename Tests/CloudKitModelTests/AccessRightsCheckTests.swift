import ContainerFaults
import CustomDump
import LocalContainer
import SchemaLanguage
import Testing

@testable import CloudKitModel

/// What reading alone shows about a credential's rights.
@Suite struct AccessRightsCheckTests {
  private static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Admin; CREATE ROLE Silent;
      RECORD TYPE Box ( "___recordID" REFERENCE QUERYABLE, GRANT CREATE TO "_icloud" );
      RECORD TYPE Kept ( "___recordID" REFERENCE QUERYABLE, GRANT READ, CREATE, WRITE TO Admin );
      RECORD TYPE Note ( "___recordID" REFERENCE QUERYABLE,
        GRANT READ TO "_world", GRANT CREATE, WRITE TO Admin );
      RECORD TYPE Own ( "___recordID" REFERENCE QUERYABLE,
        GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator" );
      RECORD TYPE Plain ( a STRING );
      RECORD TYPE Quiet ( a STRING, GRANT READ TO "_world", GRANT WRITE TO Silent );
      RECORD TYPE Shared ( "___recordID" REFERENCE QUERYABLE, GRANT READ TO Admin, GRANT READ TO Silent );
    """

  private func findings(_ identity: CallerIdentity, isSignedIn: Bool = true) async throws
    -> AccessRightsCheck.Findings
  {
    let store = try LocalStore(.memory)
    let schema = try Schema(parsing: Self.schema)
    try await store.importSchema(schema, into: .development)
    let container = LocalContainer(store: store, environment: .development, identity: identity)
    return try await AccessRightsCheck(
      ReadOnlyContainer(container), schema: schema, isSignedIn: isSignedIn
    ).run()
  }

  private func lines(_ findings: AccessRightsCheck.Findings) -> [String] {
    findings.roles.map { "\($0.role): \($0.isMember.rawValue)" }
      + findings.recordTypes.map {
        "\($0.recordType): \($0.read.rawValue) \($0.create.rawValue) \($0.write.rawValue)"
      }
  }

  @Test("a role is held when what only it may read is answered for, and then what it is granted is allowed")
  func held() async throws {
    let findings = try await findings(.serverKey(roles: ["Admin"]))
    expectNoDifference(
      lines(findings),
      [
        "Admin: yes", "Silent: unknown", "Box: nobody yes nobody", "Kept: yes yes yes", "Note: yes yes yes",
        "Own: own yes own", "Plain: unknown unknown unknown", "Quiet: yes nobody unknown",
        "Shared: yes nobody nobody",
      ])
  }

  @Test("a role that is missing shows in what it alone is granted, and proves the other of two readers")
  func missing() async throws {
    let findings = try await findings(.serverKey(roles: ["Silent"]))
    expectNoDifference(
      lines(findings),
      [
        "Admin: no", "Silent: yes", "Box: nobody yes nobody", "Kept: no no no", "Note: yes no no",
        "Own: own yes own", "Plain: unknown unknown unknown", "Quiet: yes nobody yes",
        "Shared: yes nobody nobody",
      ])
    #expect(findings.roles.map(\.testedTypes) == [["Kept"], ["Shared"]])
  }

  @Test("who is not signed in may do what the world may, and a refusal excludes each reader")
  func anonymous() async throws {
    let findings = try await findings(.world, isSignedIn: false)
    expectNoDifference(
      lines(findings),
      [
        "Admin: no", "Silent: no", "Box: nobody no nobody", "Kept: no no no", "Note: yes no no",
        "Own: no no no", "Plain: unknown unknown unknown", "Quiet: yes nobody no", "Shared: no nobody nobody",
      ])
  }

  @Test("each type is asked for one record, without its fields")
  func cheap() async throws {
    let schema = try Schema(parsing: Self.schema)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(Self.schema)
    let watched = FaultyContainer(container)
    let findings = try await AccessRightsCheck(watched, schema: schema).run()
    // Without a word about it, somebody is signed in.
    #expect(findings.recordTypes.first { $0.recordType == "Own" }?.create == .yes)
    let queries = watched.requests.compactMap { if case .query(let request) = $0 { request } else { nil } }
    expectNoDifference(queries.map(\.query.recordType), schema.recordTypes.map(\.name))
    #expect(queries.allSatisfy { $0.resultsLimit == 1 && $0.desiredKeys == [] })
  }

  @Test("a role stays unknown when the types that would show it cannot be queried")
  func untested() async throws {
    let text = "DEFINE SCHEMA CREATE ROLE Dark; RECORD TYPE Hidden ( a STRING, GRANT READ TO Dark );"
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    let findings = try await AccessRightsCheck(container, schema: Schema(parsing: text)).run()
    expectNoDifference(
      findings.roles,
      [AccessRightsCheck.RoleMembership(role: "Dark", isMember: .unknown, testedTypes: [])])
    expectNoDifference(lines(findings), ["Dark: unknown", "Hidden: unknown nobody nobody"])
  }
}
