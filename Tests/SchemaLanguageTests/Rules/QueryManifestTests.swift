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
          + "declare it as body STRING QUERYABLE SEARCHABLE,",
        "CK0204 \"added\": a filter with GREATER_THAN_OR_EQUALS on 'T.added' may be refused: the field is SORTABLE "
          + "but not QUERYABLE | "
          + "declare it as added TIMESTAMP QUERYABLE SORTABLE,",
        "CK0201 \"body\": a sort needs a SORTABLE index on 'T.body' | declare it as body STRING QUERYABLE SORTABLE,",
      ])
  }

  @Test("equality is not served by SORTABLE, whatever ranges are")
  func equality() {
    expectNoDifference(
      found(#"[{"recordType": "T", "filters": [{"field": "added", "comparator": "EQUALS"}]}]"#),
      [
        "CK0201 \"added\": a filter with EQUALS needs a QUERYABLE index on 'T.added' | "
          + "declare it as added TIMESTAMP QUERYABLE SORTABLE,"
      ])
  }

  @Test("what is indexed is not reported")
  func indexed() {
    expectNoDifference(
      found(
        """
        {"queries": [{"recordType": "T", "filters": [{"field": "name"}], "sorts": ["name", "___createTime"]}]}
        """), [])
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
      let manifest = QueryManifest(parsing: SourceText(name: "queries.json", queries))
      let parsed = parse(text, name: "schema/own.ckdb")
      return (manifest.diagnostics + SchemaLinter.diagnostics(parsed, LintOptions(queries: manifest)))
        .map(\.code).filter { $0 != "CK0203" }
    }
    #expect(codes("other.ckdb") == [])
    #expect(codes("own.ckdb") == ["CK0202"])
  }

  @Test(
    "what has the wrong shape is an error, at its place",
    arguments: [
      (#"{"queries": {}}"#, "{}"), (#""x""#, #""x""#), (#"[7]"#, "7"),
      (#"[{"recordType": 7}]"#, #"{"recordType": 7}"#),
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
        "CK0601 {\"filters\": []}: a query needs its \"recordType\" | ",
        "CK0601 \"filter\": unknown key 'filter' | did you mean \"filters\"?",
        "CK0601 \"EQAULS\": there is no comparator 'EQAULS' | did you mean EQUALS?",
      ])
    expectNoDifference(found("[{").map { $0.prefix(6) }, ["CK0601"])
  }

  @Test(
    "a system field has its name of the web services or its stored one; an etag may be a field of the app",
    arguments: [
      ("recordName", "___recordID"), ("createdTimestamp", "___createTime"),
      ("createdUserRecordName", "___createdBy"), ("modifiedTimestamp", "___modTime"),
      ("modifiedUserRecordName", "___modifiedBy"), ("___modTime", "___modTime"),
    ])
  func systemFields(_ name: String, _ stored: String) {
    let finding = found(#"[{"recordType": "T", "filters": [{"field": "\#(name)"}]}]"#)
    #expect(finding.count == 1)
    #expect(finding[0].contains("a filter with EQUALS needs a QUERYABLE index on 'T.\(stored)'"))
  }

  @Test("an etag is looked up among the fields of the type")
  func etag() {
    #expect(
      found(#"[{"recordType": "T", "sorts": ["etag"]}]"#)
        .contains { $0.hasPrefix("CK0202 \"etag\": 'T' has no field 'etag'") })
  }

  @Test("a query's own schema counts before that of the file")
  func ownSchema() {
    func codes(_ own: String, _ file: String) -> [String] {
      let queries = #"{"schema": "\#(file)", "queries": [{"recordType": "U", "schema": "\#(own)"}]}"#
      let manifest = QueryManifest(parsing: SourceText(name: "queries.json", queries))
      let parsed = parse(text, name: "own.ckdb")
      return (manifest.diagnostics + SchemaLinter.diagnostics(parsed, LintOptions(queries: manifest)))
        .map(\.code).filter { $0 != "CK0203" }
    }
    #expect(codes("own.ckdb", "other.ckdb") == ["CK0202"])
    #expect(codes("other.ckdb", "own.ckdb") == [])
  }

  @Test(
    "keys that other commands read are known",
    arguments: [
      #"{"queries": [], "$schema": "s", "description": "d", "schema": "x"}"#,
      #"[{"recordType": "T", "filters": [{"field": "name", "value": 1}], "sorts": [{"field": "name"}]}]"#,
      #"""
      [{"recordType": "T", "sorts": ["name"], "filters": [{"field": "name"}], "name": "n", "description": "d",
        "fields": [], "limit": 1, "phrases": [], "lookup": 1, "mayBeEmpty": true, "schema": "schema.ckdb",
        "subscription": 1}]
      """#,
    ])
  func knownKeys(_ queries: String) { #expect(!found(queries).contains { $0.hasPrefix("CK0601") }) }

  @Test(
    "the shapes are explained in words",
    arguments: [
      (#"{"queries": 1}"#, "CK0601 1: expected a list of queries | "),
      (#"[{"recordType": "T", "sorts": 1}]"#, #"CK0601 1: "sorts" must be a list | "#),
      (#"[{"recordType": "T", "filters": 1}]"#, #"CK0601 1: "filters" must be a list | "#),
      (#"[{"recordType": "T", "filters": [{}]}]"#, #"CK0601 {}: a filter needs its "field" | "#),
      (
        #"[{"recordType": "T", "filters": [{"field": "name", "comparator": 1}]}]"#,
        #"CK0601 1: a comparator is a word in quotes, such as "EQUALS" | "#
      ),
      (
        #"[{"recordType": "T", "filters": [{"field": "name", "comparator": "zzzzzzzzzzzz"}]}]"#,
        #"CK0601 "zzzzzzzzzzzz": there is no comparator 'zzzzzzzzzzzz' | "#
      ),
    ])
  func words(_ queries: String, _ finding: String) { expectNoDifference(found(queries), [finding]) }

  @Test("a sort without a field is reported, and the query of all records is checked besides")
  func sortWithoutField() {
    expectNoDifference(
      found(
        #"[{"recordType": "T", "filters": [{"field": "name"}], "sorts": [{}, {"field": "name", "asc": 1}]}]"#),
      [
        #"CK0601 {}: a sort needs its "field" | "#,
        #"CK0601 "asc": unknown key 'asc' | "#,
      ])
  }
}
