import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Records

@Suite struct RecordDeletionTests {
  @Test("named records are deleted once each, and names without a record are listed")
  func named() async throws {
    let library = try await Library.container(["a", "b"])
    let plan = try await RecordDeletion(named: ["b", "a", "b", "c"], in: library)
    #expect(plan.changes.map(\.recordName) == ["a", "b"])
    #expect(plan.changes.allSatisfy { $0.changeTag != nil })
    #expect(plan.json["missing"]?.array == [.string("c")])
    #expect(plan.json["dryRun"] == .bool(true))
    #expect(
      plan.text(.plain).description.hasSuffix("would delete 2 of 3 records\n  · c: no record has this name\n")
    )
  }

  @Test("a filter deletes what it finds, over several pages")
  func matching() async throws {
    let library = try await Library.container((0..<205).map { "book \($0)" })
    let query = Query("Book", filters: [Filter("pages", .equals, .int64(8))])
    let plan = try await RecordDeletion(matching: query, in: library)
    #expect(plan.changes.count == 105)
  }

  @Test("the report counts what was deleted, and says what was not")
  func carriedOut() async throws {
    let library = try await Library.container(["a", "b"])
    let plan = try await RecordDeletion(named: ["a", "b"], in: library)
    let done = plan.carriedOut(
      ChangeReport(results: [(plan.changes[0], .applied), (plan.changes[1], .conflict("it changed"))]))
    #expect(done.status == .partial)
    #expect(done.json["deleted"] == .integer(1))
    #expect(done.json["remaining"]?.array?.count == 1)
    #expect(done.text(.plain).description == "deleted 1 of 2 records\n")
    #expect(done.failure != nil)
  }
}
