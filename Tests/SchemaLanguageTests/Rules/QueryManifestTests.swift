import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Queries against indexes") struct QueryManifestTests {
  private let text = schema(
    """
    "___createTime" TIMESTAMP SORTABLE,
    added TIMESTAMP SORTABLE,
    body STRING QUERYABLE,
    name STRING QUERYABLE SORTABLE SEARCHABLE,
    GRANT CREATE TO "_icloud"
    """)

  private func found(_ queries: String) -> [String] {
    let manifest = QueryManifest(parsing: SourceText(name: "queries.json", queries))
    let lint = SchemaLinter.diagnostics(parse(text), LintOptions(queries: manifest))
    return (manifest.diagnostics + lint).filter { $0.code != "CK0203" }.map {
      "\($0.code) \($0.pointedAt): \($0.message) | \($0.help ?? "")"
    }
  }

  @Test("each missing index comes with the line to write")
  func missing() {
    expectNoDifference(
      found(
        """
        [{"recordType": "T"},
         {"recordType": "T", "filters": [{"field": "body", "comparator": "CONTAINS_ALL_TOKENS"},
                                         {"field": "added", "comparator": ">="}],
          "sorts": ["body", {"field": "createdTimestamp", "ascending": false}]}]
        """),
      [
        "CK0201 \"T\": a query for every record needs a QUERYABLE index on 'T.___recordID' | "
          + "declare it as \"___recordID\" REFERENCE QUERYABLE,",
        "CK0201 \"body\": a filter with CONTAINS_ALL_TOKENS needs a SEARCHABLE index on 'T.body' | "
          + "declare it as body STRING QUERYABLE SEARCHABLE SORTABLE,",
        "CK0204 \"added\": a filter with GREATER_THAN_OR_EQUALS on 'T.added' may be refused: the field is SORTABLE "
          + "but not QUERYABLE | "
          + "declare it as added TIMESTAMP QUERYABLE SORTABLE,",
        "CK0201 \"body\": a sort needs a SORTABLE index on 'T.body' | "
          + "declare it as body STRING QUERYABLE SEARCHABLE SORTABLE,",
      ])
  }

  @Test("unknown names get a suggestion")
  func unknown() {
    expectNoDifference(
      found(#"[{"recordType": "T", "filters": [{"field": "nmae"}]}, {"recordType": "TT"}]"#),
      [
        "CK0202 \"nmae\": 'T' has no field 'nmae' | did you mean name?",
        "CK0202 \"TT\": there is no record type 'TT' | did you mean T?",
      ])
  }

  @Test("a record type that the schema lacks is reported once for each query, whatever its filters")
  func unknownTypes() {
    let query = #"{"recordType": "TT", "filters": [{"field": "a"}, {"field": "b"}], "sorts": ["c"]}"#
    expectNoDifference(
      found("[\(query), \(query)]"),
      Array(repeating: "CK0202 \"TT\": there is no record type 'TT' | did you mean T?", count: 2))
  }

  @Test("a query of another schema's file is left out, one of this file is not")
  func otherSchemas() {
    func codes(_ schema: String) -> [String] {
      let queries = "{\"schema\": \"\(schema)\", \"queries\": [{\"recordType\": \"U\"}]}"
      let manifest = QueryManifest(parsing: SourceText(name: "schema/queries.json", queries))
      let parsed = parse(text, name: "schema/own.ckdb")
      return (manifest.diagnostics + SchemaLinter.diagnostics(parsed, LintOptions(queries: manifest)))
        .map(\.code).filter { $0 != "CK0203" }
    }
    #expect(codes("other.ckdb") == [])
    #expect(codes("other/own.ckdb") == [])
    #expect(codes("own.ckdb") == ["CK0202"])
  }

  @Test(
    "what has the wrong shape is an error, at its place",
    arguments: [
      (#"{"queries": {}}"#, "{}"), (#""x""#, #""x""#), (#"[7]"#, "7"),
      (#"[{"recordType": 7}]"#, "7"), ("[\n  {\n    \"filters\": []\n  }\n]", #""filters": []"#),
      (#"[{"recordType": "T", "filters": {"field": "name"}}]"#, #"{"field": "name"}"#),
      (#"[{"recordType": "T", "filters": "name == y"}]"#, #""name == y""#),
      (#"[{"recordType": "T", "filters": [["name"]]}]"#, #"["name"]"#),
      (#"[{"recordType": "T", "filters": [{"field": 7}]}]"#, #"{"field": 7}"#),
      (#"[{"recordType": "T", "filters": [{"field": "name", "comparator": 7}]}]"#, "7"),
      (#"[{"recordType": "T", "filters": [{"field": "name", "op": "=="}]}]"#, #""op""#),
      (#"[{"recordType": "T", "sorts": "name"}]"#, #""name""#),
      (#"[{"recordType": "T", "sorts": {"field": "name"}}]"#, #"{"field": "name"}"#),
      (#"[{"recordType": "T", "sorts": [7]}]"#, "7"),
      (#"{"queries": [], "query": []}"#, #""query""#),
    ])
  func shapes(_ queries: String, _ place: String) {
    #expect(found(queries).contains { $0.hasPrefix("CK0601 \(place): ") }, "\(found(queries))")
  }

  @Test("a manifest's own mistakes are reported with their places")
  func mistakes() {
    expectNoDifference(
      found(
        #"[{"filters": []}, {"recordType": "T", "filter": [], "filters": [{"field": "name", "comparator": "EQAULS"}]}]"#
      ),
      [
        "CK0601 {\"filters\": []}: a query needs its \"recordType\" | write {\"recordType\": \"Note\"}, for example",
        "CK0601 \"filter\": unknown key 'filter' | did you mean \"filters\"?",
        "CK0601 \"EQAULS\": there is no comparator 'EQAULS' | did you mean EQUALS?",
      ])
    let order = found(#"[{"recordType": "T", "filters": [{"field": "name", "comparator": "=<"}]}]"#)
    #expect(order.first?.hasSuffix("| did you mean <=?") ?? false, "\(order)")
    expectNoDifference(found("[{").map { $0.prefix(6) }, ["CK0601"])
  }
}
