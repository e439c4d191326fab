import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import Aggregates

@Suite("Declared aggregates") struct AggregateDeclarationTests {
  private func load(_ text: String) -> (file: AggregateFile, diagnostics: [Diagnostic]) {
    AggregateFile.load(SourceText(name: "aggregates.json", text))
  }

  @Test("a full declaration is read as written")
  func full() {
    let (file, diagnostics) = load(
      """
      {"aggregates": [{
        "name": "guests",
        "source": {"recordType": "P", "groupField": "session", "recordNames": "sha256",
          "filters": [{"field": "isActive", "comparator": "==", "value": true},
                      {"field": "kind", "comparator": "IN", "value": ["a", "b"]}]},
        "operation": {"max": "joinedAt"}, "maxDrop": 12.5,
        "targets": [{"recordType": "S", "field": "count"},
                    {"recordType": "C", "field": "n", "groupField": "of", "copy": true}]
      }], "quality": {"profile": "celestra", "weights": {"popularity": 5}}}
      """)
    #expect(diagnostics.isEmpty)
    let expected = AggregateDeclaration(
      name: "guests",
      source: .init(
        recordType: "P", groupField: "session",
        filters: [
          Filter("isActive", .equals, .int64(1)), Filter("kind", .in, .strings(["a", "b"])),
        ], recordNames: .sha256),
      operation: .max("joinedAt"),
      targets: [
        .init(recordType: "S", field: "count"),
        .init(recordType: "C", field: "n", groupField: "of", isCopy: true),
      ], maxDrop: 12.5)
    #expect(file.entries.map(\.declaration) == [expected])
    #expect(file.quality?.weights[.popularity] == 5)
    #expect(file.quality?.weights[.reliability] == 40)
  }

  @Test("the built-in declaration fits its schema")
  func builtIn() {
    let declarations = AggregateDeclaration.builtIn(for: Fixtures.schema)
    #expect(declarations.map(\.name) == ["subscribers"])
    #expect(declarations.flatMap { $0.check(against: Fixtures.schema) }.isEmpty)
    #expect(declarations.first?.targets.count == 3)
  }

  @Test("a target type that the schema lacks is left out, and without a target of its own nothing is offered")
  func narrowed() {
    var schema = Fixtures.schema
    schema.recordTypes.removeAll { ["FeedCollection", "FeedMetadata"].contains($0.name) }
    #expect(AggregateDeclaration.builtIn(for: schema).first?.targets.map(\.recordType) == ["PublicFeed"])
    schema.recordTypes.removeAll { $0.name == "PublicFeed" }
    #expect(AggregateDeclaration.builtIn(for: schema).isEmpty)
  }

  @Test("a filter's value has the type of its field, unless digits would be lost")
  func filterValues() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA
          RECORD TYPE Talk ("___recordID" REFERENCE QUERYABLE, room STRING QUERYABLE,
            minutes DOUBLE QUERYABLE, seats INT64 QUERYABLE, at TIMESTAMP QUERYABLE,
            speaker REFERENCE QUERYABLE, key BYTES QUERYABLE);
          RECORD TYPE Room ("___recordID" REFERENCE QUERYABLE, talks INT64);
        """)
    let cases: [(field: String, value: String, expected: FieldValue)] = [
      ("minutes", "30", .double(30)), ("seats", "30.0", .int64(30)), ("seats", "1.5", .double(1.5)),
      ("seats", "\"30\"", .string("30")), ("room", "30", .int64(30)), ("at", "\"soon\"", .string("soon")),
      ("at", "\"1970-01-01T00:00:02Z\"", .timestamp(Timestamp(milliseconds: 2000))),
      ("at", "\"-3s\"", .timestamp(Timestamp(milliseconds: 2000))),
      ("at", "2000", .timestamp(Timestamp(milliseconds: 2000))),
      ("speaker", "\"ann\"", .reference(Reference("ann"))), ("key", "\"AQI=\"", .bytes([1, 2])),
    ]
    for (field, value, expected) in cases {
      let file = load(
        """
        {"aggregates": [
          {"name": "talks", "source": {"recordType": "Talk", "groupField": "room",
             "filters": [{"field": "\(field)", "value": \(value)}]},
           "targets": [{"recordType": "Room", "field": "talks"}]}]}
        """
      ).file
      let declaration = AggregateCatalog(file, schema: schema).declarations[0]
      let typed = declaration.typed(by: schema, now: Timestamp(milliseconds: 5000))
      #expect(typed.source.filters.map(\.value) == [expected])
      let isRefused = ["1.5", "\"30\"", "\"soon\""].contains(value) || field == "room"
      #expect(declaration.check(against: schema).hasErrors == isRefused)
    }
  }
}
