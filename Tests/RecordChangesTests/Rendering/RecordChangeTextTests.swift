import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("Changes as text") struct RecordChangeTextTests {
  private func creates(_ count: Int) -> [RecordChange] {
    (0..<count).map { RecordChange(.create, recordType: "Feed", recordName: "r\($0)") }
  }

  @Test("at most 200 changes are shown, and the others are counted", arguments: [0, 1, 200, 201, 205])
  func manyChanges(_ count: Int) {
    let text = RecordChangeText.lines(of: creates(count)).description
    #expect(text.split(separator: "\n").count == min(count, 200) + (count > 200 ? 1 : 0))
    #expect(text.hasSuffix("… and \(count - 200) more\n") == (count > 200))
  }

  @Test("an update is shown field by field, and a new record with the number of its fields")
  func fields() {
    func text(_ action: RecordChange.Action, _ names: [String]) -> RecordChangeText {
      let fields = names.map { ($0, FieldChange(from: .int64(1), to: .int64(2))) }
      return RecordChangeText(
        RecordChange(
          action, recordType: "Feed", recordName: "r", fields: Dictionary(uniqueKeysWithValues: fields)))
    }
    #expect(text(.update, ["b", "a"]).fields == ["a: 1 → 2", "b: 1 → 2"])
    #expect(text(.create, ["b", "a"]).lines.description == "+ Feed r (2 fields)\n")
    #expect(text(.create, ["a"]).lines.description == "+ Feed r (1 field)\n")
    #expect(text(.delete, []).lines.description == "- Feed r\n")
  }

  @Test("changes that were not kept are counted, too")
  func total() {
    #expect(RecordChangeText.lines(of: creates(2), total: 3).description.hasSuffix("… and 1 more\n"))
    #expect(!RecordChangeText.lines(of: creates(3), total: 3).description.contains("more"))
  }

  @Test("at most three moves are shown, and the others are counted", arguments: 1...5)
  func moves(_ count: Int) throws {
    let staying = (0..<20).map { "s\($0)" }
    let movers = (0..<count).map { "m\($0)" }
    let change = FieldChange(from: .strings(movers + staying), to: .strings(staying + movers.reversed()))
    let text = try #require(FieldChangeText().orderOnly(change))
    #expect(text.ranges(of: " moved from ").count == min(count, 3))
    #expect(text.hasSuffix(" and \(count - 3) more") == (count > 3))
  }

  @Test("a promotion is a plan until it is deployed")
  func promotion() throws {
    let schema = try Schema(parsing: "DEFINE SCHEMA RECORD TYPE A ( f STRING );")
    let target = ContainerIdentity(name: "memory:", environment: .development)
    let promotion = try SchemaPromotion(from: schema, to: Schema(), in: target)
    #expect(!promotion.report().isConfirmation)
    #expect(promotion.report().text(.plain).description.hasPrefix("Deployment to production of memory:"))
    #expect(promotion.deployed.isConfirmation)
    #expect(promotion.deployed.text(.plain).description.contains("deployed to production of memory:"))
    let same = try SchemaPromotion(from: schema, to: schema, in: target)
    #expect(same.report().isConfirmation && same.report().text(.plain).description.contains("already"))
  }
}
