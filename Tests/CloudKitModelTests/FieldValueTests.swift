import Diagnostics
import Testing

@testable import CloudKitModel

@Suite("Values of fields") struct FieldValueTests {
  @Test("texts are equal when their code points are, alone, in lists and in references")
  func codePoints() {
    let composed = "Caf\u{E9}"
    let decomposed = "Cafe\u{301}"
    #expect(composed == decomposed)
    #expect(FieldValue.string(composed) != .string(decomposed))
    #expect(FieldValue.strings([composed]) != .strings([decomposed]))
    #expect(FieldValue.references([composed]) != .references([decomposed]))
    #expect(FieldValue.string(composed) == .string("Caf\u{E9}"))
    #expect(Set([FieldValue.string(composed), .string(decomposed), .string("Caf\u{E9}")]).count == 2)
    // One length in bytes, and canonically equal.
    #expect(FieldValue.string("\u{212B}") != .string("A\u{30A}"))
    #expect(Set([ExactText(composed), ExactText(decomposed)]).count == 2)
  }

  @Test(
    "an encrypted value is refused by its type or its mark, and a list without a type by what its first element is",
    arguments: [
      (
        #"{"value": "x", "type": "ENCRYPTED_STRING"}"#,
        "encrypted fields are not supported in the public database"
      ),
      (
        #"{"value": "x", "type": "STRING", "isEncrypted": true}"#,
        "encrypted fields are not supported in the public database"
      ),
      (#"{"value": ["x", 1]}"#, "Invalid value, expected type STRING."),
      (#"{"value": [1, "x"]}"#, "Invalid value, expected type INT64."),
      (#"{"value": [1, 1.5, "0x10"]}"#, "Invalid value, expected type DOUBLE."),
    ])
  func refused(_ text: String, _ reason: String) throws {
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(throws: FieldValueError.invalid(reason)) { try FieldValue.reading(json) }
  }

  @Test(
    "a value is read by its type, and without one by what it looks like (Documentation/reference/web-services.md#field-types)",
    arguments: [
      ("{}", nil), (#"{"type": "STRING"}"#, nil), (#"{"value": null}"#, nil),
      (#"{"value": null, "type": "STRING"}"#, nil), (#"{"value": "x"}"#, .string("x")),
      (#"{"value": 1}"#, .int64(1)), (#"{"value": 1.5}"#, .double(1.5)), (#"{"value": []}"#, .strings([])),
      (#"{"value": ["x"]}"#, .strings(["x"])),
      (#"{"value": [1, 2]}"#, .list(of: .int64, [.int64(1), .int64(2)])),
      (#"{"value": [1, 2.5]}"#, .list(of: .double, [.double(1), .double(2.5)])),
      (#"{"value": {"recordName": "a"}}"#, .reference(Reference("a"))),
      (#"{"value": {"latitude": 1, "longitude": 2}}"#, .location(Location(latitude: 1, longitude: 2))),
      (
        #"{"value": {"receipt": "r", "fileChecksum": "c", "size": 3}}"#,
        .asset(Asset(fileChecksum: "c", size: 3, receipt: "r"))
      ),
      (#"{"value": ["x"], "type": "UNKNOWN_LIST"}"#, .strings([])),
      (#"{"value": "x", "type": "STRING", "isEncrypted": false}"#, .string("x")),
      (#"{"value": "5", "type": "INT64"}"#, .int64(5)), (#"{"value": 5.0, "type": "INT64"}"#, .int64(5)),
      (#"{"value": 5, "type": "DOUBLE"}"#, .double(5)),
      (#"{"value": "1.5", "type": "DOUBLE"}"#, .double(1.5)),
      (#"{"value": "7", "type": "TIMESTAMP"}"#, .timestamp(Timestamp(milliseconds: 7))),
      (#"{"value": "AAH/", "type": "BYTES"}"#, .bytes([0, 1, 255])),
      (
        #"{"value": {"recordName": "a", "action": "VALIDATE"}, "type": "REFERENCE"}"#,
        .reference(Reference("a", action: .validate))
      ),
      (
        #"{"value": {"fileChecksum": "c", "size": "3"}, "type": "ASSETID"}"#,
        .asset(Asset(fileChecksum: "c", size: 3))
      ),
      (
        #"{"value": {"latitude": 1, "longitude": 2, "altitude": 3, "timestamp": 4}, "type": "LOCATION"}"#,
        .location(Location(latitude: 1, longitude: 2, altitude: 3, timestamp: Timestamp(milliseconds: 4)))
      ),
    ] as [(String, FieldValue?)])
  func read(_ text: String, _ value: FieldValue?) throws {
    #expect(try FieldValue.reading(JSONValue(parsing: Array(text.utf8))) == value)
  }

  @Test(
    "what no client means spoils the whole request",
    arguments: [
      "1", #""x""#, "[]", #"{"value": 1, "type": 5}"#, #"{"value": 1, "type": "STRINGS"}"#,
      #"{"value": 1, "type": "ASSET"}"#, #"{"value": true}"#, #"{"value": {}}"#,
      #"{"value": {"longitude": 1}}"#,
      #"{"value": [null]}"#, #"{"value": {"recordName": "a", "action": "X"}}"#,
      #"{"value": {"recordName": "a", "action": 1}}"#,
    ])
  func malformed(_ text: String) throws {
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(throws: FieldValueError.malformed("BadRequestException: Unexpected input")) {
      try FieldValue.reading(json)
    }
  }

  @Test("the size of a value is that of its text, 8 for a number or moment, and the sum of a list")
  func sizes() {
    let sizes: [(FieldValue, Int)] = [
      (.string(""), 0), (.string("é"), 2), (.int64(.max), 8), (.double(0), 8),
      (.timestamp(Timestamp(milliseconds: 0)), 8), (.bytes([1, 2, 3]), 3),
      (.reference(Reference("ab", action: .deleteSelf)), 2),
      (.location(Location(latitude: 0, longitude: 0)), 64),
      (.asset(Asset(fileChecksum: "c", size: 1_000_000)), 128), (.strings([]), 0),
      (.strings(["a", "bc"]), 3),
      (.list(of: .int64, [.int64(1), .int64(2), .int64(3)]), 24),
    ]
    for (value, size) in sizes { #expect(value.size == size, "\(value)") }
  }
}
