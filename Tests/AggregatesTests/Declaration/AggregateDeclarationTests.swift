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

  @Test(
    "mistakes are found where they are",
    arguments: [
      ("{\"aggregates\": [", "AG0101", 1, 17),
      ("{\"agregates\": []}", "AG0102", 1, 2),
      ("{\"aggregates\": [{}]}", "AG0103", 1, 17),
      ("{\"aggregates\": 3}", "AG0104", 1, 16),
      ("[]", "AG0104", 1, 1),
      ("{\"aggregates\": [{\"maxDrop\": 101}]}", "AG0104", 1, 29),
      ("{\"aggregates\": [{\"maxDrop\": -1}]}", "AG0104", 1, 29),
      ("{\"aggregates\": [{\"maxDrop\": \"all\"}]}", "AG0104", 1, 29),
      ("{\"quality\":\n{\"profile\": \"signal\"}}", "AG0105", 2, 13),
      ("{\"quality\": {\"weights\": {\"reliabilty\": 3}}}", "AG0102", 1, 26),
      ("{\"quality\": {\"weights\": {\"reliability\": -3}}}", "AG0104", 1, 41),
    ])
  func mistakes(_ text: String, _ code: String, _ line: Int, _ column: Int) {
    let found = load(text).diagnostics
    #expect(
      found.contains {
        $0.code == code && $0.range?.start.line == line && $0.range?.start.column == column
      }, "\(found.map { "\($0.code) \($0.message) \(String(describing: $0.range?.start))" })")
  }

  @Test("a slip is met with the likely word")
  func suggestions() {
    let found = load("{\"quality\": {\"profile\": \"signal\"}, \"agregates\": []}").diagnostics
    #expect(found.compactMap(\.help).sorted() == ["did you mean 'aggregates'?", "did you mean 'signals'?"])
  }

  @Test("an aggregate declared twice is an error, and so is one with a word of recount's own")
  func names() {
    let one = """
      {"name": "readers", "source": {"recordType": "S", "groupField": "g"},
       "targets": [{"recordType": "T", "field": "n"}]}
      """
    let again = one.replacing("\"n\"", with: "\"m\"")
    #expect(load("{\"aggregates\": [\(one), \(again)]}").diagnostics.map(\.code) == ["AG0106"])
    for word in ["audit", "all", "subscribers", "quality", "participants"] {
      let named = one.replacing("readers", with: word)
      #expect(load("{\"aggregates\": [\(named)]}").diagnostics.map(\.code) == ["AG0107"])
    }
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

  @Test("a missing index is named with the line that adds it")
  func index() {
    let schema = Schema(recordTypes: [
      RecordType("S", fields: [Fixtures.recordID, Field("group", .string, [.sortable])]),
      RecordType("T", fields: [Field("n", .int64)]),
    ])
    let declaration = AggregateDeclaration(
      name: "a",
      source: .init(
        recordType: "S", groupField: "group",
        filters: [Filter(.system(.createdTimestamp), .greaterThan, .timestamp(Timestamp(milliseconds: 0)))]),
      targets: [.init(recordType: "T", field: "n")])
    let found = declaration.check(against: schema)
    #expect(found.map(\.code) == ["AG0204", "AG0204", "AG0204"])
    #expect(
      found.map(\.help) == [
        "in RECORD TYPE S write: group STRING QUERYABLE SORTABLE,",
        "in RECORD TYPE S write: \"___createTime\" TIMESTAMP QUERYABLE,",
        "in RECORD TYPE T write: \"___recordID\" REFERENCE QUERYABLE,",
      ])
  }

  @Test("what does not fit the schema is pointed at where it was declared")
  func places() throws {
    let file = load(
      """
      {"aggregates": [
        {"name": "a", "source": {"recordType": "FeedSubscription", "groupField": "feed"},
         "targets": [{"recordType": "PublicFeed", "field": "subscriberCount"}]}]}
      """
    ).file
    let catalog = AggregateCatalog(file, schema: Fixtures.schema)
    #expect(catalog.names == ["a", "subscribers", "quality", "all"])
    func subjects(_ name: String) throws -> [Recount.Subject] {
      try catalog.subjects(named: name, profile: nil, estimating: false)
    }
    #expect(try subjects("subscribers").map(\.name) == ["subscribers"])
    let findings = #expect(throws: CommandFailure.self) { try subjects("all") }?.diagnostics
    #expect(findings?.map(\.code) == ["AG0202"])
    #expect(findings?.first?.range?.start.line == 2)
  }

  @Test("unknown types and fields and wrong types are reported together")
  func misfits() {
    let declaration = AggregateDeclaration(
      name: "a", source: .init(recordType: "FeedSubscriptions", groupField: "x"),
      operation: .sum("subscriberCount"),
      targets: [
        .init(recordType: "PublicFeed", field: "subscribersCount"),
        .init(recordType: "FeedMetadata", field: "feedReference", isCopy: true),
      ])
    let found = declaration.check(against: Fixtures.schema)
    #expect(found.map(\.code) == ["AG0201", "AG0202", "AG0203"])
    let helps = found.compactMap(\.help)
    #expect(helps.prefix(2) == ["did you mean 'FeedSubscription'?", "did you mean 'subscriberCount'?"])
    #expect(helps.count == 3 && helps[2].hasPrefix("name one that is: "))
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

  @Test("sums and maxima are written in the target's type")
  func operations() async throws {
    let schema = Schema(recordTypes: [
      RecordType(
        "S",
        fields: [
          Fixtures.recordID, Field("to", .reference, [.queryable]), Field("n", .int64),
          Field("at", .timestamp),
        ]),
      RecordType("T", fields: [Fixtures.recordID, Field("sum", .double), Field("latest", .timestamp)]),
    ])
    let container = MemoryContainer()
    container.insert(["a", "b"].map { Record(recordType: "T", recordName: $0) })
    container.insert(
      (1...4).map {
        Record(
          recordType: "S", recordName: "s\($0)",
          fields: [
            "to": .reference(Reference("a")), "n": .int64(Int64($0)),
            "at": .timestamp(Timestamp(milliseconds: Int64($0) * 10)),
          ])
      })
    for (operation, field) in [(AggregateDeclaration.Operation.sum("n"), "sum"), (.max("at"), "latest")] {
      let declaration = AggregateDeclaration(
        name: field, source: .init(recordType: "S", groupField: "to"), operation: operation,
        targets: [.init(recordType: "T", field: field)])
      for strategy in [ScanStrategy.sweep, .byTarget] {
        var options = RecountOptions()
        options.strategy = strategy
        _ = try await Recount(
          declaration, schema: schema, container: container, options: options,
          dependencies: Fixtures.environment()
        ).run()
      }
    }
    #expect(
      container["a"]?.fields == ["sum": .double(10), "latest": .timestamp(Timestamp(milliseconds: 40))])
    #expect(container["b"]?.fields == ["sum": .double(0)])
  }
}
