import CloudKitModel
import SchemaLanguage
import Testing

@testable import LocalContainer

@Suite("Roles")
struct RoleTests {
  private let world = CallerIdentity.world
  private let ann = CallerIdentity(userRecordName: "_ann")
  private let bob = CallerIdentity(userRecordName: "_bob")
  private let librarian = CallerIdentity(userRecordName: "_lib", customRoles: .named(["Librarian"]))

  @Test("a server key is not exempt: without its custom role it may not create")
  func keyWithoutRole() async throws {
    let library = try await container()
    let outcome = try await library.seen(by: .serverKey(roles: [])).create("b")
    #expect(outcome.error?.description == "ACCESS_DENIED: CREATE operation not permitted")
    #expect(try await library.seen(by: .serverKey(roles: ["Librarian"])).create("b").error == nil)
  }

  @Test("_icloud may create, only the maker may change or delete")
  func creator() async throws {
    let library = try await container()
    #expect(try await library.seen(by: ann).create("p", type: "Person").error == nil)
    let change = RecordOperation(.forceUpdate, recordName: "p", fields: ["name": .string("x")])
    let deletion = RecordOperation(.forceDelete, recordName: "p")
    for operation in [change, deletion] {
      let outcome = try await library.seen(by: bob).one(operation)
      #expect(outcome.error?.description == "ACCESS_DENIED: WRITE operation not permitted")
    }
    #expect(try await library.seen(by: ann).one(change).error == nil)
    #expect(try await library.seen(by: ann).one(deletion).error == nil)
  }

  @Test("a force operation that would create needs CREATE, not WRITE")
  func forceCreates() async throws {
    let library = try await container()
    let force = RecordOperation(.forceReplace, recordType: "Person", recordName: "p")
    #expect(try await library.seen(by: ann).one(force).error == nil)
    #expect(try await library.seen(by: bob).one(force).error?.code == .accessDenied)
  }

  @Test("READ to _creator alone shows everyone their own records")
  func ownRecordsOnly() async throws {
    let library = try await container()
    try await library.seen(by: ann).create("l1", type: "Loan")
    try await library.seen(by: bob).create("l2", type: "Loan")
    #expect(try await library.seen(by: ann).names(Query("Loan")) == ["l1"])
    #expect(try await library.seen(by: librarian).names(Query("Loan")) == ["l1", "l2"])
    let lookup = try await library.seen(by: ann).lookup(LookupRequest(["l1", "l2"]))
    #expect(lookup.map { $0.error?.description } == [nil, "ACCESS_DENIED: READ operation not permitted"])
    let request = GroupCountRequest(recordType: "Loan", groupField: "book")
    #expect(try await library.seen(by: bob).groups(request).counts == ["": 1])
  }

  @Test("a query of what nobody gave the caller is refused or empty: one setting")
  func unreadable() async throws {
    let library = try await container().seen(by: world)
    #expect(
      try await refusal { try await library.names(Query("Loan")) }
        == "ACCESS_DENIED: READ operation not permitted")
    var behavior = ServerBehavior()
    behavior.unreadableQuery = .empty
    let lenient = try await container(librarySchema, behavior).seen(by: world)
    #expect(try await lenient.names(Query("Loan")) == [])
  }

  @Test("1.2: somebody who is not signed in reads, and is asked to sign in before writing")
  func worldWrites() async throws {
    let library = try await container()
    try await library.create("b")
    #expect(try await library.seen(by: world).names(Query("Book")) == ["b"])
    let reason = try await refusal { try await library.seen(by: world).create("c", type: "Person") }
    #expect(reason == "AUTHENTICATION_REQUIRED: request needs authorization")
  }

  @Test("a refusal says which role would have been needed, and names no user")
  func explanation() async throws {
    let library = try await container()
    let operation = RecordOperation(.create, recordType: "Book", recordName: "b")
    let outcomes = try await library.seen(by: ann).modify([operation])
    guard case .failed("b", let refusal)? = outcomes.first else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.explanation.contains("CREATE on Book is granted to Librarian"))
    #expect(!refusal.explanation.contains("_ann"))
  }

  @Test("a type without grants: the documented defaults, or nobody")
  func grantless() async throws {
    let schema = "DEFINE SCHEMA RECORD TYPE Plain (\"___recordID\" REFERENCE QUERYABLE, name STRING);"
    let plain = try await container(schema)
    #expect(try await plain.seen(by: ann).create("a", type: "Plain").error == nil)
    #expect(try await plain.seen(by: world).names(Query("Plain")) == ["a"])
    var behavior = ServerBehavior()
    behavior.typeWithoutGrants = .nobody
    let closed = try await container(schema, behavior)
    #expect(try await closed.create("a", type: "Plain").error?.code == .accessDenied)
  }

  @Test("whether a grant to a role applies to a caller for every record")
  func holding() {
    let all = CallerIdentity.serverKey
    for (identity, held) in [
      (world, ["_world"]), (ann, ["_world", "_icloud"]), (librarian, ["_world", "_icloud", "Librarian"]),
      (all, ["_world", "_icloud", "Librarian", "Other"]),
      (CallerIdentity(userRecordName: nil, customRoles: .all), ["_world"]),
      (CallerIdentity(userRecordName: nil, customRoles: .named(["Librarian"])), ["_world"]),
    ] {
      #expect(["_world", "_icloud", "_creator", "Librarian", "Other"].filter(identity.holds) == held)
    }
    #expect(world.roleList == "_world" && ann.roleList == "_world, _icloud")
    #expect(
      librarian.roleList == "_world, _icloud, Librarian"
        && all.roleList == "_world, _icloud, every custom role")
  }

  @Test("a creator's grant covers the caller's own records")
  func extents() {
    let type = RecordType("T", grants: [Grant([.write], to: "_creator"), Grant([.read], to: "Librarian")])
    func allows(_ identity: CallerIdentity, _ privilege: Privilege, creator: String?) -> Bool {
      Permissions(identity: identity, behavior: .init()).allows(privilege, on: type, creator: creator)
    }
    #expect(
      allows(ann, .write, creator: "_ann") && !allows(ann, .write, creator: "_bob")
        && !allows(ann, .write, creator: nil))
    #expect(!allows(world, .write, creator: nil) && !allows(ann, .read, creator: "_ann"))
    #expect(allows(librarian, .read, creator: "_ann") && !allows(librarian, .create, creator: "_lib"))
    let refusal = Permissions(identity: ann, behavior: .init()).refusal(.create, on: type)
    #expect(refusal.explanation == "CREATE on T is granted to no role; the caller holds _world, _icloud")
    #expect(
      Permissions(identity: bob, behavior: .init()).refusal(.write, on: type).explanation
        == "WRITE on T is granted to _creator; the caller holds _world, _icloud and did not create the record"
    )
  }
}
