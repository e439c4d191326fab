import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

/// What changes of single records do to readers.
@Suite("Risks of changes") struct ChangeRisksTests {
  private let alpha = SeedFeed.named("alpha").derivedName

  private func risks(
    _ changes: [RecordChange], subscriptions: Int = 2, _ container: MemoryContainer? = nil
  ) async throws -> ChangeRisks {
    let holding = try await MemoryContainer.holding(.sample)
    let container = container ?? holding
    container.subscribe(subscriptions, to: alpha)
    return try await .catalog(changes, in: container, .catalog)
  }

  private func move(to url: String, from: String = "https://alpha.example/feed") -> RecordChange {
    RecordChange(
      .update, recordType: "PublicFeed", recordName: alpha,
      fields: ["feedURL": FieldChange(from: .string(from), to: .string(url))])
  }

  @Test("a feed that is deleted loses its subscriptions, counted or not; one without readers carries no risk")
  func deletion() async throws {
    let deletion = RecordChange(.delete, recordType: "PublicFeed", recordName: alpha)
    let found = try await risks([deletion])
    #expect(found.names == ["subscriber-loss"] && found.readers[alpha]?.words == "2 readers")
    #expect(try await risks([deletion], subscriptions: 0).names == [])
    let counted = try await MemoryContainer.holding(.sample)
    counted.edit(alpha, "subscriberCount", .int64(9))
    #expect(try await risks([deletion], counted).readers[alpha]?.number == 9)
    let hidden = try await MemoryContainer.holding(.sample, hidesSubscriptions: true)
    #expect(try await risks([deletion], hidden).names == ["subscriber-loss"])
  }

  @Test("a feed with readers that gets another host moves them; the same host, or an unread feed, does not")
  func moves() async throws {
    let moves = [move(to: "https://evil.example/")]
    let found = try await risks(moves)
    #expect(found.names == ["readers-move"])
    #expect(
      found.affected(by: moves).text().description == "· \(alpha): 2 readers will read another address\n")
    let same = try await risks([move(to: "https://www.alpha.example/other")])
    #expect(same.names == [] && same.options.isEmpty && same.json.risks == nil)
    let unread = try await risks(moves, subscriptions: 0)
    #expect(unread.names == [] && unread.affected(by: moves).isEmpty)
  }

  @Test("other fields and other types carry no risk, and ask nothing")
  func others() async throws {
    let title = RecordChange(
      .update, recordType: "PublicFeed", recordName: alpha, fields: ["title": FieldChange(to: .string("x"))])
    let article = RecordChange(.delete, recordType: "PublicArticle", recordName: "a")
    let container = try await MemoryContainer.holding(.sample)
    let before = container.queries
    #expect(try await risks([title, article], container) == ChangeRisks())
    #expect(container.queries == before)
  }
}
