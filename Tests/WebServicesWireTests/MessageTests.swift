import CustomDump
import Diagnostics
import Platform
import Testing
import WebServicesWire

@testable import CloudKitModel

/// Every message reads its own text and writes it again.
@Suite struct MessageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let section: String
    let text: String
    let again: @Sendable (JSONValue) throws -> JSONValue
    var testDescription: String { section }

    init<Message: WireMessage>(_ section: String, _ type: Message.Type, _ text: String) {
      self.section = section
      self.text = text
      again = { try Message(json: $0).json }
    }

    init(reply section: String, _ text: String) {
      self.section = section
      self.text = text
      again = { try RecordsReply(json: $0).json(RecordReplyFormat(emptyListsAreUntyped: false)) }
    }
  }

  static let cases: [Case] = [
    Case(
      "2 records/query", QueryMessage.self,
      #"{"query":{"recordType":"PublicFeed","filterBy":[{"comparator":"EQUALS","fieldName":"slug","fieldValue":{"value":"a","type":"STRING"}},{"comparator":"IN","fieldName":"n","fieldValue":{"value":[1,2],"type":"INT64_LIST"}}],"sortBy":[{"systemFieldName":"createdTimestamp","ascending":false}]},"zoneID":{"zoneName":"_defaultZone"},"resultsLimit":50,"desiredKeys":[],"continuationMarker":"AAE=","numbersAsStrings":true}"#
    ),
    Case(
      "3.2 NEAR", QueryMessage.self,
      #"{"query":{"recordType":"T","filterBy":[{"comparator":"NEAR","fieldName":"at","fieldValue":{"value":{"latitude":1.5,"longitude":2.0},"type":"LOCATION"},"distance":10.0}],"sortBy":[{"fieldName":"at","ascending":true,"relativeLocation":{"value":{"latitude":1.0,"longitude":2.0}}}]}}"#
    ),
    Case(
      "3.3 recordName filter", QueryMessage.self,
      #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":{"recordName":"x","action":"NONE"},"type":"REFERENCE"}}]}}"#
    ),
    Case(
      "2 records/lookup", LookupMessage.self,
      #"{"records":[{"recordName":"a"},{"recordName":"b","desiredKeys":["t"]}],"desiredKeys":["t","u"]}"#),
    Case(
      "2.1 records/modify", ModifyMessage.self,
      #"{"operations":[{"operationType":"create","record":{"recordType":"T","recordName":"a","fields":{"d":{"value":1.5,"type":"DOUBLE"},"n":{"value":null},"s":{"value":"x","type":"STRING"}}}},{"operationType":"update","record":{"recordType":"T","recordName":"b","recordChangeTag":"2"},"desiredKeys":["s"]},{"operationType":"delete","record":{"recordName":"c"}}],"zoneID":{"zoneName":"_defaultZone"},"atomic":false}"#
    ),
    Case(
      reply: "2.2 record dictionary, 4.3 error entries",
      #"{"records":[{"recordName":"a","recordType":"T","fields":{"b":{"value":"AAH/","type":"BYTES"},"l":{"value":[],"type":"STRING_LIST"},"t":{"value":5,"type":"TIMESTAMP"}},"pluginFields":{},"recordChangeTag":"2","created":{"timestamp":1,"userRecordName":"_0","deviceID":"2"},"modified":{"timestamp":3,"userRecordName":"_0","deviceID":"2"},"deleted":false},{"recordName":"c","deleted":true},{"recordName":"d","serverErrorCode":"CONFLICT","reason":"client oplock error updating record"}],"continuationMarker":"AAE="}"#
    ),
    Case(
      "2 zone", ZoneID.self,
      #"{"zoneName":"_defaultZone","ownerRecordName":"_0","zoneType":"DEFAULT_ZONE"}"#),
    Case("2 subscription", Subscription.self, subscription),
    Case(
      "schema-language 2.2 validate", SchemaValidationReply.self, #"{"isValid":false,"errorMessage":"no"}"#),
    Case(
      "schema-language 2.2 error", ManagementErrorBody.self,
      #"{"code":429,"message":"THROTTLED","reason":"later","requestUuid":"u","retryAfterSeconds":3}"#),
    Case("schema-language 2.2 teams", TeamsReply.self, #"{"teams":[{"teamId":"T","name":"N"}]}"#),
  ]

  static let subscription =
    #"{"subscriptionID":"s","subscriptionType":"query","query":{"recordType":"T"},"firesOn":["create","delete"],"firesOnce":true,"notificationInfo":{"alertBody":"x"}}"#

  @Test("reads the requests that only other clients send")
  func requestsOfOtherClients() throws {
    func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }
    #expect(try ZonesLookupMessage(json: json(#"{"zones":[{"zoneName":"x"}]}"#)).zones == [ZoneID("x")])
    let changes = try ZoneChangesMessage(json: json(#"{"zones":[{"zoneID":{"zoneName":"x"}},{}]}"#))
    #expect(changes.zones == [ZoneID("x"), nil])
    #expect(try ZoneChangesMessage(json: json(#"{"zoneID":{"zoneName":"x"}}"#)).zoneID == ZoneID("x"))
    let ids = try SubscriptionsLookupMessage(json: json(#"{"subscriptions":[{"subscriptionID":"s"}]}"#))
    #expect(ids.subscriptionIDs == ["s"])
    let modify = try SubscriptionsModifyMessage(
      json: json(#"{"operations":[{"operationType":"create","subscription":\#(Self.subscription)}]}"#))
    #expect(modify.operations.map(\.kind) == [.create])
    expectNoDifference(modify.operations.map { $0.subscription.json.text() }, [Self.subscription])
    let copies = try AssetRereferenceMessage(
      json: json(
        #"{"assets":[{"recordName":"r","fieldName":"f","recordType":"T"}],"zoneID":{"zoneName":"x"}}"#))
    #expect(copies.assets.map(\.recordName) == ["r"])
    #expect(copies.assets.map(\.fieldName) == ["f"])
    #expect(copies.zoneID == ZoneID("x"))
    let push = try PushTokenMessage(json: json(#"{"apnsEnvironment":"production","apnsToken":"t"}"#))
    #expect(push.apnsEnvironment == .production)
    #expect(push.apnsToken == "t")
  }

  @Test("reads its own text and writes it again", arguments: cases)
  func roundTrip(_ example: Case) throws {
    let json = try JSONValue(parsing: example.text)
    expectNoDifference(try example.again(json).text(), example.text)
  }

  @Test("bytes that were changed are read or refused, never more", arguments: cases)
  func mutations(_ example: Case) throws {
    var random = SeededGenerator(seed: UInt64(example.text.utf8.count))
    var accepted = 0
    for _ in 0..<2000 {
      var bytes = Array(example.text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes = random.mutated(bytes) }
      guard let json = try? JSONValue(parsing: bytes), let once = try? example.again(json) else { continue }
      accepted += 1
      expectNoDifference(try example.again(once), once)
    }
    #expect(accepted > 0)
  }

  @Test("explicit null counts as absent")
  func null() throws {
    let text = """
      {"query":{"recordType":"T","filterBy":null,"sortBy":null},"zoneID":null,"resultsLimit":null,
       "continuationMarker":null,"desiredKeys":null,"numbersAsStrings":null,"zoneWide":null}
      """
    let message = try QueryMessage(json: JSONValue(parsing: text))
    #expect(message == QueryMessage(QueryRequest(Query("T"))))
  }

  static let refusals: [(String, String)] = [
    ("[]", "expected an object, found a list"),
    ("{}", "operations: is missing"),
    (#"{"operations":{}}"#, "operations: expected a list, found an object"),
    (
      #"{"operations":[{"operationType":"force_update","record":{}}]}"#,
      "operations[0].operationType: 'force_update' is not a known value"
    ),
    (#"{"operations":[{"operationType":"create"}]}"#, "operations[0].record: is missing"),
    (
      #"{"operations":[{"operationType":"create","record":{"recordName":5}}]}"#,
      "operations[0].record.recordName: expected a string, found a number"
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"fields":{"a":{"value":1,"type":"ASSET"}}}}]}"#,
      "operations[0].record.fields.a: is not a field value"
    ),
    (#"{"operations":[],"zoneID":{}}"#, "zoneID.zoneName: is missing"),
  ]

  @Test("says what is wrong and where (2.1: bad enum text spoils the whole request)", arguments: refusals)
  func refusal(text: String, expected: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: WireFormatError.self) { try ModifyMessage(json: json) }
    #expect(error?.description == expected)
  }

  @Test("a value that does not fit its type is that record's error alone (3.1)")
  func perRecord() throws {
    let text = """
      {"operations":[{"operationType":"create","record":{"recordType":"T","recordName":"a",
        "fields":{"t":{"value":1.5,"type":"TIMESTAMP"}}}},
       {"operationType":"create","record":{"recordType":"T","recordName":"b",
        "fields":{"t":{"value":"x","type":"ENCRYPTED_STRING"}}}},
       {"operationType":"create","record":{"recordType":"T","recordName":"c"}}]}
      """
    let operations = try ModifyMessage(json: JSONValue(parsing: text)).operations
    expectNoDifference(
      operations,
      [
        .refused(recordName: "a", ServerError(.badRequest, "Invalid value, expected type TIMESTAMP.")),
        .refused(
          recordName: "b",
          ServerError(.badRequest, "encrypted fields are not supported in the public database")),
        .operation(RecordOperation(.create, recordType: "T", recordName: "c")),
      ])
  }

  @Test("IN without a list type has its own text (3.1)")
  func untaggedList() throws {
    let text = """
      {"query":{"recordType":"T","filterBy":[{"comparator":"IN","fieldName":"s",
       "fieldValue":{"value":["a"],"type":"STRING"}}]}}
      """
    let error = #expect(throws: WireFormatError.self) { try QueryMessage(json: JSONValue(parsing: text)) }
    #expect(error?.description.contains("expected type STRING but actual value was a list") == true)
  }

  @Test("a request asks for no more than its operation says")
  func plainRequests() {
    expectNoDifference(
      [
        QueryMessage(QueryRequest(Query("T"))).json.text(),
        LookupMessage(LookupRequest(["r"])).json.text(),
        ModifyMessage([RecordOperation(.forceDelete, recordName: "r")]).json.text(),
      ],
      [
        #"{"query":{"recordType":"T"}}"#, #"{"records":[{"recordName":"r"}]}"#,
        #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"r"}}]}"#,
      ])
  }

  @Test("numbers travel as strings when asked, and come back as numbers")
  func numbersAsStrings() throws {
    let record = Record(
      recordType: "T", recordName: "a",
      fields: ["i": .int64(.max), "d": .double(1.5), "l": .list(of: .int64, [.int64(-1)])])
    let json = record.json(RecordReplyFormat(numbersAsStrings: true))
    #expect(json["fields"]?["i"]?["value"] == "9223372036854775807")
    #expect(try Record(json: JSONValue(parsing: json.text())).fields == record.fields)
  }

  @Test("which numbers travel as strings: whole and real ones, and moments only by choice")
  func numbersAsStringsByType() {
    let record = Record(
      recordType: "T", recordName: "a",
      fields: [
        "i": .int64(1), "d": .double(1.5), "t": .timestamp(Timestamp(milliseconds: 2)), "s": .string("x"),
        "l": .list(of: .double, [.double(0.5)]),
      ])
    func value(_ field: String, _ format: RecordReplyFormat) -> JSONValue? {
      record.json(format)["fields"]?[field]?["value"]
    }
    var format = RecordReplyFormat(numbersAsStrings: true)
    #expect(value("i", format) == "1" && value("d", format) == "1.5" && value("l", format) == ["0.5"])
    #expect(value("t", format) == 2 && value("s", format) == "x")
    format.timestampsAsStrings = true
    #expect(value("t", format) == "2")
    format.numbersAsStrings = false
    #expect(value("i", format) == 1 && value("t", format) == 2)
  }

  @Test(
    "a whole real number is written without a fraction where none is lost",
    arguments: [
      (0.0, "0"), (-0.0, "-0.0"), (1.0, "1"), (-3.0, "-3"), (1.5, "1.5"),
      (9_007_199_254_740_991.0, "9007199254740991"),
    ])
  func wholeNumbers(_ number: Double, _ text: String) {
    let record = Record(recordType: "T", recordName: "a", fields: ["d": .double(number)])
    #expect(record.json()["fields"]?["d"]?["value"]?.text() == text)
    var format = RecordReplyFormat()
    format.wholeDoublesHaveFraction = true
    #expect(record.json(format)["fields"]?["d"]?["value"]?.text().contains(".") == true || number >= 1e15)
  }

  @Test("numbers lose an empty fraction below 2^53, where a double stops to hold every whole number")
  func largeWholeNumbers() {
    let numbers = [
      9_007_199_254_740_991.0, 9_007_199_254_740_992.0, -9_007_199_254_740_991.0, -9_007_199_254_740_992.0,
    ]
    let record = Record(
      recordType: "T", recordName: "a", fields: ["d": .list(of: .double, numbers.map(FieldValue.double))])
    #expect(
      record.json()["fields"]?["d"]?["value"] == [
        9_007_199_254_740_991, .double(9_007_199_254_740_992), -9_007_199_254_740_991,
        .double(-9_007_199_254_740_992),
      ])
  }

  @Test("the numbers of a place lose an empty fraction like any other, and never travel as strings")
  func places() {
    let record = Record(
      recordType: "T", recordName: "a", fields: ["p": .location(Location(latitude: 48, longitude: 11.5))])
    var format = RecordReplyFormat(numbersAsStrings: true)
    #expect(
      record.json(format)["fields"]?["p"]?["value"] == ["latitude": 48, "longitude": .double(11.5)])
    format.wholeDoublesHaveFraction = true
    #expect(
      record.json(format)["fields"]?["p"]?["value"] == ["latitude": .double(48), "longitude": .double(11.5)])
  }

  @Test("a list without its element type is read by what its elements look like (3.1, 9)")
  func bareList() throws {
    let text = #"{"recordName":"a","recordType":"T","fields":{"tags":{"value":["x"],"type":"LIST"}}}"#
    let record = try Record(json: JSONValue(parsing: text))
    expectNoDifference(record.fields, ["tags": .strings(["x"])])
  }

  @Test("an empty list keeps its type on the way, or loses it as older reports have it (3.1, L)")
  func emptyList() throws {
    let record = Record(recordType: "T", recordName: "a", fields: ["l": .list(of: .timestamp, [])])
    #expect(record.json()["fields"]?["l"] == ["value": [], "type": "TIMESTAMP_LIST"])
    #expect(try Record(json: record.json()).fields["l"]?.type == .list(.timestamp))
    let older = record.json(RecordReplyFormat(emptyListsAreUntyped: true))
    #expect(older["fields"]?["l"] == ["value": [], "type": "UNKNOWN_LIST"])
    #expect(try Record(json: older).fields["l"]?.elements == [])
  }

  @Test("Apple's own containers name numbers with a prefix")
  func prefixedNumbers() throws {
    let text = """
      {"recordName":"a","recordType":"T","fields":{"n":{"value":1,"type":"NUMBER_INT64"},
       "d":{"value":1,"type":"NUMBER_DOUBLE"},"gone":null}}
      """
    expectNoDifference(
      try Record(json: JSONValue(parsing: text)).fields, ["n": .int64(1), "d": .double(1)])
  }

  @Test("every list is a bare LIST where older notes have it so")
  func untypedLists() {
    let record = Record(
      recordType: "T", recordName: "a", fields: ["l": .strings(["x"]), "e": .strings([]), "s": .string("x")])
    var format = RecordReplyFormat()
    format.listsAreUntyped = true
    #expect(
      record.json(format)["fields"] == [
        "e": ["value": [], "type": "LIST"], "l": ["value": ["x"], "type": "LIST"],
        "s": ["value": "x", "type": "STRING"],
      ])
  }

  @Test("what a stamp leaves out is taken as empty")
  func incompleteStamp() throws {
    let text = #"{"recordName":"a","recordType":"T","created":{},"modified":{"timestamp":7,"deviceID":"2"}}"#
    let record = try Record(json: JSONValue(parsing: text))
    #expect(
      record.created == RecordStamp(timestamp: Timestamp(milliseconds: 0), userRecordName: "", deviceID: ""))
    #expect(
      record.modified == RecordStamp(timestamp: Timestamp(milliseconds: 7), userRecordName: "", deviceID: "2")
    )
    #expect(record.fields == [:])
  }

  @Test("numbers as strings: an operation's own wish overrides that of the request")
  func wishesOfOperations() throws {
    func wishes(_ common: String) throws -> [Bool] {
      let text = """
        {"operations":[{"operationType":"delete","record":{}},
         {"operationType":"delete","record":{},"numbersAsStrings":true},
         {"operationType":"delete","record":{},"numbersAsStrings":false}]\(common)}
        """
      return try ModifyMessage(json: JSONValue(parsing: text)).numbersAsStrings
    }
    #expect(try wishes("") == [false, true, false])
    #expect(try wishes(#","numbersAsStrings":false"#) == [false, true, false])
    #expect(try wishes(#","numbersAsStrings":true"#) == [true, true, false])
  }

  @Test("a deletion is marked with true, and an error wins over everything else")
  func outcomes() throws {
    func outcome(_ members: String) throws -> RecordOutcome {
      try RecordOutcome(json: JSONValue(parsing: #"{"recordName":"a","recordType":"T"\#(members)}"#))
    }
    let record = Record(recordType: "T", recordName: "a")
    #expect(try outcome("") == .record(record))
    #expect(try outcome(#","deleted":false"#) == .record(record))
    #expect(try outcome(#","deleted":true"#) == .deleted(recordName: "a"))
    #expect(
      try outcome(#","deleted":true,"serverErrorCode":"CONFLICT""#)
        == .failed(recordName: "a", ServerError(.conflict, "")))
  }

  @Test("a subscription says only what differs from the usual")
  func subscriptions() throws {
    for text in [
      "{}", #"{"zoneWide":true,"firesOn":["update"]}"#, #"{"firesOnce":true}"#,
      #"{"firesOn":["create","update","delete"]}"#,
    ] {
      expectNoDifference(try Subscription(json: JSONValue(parsing: text)).json.text(), text)
    }
    let usual = try Subscription(
      json: JSONValue(parsing: #"{"zoneWide":false,"firesOnce":false,"firesOn":[]}"#))
    expectNoDifference(usual.json.text(), "{}")
    let known = try Subscription(json: JSONValue(parsing: "{}"))
    #expect(!known.zoneWide && !known.firesOnce && known.firesOn.isEmpty)
  }

  @Test("a file to upload needs a type of record or a name")
  func uploads() throws {
    func token(_ members: String) throws -> AssetUploadMessage.Token {
      try AssetUploadMessage.Token(json: JSONValue(parsing: #"{"fieldName":"f"\#(members)}"#))
    }
    #expect(try token(#","recordType":"T""#).recordName == nil)
    #expect(try token(#","recordName":"r""#).recordType == nil)
    #expect(try token(#","recordName":"r","recordType":"T""#).recordType == "T")
    let error = #expect(throws: WireFormatError.self) { try token("") }
    #expect(error?.description == "recordType: is missing")
  }

  @Test("users are looked up under either name of the list, by record name or by something else")
  func users() throws {
    func names(_ text: String) throws -> [String?] {
      try UsersLookupMessage(json: JSONValue(parsing: text)).userRecordNames
    }
    #expect(try names(#"{"users":[{"userRecordName":"_a"},{"emailAddress":"x"}]}"#) == ["_a", nil])
    #expect(try names(#"{"lookupInfos":[{"phoneNumber":"1"},{"userRecordName":"_b"}]}"#) == [nil, "_b"])
    #expect(try names(#"{"users":[{"userRecordName":"_a"}],"lookupInfos":[]}"#) == [])
    let error = #expect(throws: WireFormatError.self) { try names("{}") }
    #expect(error?.description == "users: is missing")
  }

  @Test("only the zone with the default name is the default zone, no matter who owns it")
  func defaultZone() {
    #expect(ZoneID.default.isDefault && ZoneID("_defaultZone", ownerRecordName: "_0").isDefault)
    #expect(!ZoneID("").isDefault && !ZoneID("_defaultzone").isDefault)
  }

  @Test("an error names its place from the outside in, and none for the whole text")
  func placesOfErrors() throws {
    func problem(_ text: String) throws -> String? {
      let json = try JSONValue(parsing: text)
      return #expect(throws: WireFormatError.self) { try LookupMessage(json: json) }?.description
    }
    #expect(try problem("5") == "expected an object, found a number")
    #expect(try problem(#"{"records":[{"recordName":"a"},5]}"#) == "records[1].recordName: is missing")
    #expect(
      try problem(#"{"records":[{"recordName":"a","desiredKeys":["x",5]}]}"#)
        == "records[0].desiredKeys[1]: expected a string, found a number")
  }
}
