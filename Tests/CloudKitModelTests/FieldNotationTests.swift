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
