import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import Catalog

@Suite("Rules of references") struct ReferenceRulesTests {
  private func findings(_ reference: VerifiedReference, _ records: [Record]) async throws -> [String] {
    var rule = DanglingReferenceRule(reference)
    for record in records { rule.visit(record) }
    return try await rule.findings(RecordExistenceCheck(container: MemoryContainer())).map {
      "\($0.code) \($0.message) | \($0.help ?? "")"
    }
  }

  private func record(_ type: String, _ name: String, _ fields: [String: FieldValue] = [:]) -> Record {
    Record(recordType: type, recordName: name, fields: fields)
  }

  @Test("texts, references and lists of both may name records, and an empty name or a user's is none")
  func names() async throws {
    let reference = VerifiedReference(source: "S", field: "f", targets: ["T"])
    func missing(_ value: FieldValue?) async throws -> [String] {
      try await findings(
        reference,
        [
          record("T", "here"), record("S", "s", value.map { ["f": $0] } ?? [:]),
          record("U", "u", ["f": .string("x")]),
        ])
    }
    let gone =
      "CV0101 f of 1 S record (s) names 'gone', and no T has this name | correct the field: celestra-admin records update S s --fields-file FILE"
    #expect(try await missing(.string("gone")) == [gone])
    #expect(try await missing(.reference(Reference("gone"))) == [gone])
    #expect(try await missing(.references(["here", "gone"])) == [gone])
    #expect(try await missing(.strings(["gone", "gone"])).count == 1)
    #expect(try await missing(.string("here")).isEmpty)
    #expect(try await missing(.string("_user")).isEmpty)
    #expect(try await missing(.string("")).isEmpty)
    #expect(try await missing(.int64(1)).isEmpty)
    #expect(try await missing(nil).isEmpty)
  }

  @Test("a record that belongs to none is an orphan, where it needs one")
  func unlinked() async throws {
    var reference = VerifiedReference(source: "S", field: "f", targets: ["T"], code: .orphan)
    let records = [record("S", "a"), record("S", "b", ["f": .string("")])]
    #expect(
      try await findings(reference, records) == [
        "CV0102 f of 2 S records (a, b) is empty | set the field: celestra-admin records update S a --fields-file FILE"
      ])
    reference.hidesSources = true
    #expect(
      try await findings(reference, records) == [
        "CV0102 f of 2 S records is empty | find them, then correct or delete them: celestra-admin records export S"
      ])
    reference.correction = .fix
    #expect(
      try await findings(reference, records) == [
        "CV0102 f of 2 S records is empty | delete what belongs to no feed: celestra-admin container verify --fix"
      ])
    reference.code = .danglingReference
    #expect(try await findings(reference, records).isEmpty)
  }

  @Test("what is to be done depends on the kind of reference, and on who subscribes to what is missing")
  func corrections() async throws {
    func help(
      _ correction: VerifiedReference.Correction, subscribed: String = "other",
      targets: [String] = ["T", "U"]
    ) async throws -> String {
      let reference = VerifiedReference(source: "S", field: "f", targets: targets, correction: correction)
      let records = [
        record("S", "s", ["f": .string("gone")]),
        record("FeedSubscription", "x", ["feedRecordName": .string(subscribed)]),
      ]
      return try await findings(reference, records).first?.split(separator: " | ").last.map(String.init) ?? ""
    }
    let edit = "celestra-admin records update S s --fields-file FILE"
    #expect(
      try await help(.seeds)
        == "correct the seeds and run 'celestra-admin seed apply'; without a seed: \(edit)")
    #expect(try await help(.edit) == "correct the field: \(edit)")
    #expect(try await help(.fix) == "delete it: celestra-admin container verify --fix")
    #expect(
      try await help(.fix, subscribed: "gone").hasPrefix("people subscribe to it: restore the T or U, "))
    #expect(
      try await help(.fix, subscribed: "gone", targets: []).hasPrefix(
        "people subscribe to it: restore the record, "))
    #expect(
      try await help(.delete)
        == "delete what belonged to it: celestra-admin records delete S --filter 'f == \"gone\"'")
    #expect(try await help(.restoreOrPrune).hasPrefix("restore the T or U: "))
  }

  @Test("the references of a schema have the corrections of their fields")
  func table() throws {
    let schema = try RepositoryFile.shippedSchema()
    let found = VerifiedReference.all(in: schema).map {
      "\($0.source).\($0.field) \($0.targets.joined(separator: "/")) \($0.code.rawValue) \($0.correction)\($0.hidesSources ? " hidden" : "")"
    }
    for row in [
      "PublicFeed.category FeedCategory CV0101 seeds", "FeedMetadata.feedReference PublicFeed CV0102 fix",
      "PublicArticle.feedReference PublicFeed CV0102 delete",
    ] { #expect(found.contains(row), "\(row) in \(found)") }
    #expect(
      found.contains {
        $0.hasPrefix("FeedSubscription.feedRecordName ") && $0.hasSuffix(" CV0102 restoreOrPrune hidden")
      })
    // Without the type that it names, a field can only be edited.
    let alone = Schema(recordTypes: [RecordType("PublicFeed", fields: [Field("category", .reference)])])
    #expect(VerifiedReference.all(in: alone).map { "\($0.targets) \($0.correction)" } == ["[] edit"])
  }

  @Test(
    "a cycle of categories is reported from its first by name",
    arguments: [
      (["a": "b", "b": "a"], ["a → b → a"]), (["a": "a"], ["a → a"]),
      (["a": "b", "b": "c", "c": "b"], ["b → c → b"]), (["a": "b"], []),
      (["a": "b", "b": "a", "c": "d", "d": "c", "e": "a"], ["a → b → a", "c → d → c"]), ([:], []),
    ])
  func cycles(_ parents: [String: String], _ expected: [String]) {
    var rule = CategoryCycleRule()
    for (name, parent) in parents {
      rule.visit(record("FeedCategory", name, ["parentCategory": .reference(Reference(parent))]))
    }
    rule.visit(record("Note", "n", ["parentCategory": .reference(Reference("n"))]))
    let found = rule.findings(RecordExistenceCheck(container: MemoryContainer())).map(\.message)
    #expect(found == expected.map { "the parents of category \($0.prefix(1)) lead back to it: \($0)" })
  }

  @Test("only a record that is not found is missing, and another error ends the check")
  func existence() async throws {
    let check = RecordExistenceCheck(container: MemoryContainer([record("T", "b")]))
    #expect(try await check.missing(among: ["c", "b", "a"]) == ["a", "c"])
    #expect(try await check.missing(among: []).isEmpty)
  }
}
