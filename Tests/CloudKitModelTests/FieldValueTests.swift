import CloudKitModel
import Diagnostics
import Testing

@Suite("Values of fields") struct FieldValueTests {
  @Test("a value stays small: tables of many thousand records are made of them")
  func size() {
    #expect(MemoryLayout<FieldValue?>.stride <= 24)
  }

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
    #expect(Set([BytewiseText(composed), BytewiseText(decomposed)]).count == 2)
  }

  @Test("a flag is any whole number but 0, and nothing else")
  func flags() {
    #expect([0, 1, -1, 2].map { FieldValue.int64($0).flag } == [false, true, true, true])
    #expect(FieldValue.double(1).flag == nil && FieldValue.string("1").flag == nil)
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
      (#"{"value": [1, 1.5, "x"]}"#, "Invalid value, expected type DOUBLE."),
    ])
  func refused(_ text: String, _ reason: String) throws {
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(throws: FieldValueError.invalid(reason)) { try FieldValue.reading(json) }
  }

  @Test("values of every kind equal themselves and differ from the others")
  func equality() {
    let values: [FieldValue] = [
      .string("1"), .string("2"), .int64(1), .int64(2), .double(1), .double(2),
      .timestamp(Timestamp(milliseconds: 1)), .timestamp(Timestamp(milliseconds: 2)), .bytes([1]),
      .bytes([2]),
      .reference(Reference("1")), .reference(Reference("1", action: .deleteSelf)),
      .location(Location(latitude: 1, longitude: 1)), .location(Location(latitude: 1, longitude: 2)),
      .asset(Asset(fileChecksum: "1", size: 1)), .asset(Asset(fileChecksum: "2", size: 1)),
      .list(of: .int64, []), .list(of: .string, []), .strings(["1"]), .strings(["1", "2"]),
    ]
    for (left, value) in values.enumerated() {
      for (right, other) in values.enumerated() { #expect((value == other) == (left == right)) }
    }
    #expect(Set(values).count == values.count)
  }
}
