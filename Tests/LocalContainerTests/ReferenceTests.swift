import CloudKitModel
import LocalContainer
import Testing

@Suite("References")
struct ReferenceTests {
  private func book(_ name: String, to target: String, _ action: Reference.Action) -> RecordOperation {
    RecordOperation(
      .create, recordType: "Book", recordName: name,
      fields: ["author": .reference(Reference(target, action: action))])
  }

  @Test("deleting a target deletes what refers to it with DELETE_SELF, and so on")
  func cascade() async throws {
    let library = try await container()
    try await library.create("p", type: "Person")
    _ = try await library.modify([
      book("a", to: "p", .deleteSelf), book("b", to: "a", .deleteSelf), book("c", to: "p", .none),
    ])
    let outcome = try await library.one(RecordOperation(.forceDelete, recordName: "p"))
    #expect(outcome == .deleted(recordName: "p"))
    #expect(try await library.names(Query("Book")) == ["c"])
  }

  @Test("records that refer to one another with DELETE_SELF go together")
  func cascadeCycle() async throws {
    let library = try await container()
    _ = try await library.modify([book("a", to: "b", .deleteSelf), book("b", to: "a", .deleteSelf)])
    try await library.one(RecordOperation(.delete, recordName: "a"))
    #expect(try await library.names(Query("Book")) == [])
  }

  @Test("a list's references act like single ones")
  func lists() async throws {
    let library = try await container()
    try await library.create("t")
    let editors = FieldValue.list(of: .reference, [.reference(Reference("t", action: .deleteSelf))])
    try await library.create("a", ["editors": editors])
    try await library.one(RecordOperation(.delete, recordName: "t"))
    #expect(try await library.names(Query("Book")) == [])
  }

  @Test("once a reference is cleared it does nothing any more")
  func cleared() async throws {
    let library = try await container()
    try await library.create("t")
    try await library.one(book("a", to: "t", .deleteSelf))
    try await library.one(RecordOperation(.forceUpdate, recordName: "a", fields: ["author": nil]))
    try await library.one(RecordOperation(.delete, recordName: "t"))
    #expect(try await library.names(Query("Book")) == ["a"])
  }

  @Test("once a reference's field is gone from the schema, it does nothing any more, and others still do")
  func droppedField() async throws {
    func schema(_ fields: String) -> String {
      "DEFINE SCHEMA RECORD TYPE T (\"___recordID\" REFERENCE QUERYABLE, \(fields), GRANT READ, CREATE, WRITE TO \"_icloud\");"
    }
    let container = try await container(schema("a REFERENCE, b REFERENCE, s STRING"))
    for name in ["t", "u"] { try await container.create(name, type: "T") }
    for (name, field, target) in [("x", "a", "t"), ("y", "b", "u")] {
      let value = FieldValue.reference(Reference(target, action: .deleteSelf))
      try await container.create(name, [field: value, "s": .string("s")], type: "T")
    }
    try await container.importSchema(schema("b REFERENCE"))
    for name in ["t", "u"] { try await container.one(RecordOperation(.forceDelete, recordName: name)) }
    #expect(try await container.names(Query("T")) == ["x"])
  }

  @Test("VALIDATE needs its target, before it or anywhere in the same request")
  func validateTarget() async throws {
    let library = try await container()
    let alone = try await library.one(book("a", to: "t", .validate))
    #expect(alone.error?.code == .validatingReferenceError)
    let together = try await library.modify([
      book("a", to: "t", .validate), RecordOperation(.create, recordType: "Book", recordName: "t"),
    ])
    #expect(together.map { $0.record?.recordName } == ["a", "t"])
  }

  @Test("VALIDATE fails with its target")
  func validateFailingTarget() async throws {
    let library = try await container()
    let outcomes = try await library.modify([
      book("a", to: "t", .validate), RecordOperation(.create, recordType: "Poodle", recordName: "t"),
    ])
    #expect(outcomes.map { $0.error?.code } == [.validatingReferenceError, .notFound])
  }

  @Test("a target with a VALIDATE reference cannot be deleted until the reference goes")
  func validateForbidsDeletion() async throws {
    let library = try await container()
    try await library.create("t")
    try await library.one(book("a", to: "t", .validate))
    let deletion = RecordOperation(.forceDelete, recordName: "t")
    #expect(try await library.one(deletion).error?.code == .validatingReferenceError)
    try await library.one(RecordOperation(.delete, recordName: "a"))
    #expect(try await library.one(deletion) == .deleted(recordName: "t"))
  }

  @Test("4.1: at most 750 records refer to one with DELETE_SELF")
  func sourceLimit() async throws {
    var behavior = ServerBehavior()
    behavior.deleteSelfSources = 2
    let library = try await container(librarySchema, behavior)
    let outcomes = try await library.modify(["a", "b", "c"].map { book($0, to: "t", .deleteSelf) })
    #expect(outcomes.map { $0.error?.code } == [nil, nil, .badRequest])
    #expect(ServerBehavior().deleteSelfSources == 750)
  }
}
