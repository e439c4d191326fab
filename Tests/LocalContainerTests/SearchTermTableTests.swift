import CloudKitModel
import SchemaLanguage
import Testing

@testable import LocalContainer

@Suite("Token search, and filters that are true of everything") struct SearchTermTableTests {
  private static let schema = """
    DEFINE SCHEMA
      RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, text STRING SEARCHABLE, name STRING QUERYABLE, tags LIST<STRING> QUERYABLE,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO "_icloud");
    """

  private func container() async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(Self.schema)
    let records: [(String, [String: FieldValue?])] = [
      ("composed", ["text": .string("Caf\u{E9} au lait"), "name": .string("n")]),
      ("decomposed", ["text": .string("cafe\u{301}"), "tags": .strings(["t"])]),
      ("fox", ["text": .string("Quick FOX")]), ("empty", ["name": nil]),
    ]
    _ = try await container.modify(
      records.map { .init(.create, recordType: "Note", recordName: $0.0, fields: $0.1) })
    return container
  }

  private func found(
    _ container: LocalContainer, _ field: String, _ comparator: Comparator, _ value: FieldValue
  ) async throws -> [String] {
    let query = Query("Note", filters: [Filter(.init(field), comparator, value)])
    return try await container.allRecords(query).map(\.recordName).sorted()
  }

  @Test(
    "case, diacritics, their spelling and Apple's ignored words make no difference",
    arguments: [
      ("cafe", ["composed", "decomposed"]), ("CAF\u{C9}", ["composed", "decomposed"]),
      ("Cafe\u{301}", ["composed", "decomposed"]), ("the fox", ["fox"]), ("fox with quick", ["fox"]),
      ("foxes", []),
    ])
  func words(text: String, expected: [String]) async throws {
    #expect(try await found(container(), "text", .containsAllTokens, .string(text)) == expected)
  }

  @Test("a filter that is true of every value finds no record without one")
  func everything() async throws {
    let container = try await container()
    let texts = ["composed", "decomposed", "fox"]
    for text in ["", "!!", "the"] {
      #expect(try await found(container, "text", .containsAllTokens, .string(text)) == texts)
      #expect(try await found(container, "text", .containsAnyTokens, .string(text)) == [])
    }
    #expect(try await found(container, "name", .notIn, .strings([])) == ["composed"])
    #expect(try await found(container, "name", .notIn, .strings(["x"])) == ["composed"])
    #expect(try await found(container, "tags", .listContainsAll, .strings([])) == ["decomposed"])
    #expect(try await found(container, "tags", .notListContainsAny, .strings([])) == ["decomposed"])
  }

  @Test("EQUALS may ignore case", arguments: [false, true])
  func equals(ignoresCase: Bool) async throws {
    var settings = LocalContainerSettings()
    settings.behavior.equalsIgnoresCase = ignoresCase
    let container = try LocalContainer.open(.memory, settings: settings)
    try await container.importSchema(Self.schema)
    _ = try await container.modify([
      .init(.create, recordType: "Note", recordName: "a", fields: ["name": .string("abc")])
    ])
    #expect(try await found(container, "name", .equals, .string("ABC")) == (ignoresCase ? ["a"] : []))
    #expect(try await found(container, "name", .equals, .string("abc")) == ["a"])
  }

  @Test("a text that is replaced leaves no word behind")
  func replaced() async throws {
    let container = try await container()
    _ = try await container.modify([
      .init(.forceUpdate, recordType: "Note", recordName: "composed", fields: ["text": .string("tea")])
    ])
    #expect(try await found(container, "text", .containsAllTokens, .string("cafe")) == ["decomposed"])
    #expect(try await found(container, "text", .containsAllTokens, .string("tea")) == ["composed"])
  }
}
