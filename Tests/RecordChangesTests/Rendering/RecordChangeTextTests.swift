import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("Changes as text") struct RecordChangeTextTests {
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
    #expect(!promotion.isConfirmation)
    #expect(promotion.text(.plain).description.hasPrefix("Deployment to production of memory:"))
    let deployed = promotion.deployed(isShown: true)
    #expect(deployed.isConfirmation)
    #expect(deployed.text(.plain).description == "1 change deployed to production of memory:\n")
    // What a comparison finds in production alone is named, and stays.
    let more = try Schema(
      parsing: "DEFINE SCHEMA RECORD TYPE A ( \"___modTime\" TIMESTAMP SORTABLE, f STRING );")
    let same = try SchemaPromotion(from: schema, to: more, in: target)
    #expect(
      same.text(.plain).description
        == "production of memory: has all that development has\nonly production has A.___modTime SORTABLE, and keeps it\n"
    )
    #expect(same.isConfirmation && same.json["kept"]?.array?.count == 1)
  }
}
