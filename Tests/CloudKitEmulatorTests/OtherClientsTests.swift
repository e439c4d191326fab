import CloudKitEmulator
import Diagnostics
import Testing
import WebServicesWire

/// What clients written by others send, odd but legal, and what they count on in an answer. The shapes are those of
/// Apple's CloudKit JS, of signing by hand with openssl and curl, and of typed clients that write out every key.
@Suite struct OtherClientsTests {
  typealias Case = WebServicesCasesTests.Case

  /// As CloudKit JS builds it while no user is signed in.
  private static let nobody =
    "ckjsBuildVersion=1&ckjsVersion=1.0&ckWebAuthToken=null&ckSession=null&ckAPIToken=api"

  private static func filter(_ filter: String) -> String {
    #"{"query":{"recordType":"Note","filterBy":[\#(filter)]}}"#
  }

  static let cases: [Case] = [
    Case(
      section: "1.2", operation: "records/query", body: #"{"query":{"recordType":"Note"}}"#, query: nobody,
      status: 200),
    Case(
      section: "1.2", operation: "records/query", body: #"{"query":{"recordType":"Note"}}"#,
      query: "ckAPIToken=api&ckWebAuthToken=", status: 200),
    Case(
      section: "1.2", operation: "users/current", query: nobody, status: 421,
      code: "AUTHENTICATION_REQUIRED", reason: "request needs authorization"),
    Case(section: "1.1", operation: "users/current", status: 200),
    Case(section: "1.1", operation: "users/discover", status: 401, code: "AUTHENTICATION_FAILED"),
    Case(
      section: "2", operation: "users/lookup/id", body: "{}", query: "ckAPIToken=api&ckWebAuthToken=user",
      status: 400, code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note"},"zoneWide":false,"resultsLimit":"2","continuationMarker":"","desiredKeys":null}"#,
      status: 200),
    Case(
      section: "3.2", operation: "records/query",
      body: filter(#"{"comparator":"IN","fieldName":"title","fieldValue":{"value":["x"]}}"#), status: 400,
      code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input"),
    Case(
      section: "3.2", operation: "records/query",
      body: filter(
        #"{"comparator":"IN","fieldName":"title","fieldValue":{"value":["x"],"type":"STRING_LIST"}}"#),
      status: 200),
    Case(
      section: "3.3", operation: "records/query",
      body: filter(
        #"{"comparator":"EQUALS","systemFieldName":"recordName","fieldName":null,"fieldValue":{"value":{"recordName":"old","zoneID":{"zoneName":"_defaultZone"}}}}"#
      ), status: 200),
    Case(
      section: "3.1", operation: "records/modify",
      body: modify(#"{"at":{"value":1700000000000}}"#), status: 200, code: "BAD_REQUEST",
      reason: "Invalid value, expected type TIMESTAMP."),
    Case(
      section: "3.1", operation: "records/modify",
      body: modify(
        #"{"title":null,"count":{"value":null},"body":{},"tags":{"value":[],"type":"UNKNOWN_LIST"},"at":{"value":"1700000000000","type":"TIMESTAMP"}}"#
      ), status: 200),
    Case(
      section: "2", operation: "records/changes", body: #"{"zoneID":{"zoneName":"other"}}"#, status: 404,
      code: "ZONE_NOT_FOUND", reason: "Zone 'other' does not exist"),
    Case(
      section: "2", operation: "changes/zone", body: #"{"zones":"x"}"#, status: 400, code: "BAD_REQUEST",
      reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2", operation: "changes/zone", body: #"{"zones":[5]}"#, status: 400, code: "BAD_REQUEST",
      reason: "BadRequestException: Unexpected input"),
    Case(
      section: "2", operation: "users/lookup/email", body: #"{"users":[{"emailAddress":[]}]}"#,
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 400, code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "users/lookup/contacts", body: "{}",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 200),
    Case(
      section: "2", operation: "users/lookup/contacts", method: "GET",
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 405),
    Case(
      section: "2", operation: "records/lookup", body: #"{"records":{"recordName":"none"}}"#, status: 200,
      code: "NOT_FOUND"),
    Case(
      section: "2", operation: "records/query",
      body:
        #"{"query":{"recordType":"Note","filterBy":{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"a"}}},"desiredKeys":"title"}"#,
      status: 200),
    Case(
      section: "2", operation: "records/modify",
      body:
        #"{"operations":{"operationType":"forceUpdate","record":{"recordName":"one","recordType":"Note","fields":{}}}}"#,
      status: 200),
    Case(
      section: "2", operation: "records/resolve", body: #"{"shortGUIDs":[{"value":"x"}]}"#,
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 404, code: "NOT_FOUND"),
    Case(
      section: "3.1", operation: "records/modify", body: modify(#"{"count":{"value":true}}"#), status: 400,
      code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input"),
    Case(
      section: "3.4", operation: "records/query", body: #"{"query":{"recordType":"Users"}}"#, status: 400,
      code: "BAD_REQUEST"),
    Case(
      section: "5", operation: "records/modify", body: modify(#"{"_asset":{"value":"x"}}"#), status: 200,
      code: "BAD_REQUEST", reason: "Unprivileged attempt to insert a system field: _asset"),
    Case(
      section: "5", operation: "records/modify",
      body: modify(#"{"link":{"value":{"recordName":"none","action":"VALIDATE"}}}"#), status: 200,
      code: "VALIDATING_REFERENCE_ERROR"),
    Case(
      section: "4.1", operation: "users/discover",
      body: #"{"lookupInfos":[\#(Array(repeating: "{}", count: 201).joined(separator: ","))]}"#,
      query: "ckAPIToken=api&ckWebAuthToken=user", status: 400, code: "BAD_REQUEST"),
    Case(
      section: "2", operation: "assets/upload",
      body: #"{"tokens":[{"fieldName":"file","recordName":"old"}],"zoneID":{"zoneName":"_defaultZone"}}"#,
      status: 200),
    Case(
      section: "2", operation: "assets/upload", body: #"{"tokens":[{"fieldName":"file"}]}"#, status: 400,
      code: "BAD_REQUEST"),
    Case(
      section: "4.1", operation: "subscriptions/modify",
      body:
        #"{"operations":[\#(Array(repeating: #"{"operationType":"delete","subscription":{"subscriptionID":"x"}}"#, count: 201).joined(separator: ","))]}"#,
      status: 400, code: "BAD_REQUEST"),
    Case(
      section: "bad input", operation: "records/query", body: "{\n  \"query\": nonsense\n}", status: 400,
      code: "BAD_REQUEST", reason: "BadRequestException: Unexpected input at [line: 2, column: 12]"),
  ]

  private static func modify(_ fields: String) -> String {
    #"{"operations":[\#(WebServicesCasesTests.create("a", fields))]}"#
  }

  @Test("answers what other clients send", arguments: cases)
  func answers(_ example: Case) async throws {
    try await WebServicesCasesTests().answers(example)
  }

  @Test("a record that was read is accepted back as a whole, as CloudKit JS saves and deletes it")
  func wholeRecords() async throws {
    let fixture = try await Fixture()
    let created = try await fixture.send(
      "records/modify",
      Self.modify(#"{"title":{"value":"x"},"tags":{"value":[]},"link":{"value":{"recordName":"b"}}}"#))
    let record = try #require(created.json["records"]?.array?.first)
    func send(_ kind: String, _ record: JSONValue) async throws -> JSONValue {
      let operation: JSONValue = ["operationType": .string(kind), "record": record]
      let body: JSONValue = ["operations": [operation], "zoneID": ["zoneName": "_defaultZone"]]
      return try await fixture.send("records/modify", body.text()).json["records"]?.array?.first ?? .null
    }
    let updated = try await send("update", record)
    #expect(updated["serverErrorCode"] == nil && updated["recordChangeTag"] != record["recordChangeTag"])
    #expect(try await send("forceDelete", updated)["deleted"] == true)
  }

  @Test("an operation can ask for its own fields and for numbers as text")
  func perOperation() async throws {
    let fixture = try await Fixture()
    let body = """
      {"operations":[
        {"operationType":"create","record":{"recordType":"Note","recordName":"a","fields":{"count":{"value":1}}},
         "numbersAsStrings":true},
        {"operationType":"create","record":{"recordType":"Note","recordName":"b","fields":{"count":{"value":1},
         "title":{"value":"t"}}},"desiredKeys":["count"]}]}
      """
    let records = try await fixture.send("records/modify", body).json["records"]?.array ?? []
    #expect(records.first?["fields"]?["count"]?["value"] == "1")
    #expect(records.last?["fields"]?["count"]?["value"] == 1)
    #expect(records.last?["fields"]?["title"] == nil)
  }

  @Test("a request that needs a signed-in user gets the sign-in URL, also a refused write")
  func redirect() async throws {
    let fixture = try await Fixture()
    for (operation, body) in [("users/current", nil), ("records/modify", Self.modify("{}"))] {
      let json = try await fixture.send(operation, body, query: "ckAPIToken=api").json
      #expect(json["redirectURL"]?.string?.isEmpty == false)
    }
  }

  @Test("a page in a browser may ask, and may read its next token, but never the management API")
  func pages() async throws {
    let fixture = try await Fixture()
    func ask(_ method: String, _ target: String) async -> [String: String] {
      let headers = ["origin": "http://localhost:3000", "access-control-request-method": "POST"]
      let reply = await fixture.emulator.reply(to: EmulatorRequest(method, target, headers: headers))
      return Dictionary(reply.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
    let preflight = await ask("OPTIONS", Fixture.root + "records/query")
    #expect(preflight["Access-Control-Allow-Methods"]?.contains("POST") == true)
    let answer = await ask("GET", Fixture.root + "users/current?ckAPIToken=api&ckWebAuthToken=user")
    #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000" && answer["Vary"] == "Origin")
    let exposed = answer["Access-Control-Expose-Headers"] ?? ""
    #expect(exposed.contains("X-Apple-CloudKit-Web-Auth-Token"))
    #expect(await ask("GET", "/v1/teams")["Access-Control-Allow-Origin"] == nil)
    #expect(await ask("OPTIONS", "/v1/teams")["Access-Control-Allow-Origin"] == nil)
  }

  @Test("a wrong method is answered with the right one, a throttled request with the wait")
  func headers() async throws {
    let fixture = try await Fixture { $0.rateLimit = 1 }
    let wrong = try await fixture.send("records/query", method: "PUT").reply
    #expect(wrong.headers.contains { $0 == ("Allow", "POST") })
    let throttled = try await fixture.send("zones/list").reply
    #expect(throttled.status == 429)
    #expect(throttled.headers.contains { $0.name == "Retry-After" && $0.value == "1" })
  }

  @Test("a known path of the management API and of assets names the method it takes")
  func wrongMethods() async throws {
    let fixture = try await Fixture()
    let schema = "/v1/database/teams/T/containers/\(Fixture.container)/environments/DEVELOPMENT/schema"
    let paths = [
      (schema, "GET, POST"), ("/v1/teams", "GET"), ("/assets/upload/x", "POST"),
      ("/assets/download/x", "GET"),
    ]
    for (path, allowed) in paths {
      let reply = await fixture.emulator.reply(to: EmulatorRequest("PUT", path))
      #expect(reply.status == 405)
      #expect(reply.headers.contains { $0 == ("Allow", allowed) })
    }
  }

  @Test("what is refused without a name of its own has the name it would have had, as every entry has one")
  func namedRefusals() async throws {
    let fixture = try await Fixture()
    for fields in [#"{"at":{"value":1}}"#, #"{"at":{"value":1.5,"type":"TIMESTAMP"}}"#] {
      let body =
        #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":\#(fields)}}]}"#
      let entry = try await fixture.send("records/modify", body).json["records"]?.array?.first ?? .null
      #expect(entry["serverErrorCode"] == "BAD_REQUEST" && entry["recordName"]?.string?.isEmpty == false)
    }
  }

  @Test("only users are found by their record names")
  func users() async throws {
    let fixture = try await Fixture()
    let body = #"{"users":[{"userRecordName":"_user"},{"userRecordName":"_stranger"}]}"#
    let query = "ckAPIToken=api&ckWebAuthToken=user"
    let found = try await fixture.send("users/lookup/id", body, query: query).json
    #expect(found["users"]?.array?.map { $0["userRecordName"] } == ["_user"])
  }
}
