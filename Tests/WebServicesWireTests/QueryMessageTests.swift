import CloudKitModel
import CustomDump
import Diagnostics
import Testing
import WebServicesWire

@Suite struct QueryMessageTests {
  private func filter(_ comparator: String, _ fieldValue: String) throws -> Filter? {
    let text = """
      {"query":{"recordType":"T","filterBy":[{"comparator":"\(comparator)","fieldName":"f","fieldValue":\(fieldValue)}]}}
      """
    return try QueryMessage(json: JSONValue(parsing: text)).request.query.filters.first
  }

  @Test(
    "only IN and NOT_IN need a type with their value",
    arguments: [
      ("EQUALS", #"{"value":"a"}"#, .string("a")),
      ("IN", #"{"value":["a"],"type":"STRING_LIST"}"#, .strings(["a"])),
      ("NOT_IN", #"{"value":[],"type":"STRING_LIST"}"#, .strings([])),
      ("LIST_CONTAINS_ANY", #"{"value":["a"]}"#, .strings(["a"])),
    ] as [(String, String, FieldValue)])
  func values(comparator: String, fieldValue: String, expected: FieldValue) throws {
    #expect(try filter(comparator, fieldValue)?.value == expected)
  }

  @Test(
    "the refusal of a value says what is wrong with it (Documentation/reference/web-services.md#field-types)",
    arguments: [
      ("IN", #"{"value":["a"]}"#, "the value of IN needs a type such as STRING_LIST"),
      ("NOT_IN", #"{"value":["a"]}"#, "the value of NOT_IN needs a type such as STRING_LIST"),
      (
        "IN", #"{"value":["a",1],"type":"STRING"}"#,
        "Invalid value, expected type STRING but actual value was a list with objects of class java.lang.String"
      ),
      (
        "EQUALS", #"{"value":[1,"a"],"type":"INT64"}"#,
        "Invalid value, expected type INT64 but actual value was a list"
      ),
      (
        "IN", #"{"value":[],"type":"INT64"}"#,
        "Invalid value, expected type INT64 but actual value was a list"
      ),
      ("IN", #"{"value":[1],"type":"STRING_LIST"}"#, "Invalid value, expected type STRING."),
      ("EQUALS", #"{"value":1,"type":"STRING"}"#, "Invalid value, expected type STRING."),
    ])
  func refusedValues(comparator: String, fieldValue: String, reason: String) {
    let error = #expect(throws: WireFormatError.self) { try filter(comparator, fieldValue) }
    #expect(error?.description == "query.filterBy[0].fieldValue: \(reason)")
  }

  @Test("IN without a value lacks the value, not the type", arguments: ["IN", "NOT_IN", "EQUALS"])
  func withoutValue(comparator: String) {
    let error = #expect(throws: WireFormatError.self) { try filter(comparator, "{}") }
    #expect(error?.description == "query.filterBy[0].fieldValue.value: is missing")
  }

  @Test("a sort without a direction ascends")
  func sorts() throws {
    let text = """
      {"recordType":"T","sortBy":[{"fieldName":"a"},{"fieldName":"b","ascending":false},
       {"systemFieldName":"recordName","ascending":true}]}
      """
    let query = try Query(json: JSONValue(parsing: text))
    #expect(query.sorts == [Sort("a"), Sort("b", ascending: false), Sort("___recordID")])
    #expect(query.sorts.map(\.ascending) == [true, false, true])
  }

  @Test("what other databases have besides is a field that no type has", arguments: ["share", "parent"])
  func fieldsOfOtherDatabases(name: String) throws {
    let json = try JSONValue(parsing: #"{"recordType":"T","sortBy":[{"systemFieldName":"\#(name)"}]}"#)
    #expect(try Query(json: json).sorts.map(\.field) == [.user("___" + name)])
  }

  @Test(
    "a limit may be text, and an empty marker is none",
    arguments: [
      ("5", "\"m\"", 5, "m"), ("\"5\"", "\"\"", 5, nil), ("0", "null", 0, nil),
      ("9223372036854775807", "\"0\"", .max, "0"),
    ] as [(String, String, Int, String?)])
  func pages(limit: String, marker: String, expectedLimit: Int, expectedMarker: String?) throws {
    let text = #"{"query":{"recordType":"T"},"resultsLimit":\#(limit),"continuationMarker":\#(marker)}"#
    let message = try QueryMessage(json: JSONValue(parsing: text))
    #expect(message.request.resultsLimit == expectedLimit)
    #expect(message.request.continuationMarker == expectedMarker)
    #expect(!message.numbersAsStrings)
  }

  @Test("a limit that is no whole number is refused", arguments: ["1.5", "\"x\"", "true", "[]"])
  func wrongLimits(limit: String) throws {
    let json = try JSONValue(parsing: #"{"query":{"recordType":"T"},"resultsLimit":\#(limit)}"#)
    let error = #expect(throws: WireFormatError.self) { try QueryMessage(json: json) }
    #expect(error?.path == "resultsLimit")
  }
}
