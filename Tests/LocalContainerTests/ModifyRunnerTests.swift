import CloudKitModel
import LocalContainer
import SchemaLanguage
import Testing

@Suite("records/modify")
struct ModifyRunnerTests {
  @Test("2.2: a created record comes back as written, with a tag and stamps")
  func createAndLookUp() async throws {
    let clock = StoppedClock()
    let library = try await container(clock: clock)
    let created = try #require(try await library.create("b", ["title": .string("Emma")]).record)
    #expect(created.changeTag == "1")
    #expect(created.created?.timestamp == clock.now)
    #expect(created.created == created.modified)
    let found = try await library.lookup(LookupRequest(["b"]))
    #expect(found == [.record(created)])
  }

  @Test("2.1: create without a name gets one from the container")
  func makesName() async throws {
    let library = try await container()
    #expect(try await library.create(nil).record?.recordName == "made-1")
  }

  @Test("2.1: each kind of operation on a record that is there, with the right tag")
  func onExisting() async throws {
    let expected: [RecordOperation.Kind: [String: FieldValue]] = [
      .update: ["title": .string("Emma"), "pages": .int64(2)],
      .forceUpdate: ["title": .string("Emma"), "pages": .int64(2)],
      .replace: ["pages": .int64(2)],
      .forceReplace: ["pages": .int64(2)],
    ]
    for (kind, fields) in expected {
      let library = try await container()
      let tag = try await library.create("b", ["title": .string("Emma"), "pages": .int64(1)]).record?
        .changeTag
      let outcome = try await library.one(
        RecordOperation(
          kind, recordType: "Book", recordName: "b", changeTag: tag, fields: ["pages": .int64(2)]))
      #expect(outcome.record?.fields == fields, "\(kind)")
      #expect(outcome.record?.changeTag != tag, "\(kind)")
      #expect(try await library.lookup(LookupRequest(["b"])).first?.record?.fields == fields, "\(kind)")
    }
  }

  @Test(
    "2.1: each kind of operation on a name that is not there",
    arguments: [
      (RecordOperation.Kind.create, nil),
      (.forceUpdate, nil),
      (.forceReplace, nil),
      (.delete, nil),
      (.forceDelete, nil),
      (.update, "CONFLICT: Oplock error updating deleted record"),
      (.replace, "CONFLICT: Oplock error updating deleted record"),
    ] as [(RecordOperation.Kind, String?)])
  func onMissing(_ kind: RecordOperation.Kind, _ refusal: String?) async throws {
    let library = try await container()
    let outcome = try await library.one(
      RecordOperation(kind, recordType: "Book", recordName: "b", changeTag: "1"))
    #expect(outcome.error?.description == refusal)
  }

  @Test(
    "2.1: a stale tag is refused where tags count, and only there",
    arguments: zip(
      RecordOperation.Kind.allCases, [nil, true, false, true, false, true, false] as [Bool?]))
  func staleTag(_ kind: RecordOperation.Kind, _ refused: Bool?) async throws {
    let library = try await container()
    try await library.create("b", ["pages": .int64(1)])
    let outcome = try await library.one(
      RecordOperation(
        kind, recordType: "Book", recordName: "b", changeTag: "zz", fields: ["pages": .int64(2)]))
    switch refused {
    case true: #expect(outcome.error?.description == "CONFLICT: client oplock error updating record")
    case false: #expect(outcome.error == nil)
    default: #expect(outcome.error?.description == "CONFLICT: record to insert already exists")
    }
  }

  @Test("5: an update without a tag is malformed, or last writer wins: one setting")
  func missingTag() async throws {
    let operation = RecordOperation(.update, recordName: "b", fields: ["pages": .int64(2)])
    let strict = try await container()
    try await strict.create("b")
    #expect(try await strict.one(operation).error?.code == .badRequest)
    var behavior = ServerBehavior()
    behavior.updateWithoutTag = .accept
    let lenient = try await container(librarySchema, behavior)
    try await lenient.create("b")
    #expect(try await lenient.one(operation).record?.fields == ["pages": .int64(2)])
  }

