import CloudKitModel
import Diagnostics
import Testing

@Suite struct FieldNotationTests {
  private static let declared: [String: FieldType] = [
    "title": .scalar(.string), "rating": .scalar(.double), "isNew": .scalar(.int64),
    "added": .scalar(.timestamp),
    "author": .scalar(.reference), "tags": .list(.string), "parts": .list(.reference),
  ]

  @Test(
    "a plain value takes the declared type",
    arguments: [
      (#""title": "1""#, "title", .string("1")), (#""rating": 4"#, "rating", .double(4)),
      (#""isNew": true"#, "isNew", .int64(1)), (#""isNew": false"#, "isNew", .int64(0)),
      (#""added": "1970-01-01T00:00:01Z""#, "added", .timestamp(Timestamp(milliseconds: 1000))),
      (#""author": "emma""#, "author", .reference(Reference("emma"))),
      (#""tags": ["a"]"#, "tags", .strings(["a"])),
      (#""parts": ["a", "b"]"#, "parts", .references(["a", "b"])),
      (#""parts": []"#, "parts", .references([])),
      (#""other": "x""#, "other", .string("x")),
      (#""added": 7"#, "added", .timestamp(Timestamp(milliseconds: 7))),
      (#""title": {"value": "x", "type": "STRING"}"#, "title", .string("x")),
      (#""other": 2"#, "other", .int64(2)),
    ] as [(String, String, FieldValue)])
  func plain(_ text: String, _ field: String, _ value: FieldValue) throws {
    let json = try JSONValue(parsing: Array("{\(text)}".utf8))
    #expect(try FieldNotation.fields(json, declared: Self.declared) == [field: value])
  }

  @Test(
    "a value of another type is refused, and so is anything but an object",
    arguments: [#"{"isNew": "yes"}"#, #"{"added": "soon"}"#, #"{"tags": "a"}"#, "[]"])
  func refused(_ text: String) throws {
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(throws: FieldValueError.self) { try FieldNotation.fields(json, declared: Self.declared) }
  }
}

@Suite struct CKToolNotationTests {
  private func read(_ text: String, _ assets: [String: Asset] = [:]) throws -> [String: FieldValue] {
    try CKToolNotation.fields(JSONValue(parsing: Array(text.utf8)), assets: assets)
  }

  @Test("Apple's type names and times are understood")
  func appleTypes() throws {
    let fields = try read(
      """
      {"title": {"type": "stringType", "value": "Sea"}, "pages": {"type": "int64Type", "value": 12},
       "published": {"type": "timestampType", "value": "1970-01-01T00:00:01Z"},
       "tags": {"type": "stringListType", "value": ["a", "b"]}}
      """)
    #expect(
      fields == [
        "title": .string("Sea"), "pages": .int64(12),
        "published": .timestamp(Timestamp(milliseconds: 1000)), "tags": .strings(["a", "b"]),
      ])
  }

  @Test("so are the names on the wire")
  func wireTypes() throws {
    #expect(try read(#"{"pages": {"type": "INT64", "value": 12}}"#) == ["pages": .int64(12)])
  }

  @Test("a file stands under its key, alone or in a list; a key without a file is refused")
  func assets() throws {
    let text = """
      {"cover": {"type": "assetType", "value": "A"}, "pages": {"type": "assetListType", "value": ["A", "B"]},
       "title": {"type": "stringType", "value": "A"}}
      """
    let a = Asset(fileChecksum: "a", size: 1, receipt: "r")
    let b = Asset(fileChecksum: "b", size: 2, receipt: "s")
    let fields = try read(text, ["A": a, "B": b])
    #expect(fields["cover"] == .asset(a))
    #expect(fields["pages"] == .list(of: .asset, [.asset(a), .asset(b)]))
    let error = #expect(throws: FieldValueError.self) { try read(text, ["A": a]) }
    #expect(error?.reason.contains("the file of the asset 'B' is missing") == true)
  }
}
