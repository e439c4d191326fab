import CloudKitEmulator
import CloudKitModel
import Cryptography
import CustomDump
import Diagnostics
import HTTPTransport
import LocalContainer
import Platform
import Testing
import WebServicesWire

/// The emulator's answers, case by case.
@Suite struct WebServicesCasesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let section: String
    let operation: String
    var body: String?
    var method: String?
    /// Replaces the path of the public database.
    var path: String?
    /// Tokens instead of a signature; empty for neither.
    var query: String?
    /// The status of the reply, and the error in it: at the top, or of the first entry.
    let status: Int
    var code: String?
    var reason: String?

    var testDescription: String { "\(section): \(operation) \(reason ?? code ?? "")" }
  }

  static let container = "/database/1/iCloud.demo.celestra/"

  static let paths: [Case] = [
    Case(
      section: "2", operation: "records/everything", body: "{}", status: 404, code: "NOT_FOUND",
      reason: "could not find handler for endpoint"),
    Case(section: "2", operation: "", path: "/database/1/x", status: 404, code: "NOT_FOUND"),
    Case(section: "2", operation: "records/query", method: "GET", status: 405),
    Case(section: "2", operation: "zones/list", body: "{}", status: 200),
    Case(section: "2", operation: "subscriptions/list", body: "{}", status: 200),
    Case(
      section: "2", operation: "users/current", body: "{}", query: "ckAPIToken=api&ckWebAuthToken=user",
      status: 200),
    Case(
      section: "2", operation: "users/caller", body: "{}", query: "ckAPIToken=api&ckWebAuthToken=user",
      status: 200),
    Case(section: "2", operation: "tokens/create", body: "{}", status: 405),
    Case(
      section: "2", operation: "tokens/create", body: #"{"apnsEnvironment":"development"}"#,
      path: "/device/1/iCloud.demo.celestra/development/tokens/create", status: 200),
    Case(
      section: "1.1", operation: "records/query", body: "{}",
      path: container + "production/public/records/query", status: 401, code: "AUTHENTICATION_FAILED"),
    Case(
      section: "1.1", operation: "records/query", body: "{}",
      path: "/database/1/iCloud.other/development/public/records/query", status: 401,
      code: "AUTHENTICATION_FAILED"),
    Case(
      section: "1.3", operation: "records/query", body: "{}",
      path: container + "development/private/records/query", status: 401, code: "AUTHENTICATION_FAILED"),
    Case(
      section: "2", operation: "records/query", body: "{}",
      path: container + "development/private/records/query", query: "ckAPIToken=api&ckWebAuthToken=user",
      status: 400,
      code: "BAD_REQUEST", reason: "endpoint not applicable in the database type 'privatedb'"),
    Case(
      section: "2", operation: "records/query", body: "{}",
      path: container + "development/private/records/query", query: "ckAPIToken=api",
      status: 421, code: "AUTHENTICATION_REQUIRED"),
    Case(
      section: "2", operation: "users/caller", path: container + "development/private/users/caller",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 200),
    Case(
      section: "2", operation: "users/caller", body: "{}",
      path: container + "development/private/users/caller",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 200),
    Case(
      section: "2", operation: "users/caller", path: container + "development/private/users/caller",
      query: "ckAPIToken=api", status: 421, code: "AUTHENTICATION_REQUIRED"),
    Case(
      section: "2", operation: "users/caller", path: container + "development/private/users/caller",
      status: 401,
      code: "AUTHENTICATION_FAILED"),
    Case(
      section: "2", operation: "users/caller", path: container + "development/shared/users/caller",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 400, code: "BAD_REQUEST",
      reason: "endpoint not applicable in the database type 'shareddb'"),
    Case(
      section: "2", operation: "users/discover", path: container + "development/private/users/discover",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 400, code: "BAD_REQUEST",
      reason: "endpoint not applicable in the database type 'privatedb'"),
    Case(
      section: "path tricks", operation: "", body: "{}",
      path: "/database/1/..%2F..%2Fetc/development/public/records/query", status: 404, code: "NOT_FOUND"),
  ]

  static let identities: [Case] = [
    Case(
      section: "1.2", operation: "zones/list", query: "", status: 401, code: "AUTHENTICATION_FAILED",
      reason: "no auth method found"),
    Case(
      section: "1.2", operation: "zones/list", query: "ckAPIToken=wrong", status: 401,
      code: "AUTHENTICATION_FAILED", reason: "Authentication failed"),
    Case(
      section: "1.2", operation: "users/caller", query: "ckAPIToken=api", status: 421,
      code: "AUTHENTICATION_REQUIRED", reason: "request needs authorization"),
    Case(
      section: "1.2", operation: "users/caller", query: "ckAPIToken=api&ckWebAuthToken=old", status: 421,
      code: "AUTHENTICATION_REQUIRED"),
    Case(section: "1.2", operation: "users/caller", query: "ckAPIToken=api&ckWebAuthToken=user", status: 200),
    Case(section: "1.2", operation: "users/caller", query: "ckAPIToken=api&ckSession=user", status: 200),
    Case(section: "1.1", operation: "users/caller", status: 401, code: "AUTHENTICATION_FAILED"),
    Case(
      section: "1.2", operation: "records/modify",
      body: #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#,
      query: "ckAPIToken=api",
      status: 421, code: "AUTHENTICATION_REQUIRED"),
    Case(
      section: "5 roles", operation: "records/modify",
      body: #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#,
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 200, code: "ACCESS_DENIED",
      reason: "CREATE operation not permitted"),
    Case(
      section: "5 roles", operation: "records/query", body: #"{"query":{"recordType":"Secretive"}}"#,
      query: "ckAPIToken=api", status: 403, code: "ACCESS_DENIED", reason: "READ operation not permitted"),
  ]

  static let queries: [Case] = [
    Case(
      section: "2", operation: "records/query", body: "{}", status: 400, code: "BAD_REQUEST",
      reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2", operation: "records/query",
      body: #"{"query":{"recordType":"Note","filterBy":null,"sortBy":null},"zoneID":null}"#, status: 200),
    Case(
      section: "3.4", operation: "records/query", body: #"{"query":{"recordType":"Nothing"}}"#, status: 404,
      code: "NOT_FOUND", reason: "could not find record_type with name 'Nothing'"),
    Case(
      section: "3.4", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"body","fieldValue":{"value":"x"}}]}}"#,
      status: 400, code: "BAD_REQUEST", reason: "Field 'body' is not marked queryable"),
    Case(
      section: "3.4", operation: "records/query",
      body: #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"count"}]}}"#, status: 400,
      code: "BAD_REQUEST",
      reason: "Field 'count' is not marked sortable"),
    Case(
      section: "3.3", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"recordName","fieldValue":{"value":"x"}}]}}"#,
      status: 400, code: "BAD_REQUEST", reason: "Did not find field: 'recordName' in type: 'Note'"),
    Case(
      section: "3.3", operation: "records/query",
      body: #"{"query":{"recordType":"Note","sortBy":[{"systemFieldName":"parent"}]}}"#,
      status: 400, code: "BAD_REQUEST", reason: "Did not find field: '___parent' in type: 'Note'"),
    Case(
      section: "3.1", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"link","fieldValue":{"value":"x"}}]}}"#,
      status: 400, code: "BAD_REQUEST",
      reason:
        "Field 'link' has a value type of REFERENCE and cannot be queried using filter value type STRING"),
    Case(
      section: "3.1", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"IN","fieldName":"title","fieldValue":{"value":["x"],"type":"STRING"}}]}}"#,
      status: 400, code: "BAD_REQUEST",
      reason: "BadRequestException: Invalid value, expected type STRING but actual value was a list"
        + " with objects of class java.lang.String"),
    Case(
      section: "3.2", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"LIKE","fieldName":"title","fieldValue":{"value":"x"}}]}}"#,
      status: 400, code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2", operation: "records/query",
      body: #"{"query":{"recordType":"Note"},"zoneID":{"zoneName":"z"}}"#,
      status: 404, code: "ZONE_NOT_FOUND"),
    Case(
      section: "bad input", operation: "records/query", body: #"{"query":"#, status: 400, code: "BAD_REQUEST",
      reason: "BadRequestException: Unexpected input at [line: 1, column: 10]"),
    Case(
      section: "bad input", operation: "records/query", body: String(repeating: "[", count: 5000),
      status: 400,
      code: "BAD_REQUEST"),
    Case(section: "bad input", operation: "records/query", body: "\u{0}", status: 400, code: "BAD_REQUEST"),
  ]

  static func create(_ name: String, _ fields: String = "{}") -> String {
    #"{"operationType":"create","record":{"recordType":"Note","recordName":"\#(name)","fields":\#(fields)}}"#
  }

  static let modifies: [Case] = [
    Case(
      section: "2.1", operation: "records/modify", body: #"{"operations":[\#(create("a"))],"atomic":true}"#,
      status: 200),
    Case(
      section: "2.1", operation: "records/modify", body: #"{"operations":[\#(create("old"))]}"#, status: 200,
      code: "CONFLICT", reason: "record to insert already exists"),
    Case(
      section: "2.1", operation: "records/modify",
      body: #"{"operations":[{"operationType":"force_update","record":{"recordName":"a"}}]}"#, status: 400,
      code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2.1", operation: "records/modify",
      body:
        #"{"operations":[{"operationType":"update","record":{"recordName":"old","recordType":"Note","recordChangeTag":"stale"}}]}"#,
      status: 200, code: "CONFLICT", reason: "client oplock error updating record"),
    Case(
      section: "2.1", operation: "records/modify",
      body: #"{"operations":[{"operationType":"delete","record":{"recordName":"never"}}]}"#, status: 200),
    Case(
      section: "3.1", operation: "records/modify",
      body:
        #"{"operations":[\#(create("a", #"{"file":{"value":{"fileChecksum":"x","size":1},"type":"ASSET"}}"#))]}"#,
      status: 400, code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2", operation: "records/modify",
      body:
        #"{"operations":[\#(create("a", #"{"file":{"value":{"fileChecksum":"x","size":1,"receipt":"r"},"type":"ASSETID"}}"#))]}"#,
      status: 200, code: "BAD_REQUEST", reason: "bad upload receipt (did_not_validate)"),
    Case(
      section: "3.1", operation: "records/modify",
      body: #"{"operations":[\#(create("a", #"{"at":{"value":1.5,"type":"TIMESTAMP"}}"#))]}"#, status: 200,
      code: "BAD_REQUEST", reason: "Invalid value, expected type TIMESTAMP."),
    Case(
      section: "3.1", operation: "records/modify",
      body: #"{"operations":[\#(create("a", #"{"link":{"value":"x","type":"STRING"}}"#))]}"#, status: 200,
      code: "BAD_REQUEST",
      reason:
        "invalid attempt to set value type STRING for field 'link' for type 'Note', defined to be: REFERENCE"),
    Case(
      section: "3.1", operation: "records/modify",
      body: #"{"operations":[\#(create("a", #"{"title":{"value":"x","type":"ENCRYPTED_STRING"}}"#))]}"#,
      status: 200,
      code: "BAD_REQUEST", reason: "encrypted fields are not supported in the public database"),
    Case(
      section: "5", operation: "records/modify",
      body: #"{"operations":[{"operationType":"create","record":{"recordType":"blah blah"}}]}"#, status: 200,
      code: "NOT_FOUND", reason: "could not find record_type with name 'blah blah'"),
    Case(
      section: "4.1", operation: "records/modify",
      body: #"{"operations":[\#(Array(repeating: create("a"), count: 201).joined(separator: ","))]}"#,
      status: 400,
      code: "BAD_REQUEST"),
    Case(
      section: "2.1", operation: "records/modify", body: #"{"operations":[\#(create("a")),\#(create("a"))]}"#,
      status: 200, code: "BAD_REQUEST"),
    Case(
      section: "5", operation: "records/lookup", body: #"{"records":[{"recordName":"none"}]}"#, status: 200,
      code: "NOT_FOUND", reason: "Record not found"),
  ]

  static let others: [Case] = [
    Case(
      section: "2", operation: "records/changes", body: "{}", status: 400, code: "BAD_REQUEST",
      reason: "cannot get changes in default zone"),
    Case(section: "2", operation: "zones/list", status: 200),
    Case(
      section: "2", operation: "zones/lookup", body: #"{"zones":[{"zoneName":"x"}]}"#, status: 200,
      code: "ZONE_NOT_FOUND"),
    Case(section: "2", operation: "zones/modify", body: "{}", status: 400, code: "BAD_REQUEST"),
    Case(section: "2", operation: "zones/changes", body: "{}", status: 400, code: "BAD_REQUEST"),
    Case(section: "2", operation: "changes/database", body: "{}", status: 400, code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "changes/zone", body: #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"}}]}"#,
      status: 200, code: "BAD_REQUEST", reason: "cannot get changes in default zone"),
    Case(section: "2", operation: "subscriptions/list", status: 200),
    Case(
      section: "2", operation: "subscriptions/list", query: "ckAPIToken=api", status: 421,
      code: "AUTHENTICATION_REQUIRED"),
    Case(
      section: "2", operation: "subscriptions/lookup", body: #"{"subscriptions":[{"subscriptionID":"x"}]}"#,
      query: "ckAPIToken=api", status: 421, code: "AUTHENTICATION_REQUIRED"),
    Case(
      section: "2", operation: "subscriptions/lookup", body: #"{"subscriptions":[{"subscriptionID":"x"}]}"#,
      status: 200, code: "NOT_FOUND"),
    Case(
      section: "2", operation: "subscriptions/modify",
      body: #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"zone"}}]}"#,
      status: 200,
      code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "subscriptions/modify",
      body: #"{"operations":[{"operationType":"delete","subscription":{}}]}"#, status: 200,
      code: "BAD_REQUEST", reason: "missing required field 'subscriptionID'"),
    Case(
      section: "2", operation: "subscriptions/modify",
      body: #"{"operations":[{"operationType":"update","subscription":{"subscriptionType":"query"}}]}"#,
      status: 200, code: "BAD_REQUEST", reason: "missing required field 'subscriptionID'"),
    Case(
      section: "2", operation: "assets/upload",
      body: #"{"tokens":[{"recordType":"Note","fieldName":"title"}]}"#,
      status: 400, code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "assets/upload",
      body: #"{"tokens":[{"recordType":"Note","fieldName":"file"}]}"#,
      status: 200),
    Case(
      section: "2", operation: "assets/rereference",
      body: #"{"assets":[{"recordName":"none","fieldName":"file"}]}"#,
      status: 200, code: "NOT_FOUND"),
  ]

  @Test("answers as the reference says", arguments: paths + identities + queries + modifies + others)
  func answers(_ example: Case) async throws {
    let fixture = try await Fixture()
    _ = try await fixture.send("records/modify", #"{"operations":[\#(Self.create("old"))]}"#)
    let (reply, json) = try await fixture.send(
      example.operation, example.body, method: example.method, path: example.path, query: example.query)
    #expect(reply.status == example.status, "\(json.text())")
    let error = json["serverErrorCode"] == nil ? json.firstEntry : json
    if reply.status != 200 { #expect(json["uuid"]?.string == reply.headers.last?.value) }
    if let code = example.code { #expect(error["serverErrorCode"]?.string == code, "\(json.text())") }
    if let reason = example.reason { expectNoDifference(error["reason"]?.string, reason) }
    if example.status == 200, example.code == nil {
      #expect(error["serverErrorCode"] == nil, "\(json.text())")
    }
    if example.code != nil || example.status > 299 {
      #expect(reply.explanation?.isEmpty == false || json.firstEntry != .null)
    }
  }

  @Test("the failure of a discovery of all users has no reason, as the live service's (2)")
  func failedDiscovery() async throws {
    let reply = try await Fixture().send("users/discover", query: "ckAPIToken=api&ckWebAuthToken=user")
    #expect(reply.reply.status == 500)
    #expect(reply.json.object?.members.map(\.key) == ["uuid", "serverErrorCode"])
    #expect(reply.json["serverErrorCode"] == "INTERNAL_ERROR")
    #expect(ServerError(errorDictionary: reply.json)?.description == "INTERNAL_ERROR")
  }

  @Test("a user is the same in the path of the private database (2)")
  func privateCaller() async throws {
    let fixture = try await Fixture()
    for database in ["public", "private"] {
      let caller = try await fixture.send(
        "users/caller", path: Self.container + "development/\(database)/users/caller",
        query: "ckAPIToken=api&ckWebAuthToken=user")
      #expect(caller.json["userRecordName"] == "_user", "\(database)")
    }
  }

  @Test("two subscriptions for the same events on one type are refused, the same one twice is not (5)")
  func subscriptions() async throws {
    let fixture = try await Fixture()
    func create(_ id: String, _ events: String) async throws -> JSONValue {
      let subscription =
        #"{"subscriptionID":"\#(id)","subscriptionType":"query","query":{"recordType":"Note"},"firesOn":[\#(events)]}"#
      return try await fixture.send(
        "subscriptions/modify",
        #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#
      ).json.firstEntry
    }
    #expect(try await create("a", #""create","update""#)["subscriptionID"] == "a")
    #expect(try await create("a", #""create","update""#)["serverErrorCode"] == nil)
    #expect(try await create("b", #""update","create""#)["serverErrorCode"] == "INTERNAL_ERROR")
    #expect(try await create("c", #""delete""#)["serverErrorCode"] == nil)
    #expect(try await fixture.send("subscriptions/list").json["subscriptions"]?.array?.count == 2)
    let user = "ckAPIToken=api&ckWebAuthToken=user"
    let others = try await fixture.send("subscriptions/list", query: user).json
    #expect(others["subscriptions"] == [])
    let delete = #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"a"}}]}"#
    #expect(try await fixture.send("subscriptions/modify", delete).json.firstEntry == ["subscriptionID": "a"])
  }

  @Test("zones, subscriptions and their refusals are written as other clients read them (2)")
  func entries() async throws {
    let fixture = try await Fixture()
    let zones = #"{"zones":[{"zoneName":"_defaultZone"},{"zoneName":"x"}]}"#
    let zonesAnswer = try await fixture.send("zones/lookup", zones).json.text()
    expectNoDifference(
      zonesAnswer,
      #"{"zones":[{"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_defaultOwner","zoneType":"DEFAULT_ZONE"},"atomic":false},{"zoneID":{"zoneName":"x"},"serverErrorCode":"ZONE_NOT_FOUND","reason":"Zone 'x' does not exist"}]}"#
    )
    let subscriptions = #"{"subscriptions":[{"subscriptionID":"x"}]}"#
    let subscriptionsAnswer = try await fixture.send("subscriptions/lookup", subscriptions).json.text()
    expectNoDifference(
      subscriptionsAnswer,
      #"{"subscriptions":[{"subscriptionID":"x","serverErrorCode":"NOT_FOUND","reason":"Subscription not found"}]}"#
    )
  }

  @Test("a subscription's predicate needs what a query's filters need; without one nothing is needed (2)")
  func subscriptionPredicates() async throws {
    let fixture = try await Fixture()
    func create(_ id: String, _ events: String, _ query: String) async throws -> JSONValue? {
      let subscription =
        #"{"subscriptionID":"\#(id)","subscriptionType":"query","query":{"recordType":"Note",\#(query)},"firesOn":["\#(events)"]}"#
      return try await fixture.send(
        "subscriptions/modify",
        #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#
      ).json.firstEntry
    }
    func filter(_ field: String, _ value: String = #"{"value":"a"}"#) -> String {
      #""filterBy":[{"comparator":"EQUALS","fieldName":"\#(field)","fieldValue":\#(value)}]"#
    }
    let refused = try await create("a", "create", filter("body"))
    #expect(refused?["serverErrorCode"] == "BAD_REQUEST")
    #expect(refused?["reason"] == "Field 'body' is not marked queryable")
    #expect(try await create("a", "create", filter("gone"))?["serverErrorCode"] == "BAD_REQUEST")
    #expect(try await create("a", "create", filter("title"))?["subscriptionID"] == "a")
    #expect(
      try await create("b", "delete", #""sortBy":[{"fieldName":"body"}]"#)?["subscriptionID"] == "b")
    #expect(try await fixture.send("subscriptions/list").json["subscriptions"]?.array?.count == 2)
  }

  @Test("every kind of signing mistake is one opaque 401 on the wire, and named in the explanation (1.1)")
  func opaque() async throws {
    let fixture = try await Fixture()
    var request = EmulatorRequest("POST", Fixture.root + "records/query", body: Array("{}".utf8))
    request.headers = [
      "x-apple-cloudkit-request-keyid": "other", "x-apple-cloudkit-request-iso8601date": "now",
      "x-apple-cloudkit-request-signaturev1": "x",
    ]
    let unknownKey = await fixture.emulator.reply(to: request)
    request.headers["x-apple-cloudkit-request-keyid"] = "key"
    let badDate = await fixture.emulator.reply(to: request)
    #expect(unknownKey.status == 401 && badDate.status == 401)
    #expect(unknownKey.explanation?.contains("no key has the id") == true)
    #expect(badDate.explanation?.contains("is not UTC in whole seconds") == true)
    for reply in [unknownKey, badDate] {
      let json = try JSONValue(parsing: reply.body)
      #expect(json["reason"] == "Authentication failed")
      #expect(json.object?.members.map(\.key) == ["uuid", "serverErrorCode", "reason"])
    }
  }

  @Test("a skewed clock refuses what was signed on time")
  func clockSkew() async throws {
    let fixture = try await Fixture { $0.faults = [try FaultRule(parsing: "clock-skew,seconds=700,count=1")] }
    let skewed = try await fixture.send("zones/list").reply
    #expect(skewed.status == 401 && skewed.explanation?.contains("s old") == true)
    // The answer says so, as that of any service whose clock is wrong.
    let date = skewed.headers.first { $0.name == "Date" }.flatMap { HTTPDate.secondsSince1970($0.value) }
    let now = LocalContainerSettings.systemClock().milliseconds / 1000
    #expect(date.map { (690...700).contains($0 - now) } == true)
    #expect(try await fixture.send("zones/list").reply.status == 200)
  }

  @Test("a fixed clock and a seed make two runs the same, byte for byte")
  func reproducible() async throws {
    func run() async throws -> [[UInt8]] {
      let fixture = try await Fixture {
        $0.now = { Timestamp(milliseconds: 1_790_000_000_000) }
        $0.seed = 7
      }
      var bodies: [[UInt8]] = []
      for body in [#"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#, "{"] {
        bodies.append(try await fixture.send("records/modify", body).reply.body)
      }
      bodies.append(try await fixture.send("records/query", #"{"query":{"recordType":"Note"}}"#).reply.body)
      return bodies
    }
    let first = try await run()
    #expect(try await run() == first)
  }

  @Test("in a file, change tags do not repeat with a seed, because they would name two contents")
  func seededFile() {
    var configuration = EmulatorConfiguration(container: "iCloud.demo.Test")
    configuration.seed = 7
    func starts(_ location: LocalStore.Location) -> Set<Int64> {
      Set((0..<20).map { _ in configuration.storeSettings(for: location).makeTagStart() })
    }
    #expect(starts(.memory).count == 1)
    #expect(starts(.file("c")).count == 20)
    configuration.seed = nil
    #expect(starts(.memory).count == 20)
  }

  @Test("any bytes as a body, and any path, get an answer")
  func fuzz() async throws {
    let fixture = try await Fixture { $0.seed = 1 }
    var random = SeededGenerator(seed: 1)
    let bodies = (Self.queries + Self.modifies + Self.others).compactMap(\.body).filter { $0.count < 1000 }
    for endpoint in Endpoint.allCases {
      for _ in 0..<40 {
        var bytes = Array((bodies.randomElement(using: &random) ?? "{}").utf8)
        for _ in 0..<3 where !bytes.isEmpty {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let request = EmulatorRequest(
          "POST", Fixture.root + endpoint.rawValue + "?ckAPIToken=api&ckWebAuthToken=user", body: bytes)
        let reply = await fixture.emulator.reply(to: request)
        #expect(reply.status < 500, "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }
}

extension JSONValue {
  /// The first entry of the one list in a reply, or the first that is an error.
  fileprivate var firstEntry: JSONValue {
    let entries = object?.members.lazy.compactMap(\.value.array).first ?? []
    return entries.first { $0["serverErrorCode"] != nil } ?? entries.first ?? .null
  }
}
