import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Diff") struct DiffTests {
  private func changes(_ old: String, _ new: String, production: String? = nil) throws -> [SchemaChange] {
    try SchemaDiff.changes(
      from: Schema(parsing: old), to: Schema(parsing: new),
      production: production.map { try Schema(parsing: $0) })
  }

  private func line(_ change: SchemaChange) -> String {
    "\(change.kind.rawValue) \(change.summary) [\(change.risk.rawValue) \(change.development) \(change.production)]"
  }

  @Test(
    "each kind of change with its risk and what the environments do",
    arguments: [
      ("a STRING", "a STRING,\nb INT64 QUERYABLE", ["addField b INT64 QUERYABLE [none allowed allowed]"]),
      ("a STRING,\nb INT64", "a STRING", ["removeField b INT64 [data-loss unknown refused]"]),
      ("a STRING", "a INT64", ["changeFieldType a STRING -> INT64 [data-loss unknown refused]"]),
      (
        "a STRING", "a LIST<STRING>", ["changeFieldType a STRING -> LIST<STRING> [data-loss unknown refused]"]
      ),
      (
        "a STRING", "a ENCRYPTED STRING",
        ["changeFieldType a STRING -> ENCRYPTED STRING [data-loss refused refused]"]
      ),
      (
        "a NUMBER", "a NUMBER PREFERRED AS INT64",
        ["changeFieldType a NUMBER -> NUMBER PREFERRED AS INT64 [none allowed unknown]"]
      ),
      (
        "a NUMBER PREFERRED AS INT64", "a NUMBER PREFERRED AS DOUBLE",
        [
          "changeFieldType a NUMBER PREFERRED AS INT64 -> NUMBER PREFERRED AS DOUBLE [data-loss refused refused]"
        ]
      ),
      ("a STRING", "a STRING SORTABLE", ["addIndex a gains SORTABLE [none allowed allowed]"]),
      ("a STRING SORTABLE", "a STRING", ["removeIndex a loses SORTABLE [index-loss allowed unknown]"]),
      (
        "a STRING,\n\"___recordID\" REFERENCE QUERYABLE", "a STRING",
        ["removeIndex ___recordID loses QUERYABLE [index-loss allowed unknown]"]
      ),
      ("a STRING,\n\"___etag\" STRING", "a STRING", []),
      (
        "a STRING,\nGRANT READ TO \"_world\"", "a STRING,\nGRANT WRITE TO \"_world\"",
        [
          "addGrant GRANT WRITE TO \"_world\" [permission-widening allowed allowed]",
          "removeGrant READ revoked from \"_world\" [permission-narrowing allowed unknown]",
        ]
      ),
      ("a STRING", "// other\n\"a\"   STRING", []),
      (
        "a STRING,\nb STRING,\nGRANT READ, WRITE TO \"_world\"",
        "b STRING,\nGRANT WRITE TO \"_world\",\na STRING,\nGRANT READ TO \"_world\"", []
      ),
    ] as [(String, String, [String])])
  func kinds(old: String, new: String, expected: [String]) throws {
    expectNoDifference(try changes(schema(old), schema(new)).map(line), expected)
  }

  @Test(
    "types and roles are added and removed as a whole; a managed type that a file leaves out is no change")
  func typesAndRoles() throws {
    let old = "DEFINE SCHEMA CREATE ROLE a; RECORD TYPE B (f STRING); RECORD TYPE Users (roles LIST<INT64>);"
    let new = "DEFINE SCHEMA CREATE ROLE b; RECORD TYPE C (f STRING);"
    expectNoDifference(
      try changes(old, new).map(line),
      [
        "addRole CREATE ROLE b [none allowed allowed]",
        "removeRole role a removed [permission-narrowing allowed unknown]",
        "removeRecordType record type removed [data-loss unknown refused]",
        "addRecordType new record type [none allowed allowed]",
      ])
    let users =
      "DEFINE SCHEMA RECORD TYPE Users (roles LIST<INT64>, GRANT WRITE TO \"_creator\", GRANT READ TO \"_world\");"
    expectNoDifference(try changes("DEFINE SCHEMA", users), [])
    expectNoDifference(
      try changes("DEFINE SCHEMA", users.replacing("roles", with: "name STRING, roles")).map(line),
      ["addField name STRING [none allowed allowed]"])
  }

  @Test("Development refuses to remove what Production has")
  func deployed() throws {
    let found = try changes(
      schema("a STRING,\nb STRING"), schema("a STRING"), production: schema("a STRING,\nb STRING"))
    expectNoDifference(found.map(line), ["removeField b STRING [data-loss refused refused]"])
    // And neither minds the loss of what only Development has.
    let undeployed = try changes(
      schema("a STRING,\nb STRING"), schema("a STRING"), production: schema("a STRING"))
    expectNoDifference(undeployed.map(line), ["removeField b STRING [data-loss allowed allowed]"])
  }

  @Test(
    "a grant that another one implies is neither wider nor narrower",
    arguments: [
      ("GRANT READ TO \"_world\"", "GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"", "addGrant none"),
      ("GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"", "GRANT READ TO \"_world\"", "removeGrant none"),
      (
        "GRANT WRITE TO \"_icloud\"", "GRANT WRITE TO \"_icloud\", GRANT WRITE TO \"_creator\"",
        "addGrant none"
      ),
      (
        "GRANT WRITE TO \"_icloud\"", "GRANT WRITE TO \"_icloud\", GRANT WRITE TO \"_world\"",
        "addGrant permission-widening"
      ),
      (
        "GRANT READ TO \"_world\"", "GRANT READ TO \"_world\", GRANT READ, WRITE TO \"_icloud\"",
        "addGrant permission-widening"
      ),
      (
        "GRANT READ TO \"_creator\", GRANT READ TO \"_icloud\"", "GRANT READ TO \"_creator\"",
        "removeGrant permission-narrowing"
      ),
    ])
  func implied(old: String, new: String, expected: String) throws {
    let found = try changes(schema("a STRING, \(old)"), schema("a STRING, \(new)"))
    expectNoDifference(found.map { "\($0.kind.rawValue) \($0.risk.rawValue)" }, [expected])
  }

  @Test(
    "a new type shows what it has, and is a risk when strangers may change its records, or create them without an account",
    arguments: [
      ("GRANT READ TO \"_world\"", "none"), ("GRANT CREATE TO \"_icloud\"", "none"),
      ("GRANT WRITE TO \"_icloud\"", "permission-widening"),
      ("GRANT WRITE TO \"_world\"", "permission-widening"), ("GRANT READ, WRITE TO \"_creator\"", "none"),
    ])
  func newType(grant: String, risk: String) throws {
    let found = try changes("DEFINE SCHEMA", schema("long_name STRING QUERYABLE, b INT64, \(grant)"))
    expectNoDifference(found.map(\.risk.rawValue), [risk])
    let text = found.body().text().description
    #expect(text.contains("      b         INT64\n      long_name STRING QUERYABLE\n      \(grant)\n"))
    let removed = try changes(schema("b INT64, \(grant)"), "DEFINE SCHEMA")
    #expect(removed.body().text().description.contains("      b INT64\n      \(grant)\n"))
    #expect(
      SchemaDiffJSON.render(found).text().contains(#""fields":[{"name":"b","type":"INT64","options":[]}"#))
    let notes = SchemaDiffDiagnostics.diagnostics(for: found, in: parse(schema("b INT64")))
    #expect(notes.first?.message.contains(": \(grant)") == true)
  }

  @Test("Development refuses, and Production: both are counted")
  func counts() throws {
    let found = try changes(
      schema("a STRING, b STRING, c STRING"), schema("c ENCRYPTED STRING"),
      production: schema("a STRING, c STRING"))
    #expect(found.verdict.plain == "3 changes, 2 refused in development, 2 refused in production")
    #expect(
      SchemaDiffJSON.render(found).text().hasSuffix(
        #""summary":{"changes":3,"refusedInDevelopment":2,"refusedInProduction":2,"unknownInDevelopment":0,"unknownInProduction":0}}"#
      ))
    let unknown = try changes(schema("a STRING, b STRING QUERYABLE"), schema("b STRING"))
    #expect(
      unknown.verdict.plain == "2 changes, 1 unknown in development, 1 refused and 1 unknown in production")
  }

  @Test("a rename is shown as the removal and addition it is")
  func rename() throws {
    let found = try changes(schema("siteURL STRING,\nz STRING"), schema("siteUrl STRING,\nz STRING"))
    expectNoDifference(found.map(\.kind), [.removeField, .addField])
  }

  @Test("the additive policy passes additions and stops everything else")
  func policy() throws {
    let old = schema("a STRING SORTABLE,\nn NUMBER,\nGRANT READ TO \"_world\"")
    let new = schema("a INT64,\nb STRING,\nn NUMBER PREFERRED AS INT64,\nGRANT CREATE TO \"_icloud\"")
    let found = try changes(old, new)
    expectNoDifference(
      SchemaPolicy(.additive).violations(in: found).map(\.kind),
      [.changeFieldType, .removeIndex, .addGrant, .removeGrant])
    expectNoDifference(SchemaPolicy.none.violations(in: found), [])
  }

  @Test("findings stand on the new file's lines")
  func findings() throws {
    let old = schema("a STRING,\nb STRING")
    let new = schema("a INT64")
    let found = SchemaDiffDiagnostics.diagnostics(
      for: try changes(old, new), in: parse(new), policy: SchemaPolicy(.additive))
    expectNoDifference(
      found.map { "\($0.code) \($0.severity) \($0.pointedAt)" }, ["CK0411 error a INT64", "CK0411 error T"])
  }

  @Test("privileges that two grants add stand on the first of them")
  func grantedTwice() throws {
    let new = schema("a STRING,\nGRANT READ TO \"_world\",\nGRANT WRITE TO \"_world\"")
    let found = SchemaDiffDiagnostics.diagnostics(for: try changes(schema("a STRING"), new), in: parse(new))
    #expect(!found.isEmpty)
    for diagnostic in found { #expect(diagnostic.pointedAt == "GRANT READ TO \"_world\"") }
  }

  @Test("text groups by type, one line a change")
  func text() throws {
    let found = try changes(schema("a STRING"), schema("b INT64,\na STRING QUERYABLE SORTABLE"))
    expectNoDifference(
      found.body().text().description, "record type T\n  + a gains QUERYABLE, SORTABLE\n  + b INT64\n")
    #expect([SchemaChange]().verdict == "No differences.")
  }

  @Test("an import keeps the managed types it leaves out, and nothing else")
  func completion() throws {
    let current = try Schema(
      parsing:
        "DEFINE SCHEMA RECORD TYPE A (x STRING); RECORD TYPE Users (roles LIST<INT64>); RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING);"
    )
    let new = try Schema(parsing: "DEFINE SCHEMA RECORD TYPE B (x STRING);")
    let completed = new.completedForImport(replacing: current)
    expectNoDifference(completed.kept, ["Users", "cloudkit.share"])
    expectNoDifference(completed.schema.recordTypes.map(\.name), ["B", "Users", "cloudkit.share"])
  }

  @Test(
    "what an environment does with a change depends on what Production has",
    arguments: [
      ("a NUMBER", "a NUMBER PREFERRED AS INT64", "none allowed unknown", "none allowed allowed"),
      ("a NUMBER PREFERRED AS INT64", "a NUMBER", "data-loss refused refused", "data-loss refused allowed"),
      ("a NUMBER PREFERRED AS INT64", "a INT64", "data-loss refused refused", "data-loss allowed allowed"),
      ("a NUMBER", "a INT64", "data-loss refused refused", "data-loss allowed allowed"),
      (
        "a LIST<NUMBER>", "a LIST<NUMBER PREFERRED AS INT64>", "data-loss refused refused",
        "data-loss allowed allowed"
      ),
      ("a STRING", "a INT64", "data-loss refused refused", "data-loss allowed allowed"),
      ("a STRING", "a LIST<ENCRYPTED STRING>", "data-loss refused refused", "data-loss refused allowed"),
      ("a ENCRYPTED STRING", "a ENCRYPTED INT64", "data-loss refused refused", "data-loss allowed allowed"),
    ])
  func deployedTypes(old: String, new: String, deployed: String, undeployed: String) throws {
    func verdict(_ production: String) throws -> [String] {
      try changes(schema(old), schema(new), production: production).map {
        "\($0.risk.rawValue) \($0.development) \($0.production)"
      }
    }
    expectNoDifference(try verdict(schema(old)), [deployed])
    expectNoDifference(try verdict(schema("a BYTES")).map { $0.hasSuffix(" refused refused") }, [true])
    expectNoDifference(try verdict(schema("b BYTES")), [undeployed])
    expectNoDifference(try verdict("DEFINE SCHEMA"), [undeployed])
  }

  @Test("a removed type is lost for good where Production has it, and there only")
  func deployedRecordTypes() throws {
    func verdict(_ production: String?) throws -> [String] {
      try changes(schema("a STRING"), "DEFINE SCHEMA", production: production).map {
        "\($0.development) \($0.production)"
      }
    }
    expectNoDifference(try verdict(nil), ["unknown refused"])
    expectNoDifference(try verdict(schema("b INT64")), ["refused refused"])
    expectNoDifference(try verdict("DEFINE SCHEMA"), ["allowed allowed"])
  }
}
