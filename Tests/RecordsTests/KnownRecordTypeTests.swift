import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import Records

@Suite struct KnownRecordTypeTests {
  private func book() throws -> KnownRecordType { try KnownRecordType("Book", in: Library.parsed()) }

  @Test("plain values get the declared type, and null removes")
  func values() throws {
    let source = SourceText(
      name: "fields.json", #"{"title": "A", "pages": true, "added": "2026-01-31T12:00:00Z"}"#)
    #expect(
      try book().values(from: source) == [
        "title": .string("A"), "pages": .int64(1), "added": .timestamp(Library.now),
      ])
    let removal = try book().values(from: SourceText(name: "fields.json", #"{"title": null}"#))
    #expect(removal == ["title": FieldValue?.none])
  }

  @Test("assignments are read by the declared type: texts as they are, other values as JSON, null removes")
  func assignments() throws {
    let values = try book().values(assignments: [
      "title=[1] = \"x\"", "pages=12", "added=2026-01-31T12:00:00Z", "tags=[\"a\",\"b\"]",
    ])
    #expect(
      values == [
        "title": .string("[1] = \"x\""), "pages": .int64(12), "added": .timestamp(Library.now),
        "tags": .strings(["a", "b"]),
      ])
    #expect(
      try book().values(assignments: ["title=", "pages=null"]) == ["title": .string(""), "pages": nil])
    let unknown = try KnownRecordType("Book", in: nil)
    #expect(
      try unknown.values(assignments: ["a=1", "b=x"]) == ["a": .int64(1), "b": .string("x")])
  }

  @Test(
    "an assignment that cannot be used is a usage error",
    arguments: [
      (["title"], "not an assignment"), (["=x"], "not an assignment"), (["titel=x"], "no field 'titel'"),
      (["pages=many"], "1 or 0"), (["pages=1.5"], "1 or 0"), (["title=a", "title=b"], "set twice"),
      (["tags=a"], "[\"a\", \"b\"]"), (["added=soon"], "2026-01-31T12:00:00Z"),
    ])
  func badAssignments(_ assignments: [String], _ reason: String) throws {
    let failure = #expect(throws: CommandFailure.self) { try book().values(assignments: assignments) }
    let text = "\(failure?.message ?? "") \(failure?.hint ?? "")"
    #expect(failure?.status == .usage && text.contains(reason), "\(text)")
  }
}