  @Test("2.1: a deletion without a tag is accepted or malformed: one setting; a wrong tag is never accepted")
  func deletionWithoutTag() async throws {
    let operation = RecordOperation(.delete, recordName: "b")
    let lenient = try await container()
    try await lenient.create("b")
    #expect(try await lenient.one(operation) == .deleted(recordName: "b"))
    var behavior = ServerBehavior()
    behavior.deleteWithoutTag = .refuse
    behavior.updateWithoutTag = .accept
    let strict = try await container(librarySchema, behavior)
    let tag = try await strict.create("b").record?.changeTag
    #expect(try await strict.one(operation).error?.code == .badRequest)
    #expect(
      try await strict.one(RecordOperation(.delete, recordName: "none")) == .deleted(recordName: "none"))
    #expect(
      try await strict.one(RecordOperation(.delete, recordName: "b", changeTag: "zz")).error?.code
        == .conflict)
    #expect(
      try await strict.one(RecordOperation(.delete, recordName: "b", changeTag: tag))
        == .deleted(recordName: "b"))
    try await strict.create("c")
    #expect(
      try await strict.one(RecordOperation(.forceDelete, recordName: "c")) == .deleted(recordName: "c"))
  }

  @Test("5: a null value clears a field")
  func clearing() async throws {
    let library = try await container()
    try await library.create("b", ["title": .string("Emma"), "tags": .strings(["a"])])
    let outcome = try await library.one(
      RecordOperation(.forceUpdate, recordType: "Book", recordName: "b", fields: ["tags": nil]))
    #expect(outcome.record?.fields == ["title": .string("Emma")])
    let tagged = Query("Book", filters: [Filter("tags", .listContains, .string("a"))])
    #expect(try await library.names(tagged) == [])
  }

  @Test("2.1: outcomes keep the order of the operations, and one refusal leaves the others standing")
  func partialFailure() async throws {
    let library = try await container()
    try await library.create("taken")
    let outcomes = try await library.modify(
      ["a", "taken", "b"].map { RecordOperation(.create, recordType: "Book", recordName: $0) })
    #expect(outcomes.map { $0.record?.recordName } == ["a", nil, "b"])
    #expect(outcomes[1].error?.code == .conflict)
    #expect(try await library.names(Query("Book")) == ["taken", "a", "b"])
  }

  @Test("2.1: a second operation on one record in a request is refused")
  func twiceInOneRequest() async throws {
    let library = try await container()
    let outcomes = try await library.modify([
      RecordOperation(.create, recordType: "Book", recordName: "a"),
      RecordOperation(.forceUpdate, recordType: "Book", recordName: "a", fields: ["pages": .int64(1)]),
    ])
    #expect(outcomes.map { $0.error?.code } == [nil, .badRequest])
    #expect(try await library.lookup(LookupRequest(["a"])).first?.record?.fields == [:])
  }

  @Test("4.1: 200 operations are taken, 201 refused as a whole")
  func tooManyOperations() async throws {
    let library = try await container()
    let operations = (0..<201).map { RecordOperation(.create, recordType: "Book", recordName: "b\($0)") }
    let reason = try await refusal { try await library.modify(operations) }
    #expect(reason?.hasPrefix("BAD_REQUEST: Your request contains 201 items which is more than") == true)
    #expect(try await library.names(Query("Book")) == [])
    #expect(try await library.modify(Array(operations.prefix(200))).allSatisfy { $0.error == nil })
  }

  @Test("4.1: a record over 1 MB is refused, one under it is not")
  func tooLarge() async throws {
    let library = try await container()
    let large = FieldValue.string(String(repeating: "x", count: ContainerLimits.recordSize))
    #expect(try await library.create("large", ["note": large]).error?.code == .badRequest)
    // The name of the field counts as well.
    let room = ContainerLimits.recordSize - "note".utf8.count
    let fitting = FieldValue.string(String(repeating: "x", count: room))
    #expect(try await library.create("fitting", ["note": fitting]).error == nil)
    let over = FieldValue.string(String(repeating: "x", count: room + 1))
    #expect(try await library.create("over", ["note": over]).error?.code == .badRequest)
  }

  @Test("a record name is taken across types, and a record keeps its type")
  func namesAcrossTypes() async throws {
    let library = try await container()
    try await library.create("n")
    let other = try await library.create("n", type: "Person")
    #expect(other.error?.code == .conflict)
    let forced = try await library.one(RecordOperation(.forceReplace, recordType: "Person", recordName: "n"))
    #expect(forced.error?.code == .badRequest)
  }

  @Test("2.1: desired keys of an operation limit what comes back, not what is written")
  func desiredKeys() async throws {
    let library = try await container()
    let outcome = try await library.one(
      RecordOperation(
        .create, recordType: "Book", recordName: "b",
        fields: ["title": .string("Emma"), "pages": .int64(1)], desiredKeys: ["pages"]))
    #expect(outcome.record?.fields == ["pages": .int64(1)])
    #expect(try await library.lookup(LookupRequest(["b"])).first?.record?.fields.count == 2)
  }

  @Test("5: the maker and the time of making stay, those of the change move")
  func stamps() async throws {
    let clock = StoppedClock()
    let library = try await container(clock: clock)
    let made = try await library.create("b").record
    clock.advance(by: 5)
    let other = library.seen(by: CallerIdentity(userRecordName: "_other", customRoles: .named(["Librarian"])))
    let changed = try await other.one(RecordOperation(.forceUpdate, recordType: "Book", recordName: "b"))
      .record
    #expect(changed?.created == made?.created)
    #expect(changed?.modified?.userRecordName == "_other")
    #expect(changed?.modified?.timestamp.milliseconds == 1_005)
  }
}
