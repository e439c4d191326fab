import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import Diagnostics
import LocalContainer
import Testing
import WebServicesWire

/// What an answer is by default, and what it becomes when another behavior is chosen.
@Suite struct ChosenBehaviorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let section: String
    let choice: String
    let operation: String
    var body: String?
    var method: String?
    var path: String?
    var query: String?
    /// Sent before, with the same credentials.
    var first: String?
    /// In the answer by default, and not in the other one.
    let usual: String
    /// The other way round.
    var chosen = ""

    var testDescription: String { "\(section): \(choice)" }
  }

  private static func modify(_ operations: String...) -> String {
    #"{"operations":[\#(operations.joined(separator: ","))]}"#
  }

  private static func subscribe(_ filter: String) -> String {
    #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query","firesOn":["create"],"query":{"recordType":"Note","filterBy":[\#(filter)]}}}]}"#
  }

  private static func write(_ fields: String, _ options: String = "") -> String {
    #"{"operationType":"forceUpdate","record":{"recordType":"Note","recordName":"a","fields":\#(fields)}\#(options)}"#
  }

  static let cases: [Case] = [
    Case(
      section: "1.1", choice: "keyAtPrivateDatabase=ACCESS_DENIED", operation: "", body: "{}",
      path: "/database/1/iCloud.demo.celestra/development/private/records/query",
      usual: "AUTHENTICATION_FAILED", chosen: "ACCESS_DENIED"),
    Case(
      section: "2", choice: "refusesOtherMethods=false", operation: "records/query",
      usual: "method not allowed", chosen: "BadRequestException"),
    Case(
      section: "2", choice: "zoneOwner=_me", operation: "zones/list", usual: "_defaultOwner", chosen: "_me"),
    Case(
      section: "2", choice: "discoversEverybody=true", operation: "users/discover",
      query: "ckAPIToken=api&ckWebAuthToken=user", usual: "INTERNAL_ERROR", chosen: #""users":[]"#),
    Case(
      section: "2.1", choice: "repeatedRecord=accept", operation: "records/modify",
      body: modify(write("{}"), write("{}")), usual: "specified multiple times"),
    Case(
      section: "3.1", choice: "booleansAreIntegers=true", operation: "records/modify",
      body: modify(write(#"{"count":{"value":true,"type":"BOOLEAN"}}"#)), usual: "Unexpected input",
      chosen: #"{"value":1,"type":"INT64"}"#),
    Case(
      section: "3.1", choice: "booleansAreIntegers=true", operation: "records/modify",
      body: modify(write(#"{"count":{"value":false}}"#)), usual: "Unexpected input",
      chosen: #"{"value":0,"type":"INT64"}"#),
    Case(
      section: "3.1", choice: "listsAreUntyped=true", operation: "records/modify",
      body: modify(write(#"{"tags":{"value":["x"]}}"#)), usual: #""type":"STRING_LIST""#,
      chosen: #""type":"LIST""#),
    Case(
      section: "3.1", choice: "emptyListsAreUntyped=true", operation: "records/modify",
      body: modify(write(#"{"tags":{"value":[],"type":"STRING_LIST"}}"#)), usual: #""type":"STRING_LIST""#,
      chosen: "UNKNOWN_LIST"),
    Case(
      section: "2.1", choice: "deleteWithoutTag=refuse", operation: "records/modify",
      body: modify(#"{"operationType":"delete","record":{"recordName":"old"}}"#), usual: #""deleted":true"#,
      chosen: "BAD_REQUEST"),
    Case(
      section: "2", choice: "timestampsAsStrings=true", operation: "records/modify",
      body: modify(write(#"{"at":{"value":5,"type":"TIMESTAMP"}}"#, #","numbersAsStrings":true"#)),
      usual: #""value":5"#, chosen: #""value":"5""#),
    Case(
      section: "3.4", choice: "unindexedType=type", operation: "records/query",
      body: #"{"query":{"recordType":"Bare"}}"#, usual: "Field 'recordName' is not marked queryable",
      chosen: "Type is not marked indexable: Bare"),
    Case(
      section: "4.1", choice: "overLimit=QUOTA_EXCEEDED", operation: "records/modify",
      body: modify(Array(repeating: write("{}"), count: 201).joined(separator: ",")), usual: "BAD_REQUEST",
      chosen: "QUOTA_EXCEEDED"),
    Case(
      section: "4.1", choice: "overLimit=QUOTA_EXCEEDED", operation: "records/modify",
      body: modify(write(#"{"body":{"value":"\#(String(repeating: "x", count: 1_100_000))"}}"#)),
      usual: "BAD_REQUEST", chosen: "QUOTA_EXCEEDED"),
    Case(
      section: "5", choice: "updateWithoutTag=accept", operation: "records/modify",
      body: modify(
        #"{"operationType":"update","record":{"recordName":"old","fields":{"count":{"value":8}}}}"#),
      usual: "BAD_REQUEST", chosen: #""value":8"#),
    Case(
      section: "5", choice: "updateOfMissing=notFound", operation: "records/modify",
      body: modify(#"{"operationType":"update","record":{"recordName":"gone","recordChangeTag":"1"}}"#),
      usual: "CONFLICT", chosen: "NOT_FOUND"),
    Case(
      section: "5", choice: "unreadableQuery=empty", operation: "records/query",
      body: #"{"query":{"recordType":"Secretive"}}"#, query: "ckAPIToken=api", usual: "ACCESS_DENIED",
      chosen: #""records":[]"#),
    Case(
      section: "2", choice: "subscriptionPredicate=accept", operation: "subscriptions/modify",
      body: subscribe(#"{"comparator":"EQUALS","fieldName":"body","fieldValue":{"value":"a"}}"#),
      usual: "Field 'body' is not marked queryable", chosen: #""subscriptionType":"query""#),
    Case(
      section: "5", choice: "signInMakesUser=false", operation: "records/lookup",
      body: #"{"records":[{"recordName":"_user"}]}"#, query: "ckAPIToken=api&ckWebAuthToken=user",
      first: "users/caller", usual: #""recordType":"Users""#, chosen: "NOT_FOUND"),
    Case(
      section: "4.3", choice: "reasons=Record not found->no such thing", operation: "records/lookup",
      body: #"{"records":[{"recordName":"none"}]}"#, usual: "Record not found", chosen: "no such thing"),
    Case(
      section: "4.3", choice: "reasons=endpoint not->an endpoint never", operation: "zones/modify",
      body: "{}", usual: "endpoint not applicable", chosen: "an endpoint never applicable"),
  ]

  private func fixture(_ choices: String...) async throws -> Fixture {
    try await Fixture { for choice in choices { try $0.set(.behavior, choice) } }
  }

  private func answer(_ example: Case, _ fixture: Fixture) async throws -> String {
    let old = #"{"operationType":"create","record":{"recordType":"Note","recordName":"old"}}"#
    _ = try await fixture.send("records/modify", Self.modify(old))
    if let first = example.first { _ = try await fixture.send(first, query: example.query) }
    let reply = try await fixture.send(
      example.operation, example.body, method: example.method, path: example.path, query: example.query
    ).reply
    return String(decoding: reply.body, as: UTF8.self)
  }

  @Test("what nobody knows is chosen", arguments: cases)
  func chosen(_ example: Case) async throws {
    let usual = try await answer(example, fixture())
    let chosen = try await answer(example, fixture(example.choice))
    #expect(usual.contains(example.usual) && !chosen.contains(example.usual), "\(usual)\n\(chosen)")
    #expect(chosen.contains(example.chosen), "\(chosen)")
    #expect(example.chosen.isEmpty || !usual.contains(example.chosen), "\(usual)")
  }

  @Test("a signature from the future is as good as an old one, or not (1.1)")
  func signatureLead() async throws {
    for (choice, status) in [("signatureLead=600", 200), ("signatureLead=0", 401)] {
      let fixture = try await fixture(choice)
      var request = EmulatorRequest("GET", Fixture.root + "zones/list")
      let soon = Timestamp(milliseconds: LocalContainerSettings.systemClock().milliseconds + 60_000)
      let signer = RequestSigner(keyID: "key", key: fixture.key)
      for header in try signer.headers(subpath: Fixture.root + "zones/list", body: [], at: soon) {
        request.headers[header.name.lowercased()] = header.value
      }
      #expect(await fixture.emulator.reply(to: request).status == status)
    }
  }

  @Test("throttling is 429 with the header Retry-After, or 503 without (4.2)")
  func throttling() async throws {
    for choices in [[], ["throttleStatus=503", "sendsRetryAfterHeader=false"]] {
      var configuration = EmulatorConfiguration(container: Fixture.container)
      configuration.rateLimit = 0.001
      for choice in choices { try configuration.set(.behavior, choice) }
      let emulator = Emulator(configuration, store: try LocalStore(.memory))
      _ = await emulator.reply(to: EmulatorRequest("GET", Fixture.root + "zones/list"))
      let reply = await emulator.reply(to: EmulatorRequest("GET", Fixture.root + "zones/list"))
      #expect(reply.status == (choices.isEmpty ? 429 : 503))
      #expect(reply.headers.contains { $0.name == "Retry-After" } == choices.isEmpty)
    }
  }

  @Test("the checksum of a file is a version and a digest of 20 bytes, or SHA-256 (2)")
  func fileChecksum() async throws {
    for (choices, checksum) in [
      ([], AssetChecksum.signature), (["fileChecksum=signature"], .signature),
      (["fileChecksum=sha256"], .sha256),
    ] {
      let fixture = try await Fixture { for choice in choices { try $0.set(.behavior, choice) } }
      let asset = try await fixture.served { try await fixture.upload(Array("bytes".utf8), to: $1) }
      #expect(asset.fileChecksum == checksum.text(of: Array("bytes".utf8)))
    }
  }

  @Test("the place of an upload is good once or longer, that of a download may take a file name (2, 3.1)")
  func assets() async throws {
    for (choice, second) in [("uploadsOnce=true", 404), ("uploadsOnce=false", 200)] {
      let fixture = try await fixture(choice, "downloadsAreNamed=true")
      let places = try await fixture.send(
        "assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"file"}]}"#
      ).json
      let place = try #require(places["tokens"]?.array?.first?["url"]?.string)
      let path = String(try #require(place.firstRange(of: "/assets/")).lowerBound..<place.endIndex, in: place)
      func upload() async -> EmulatorReply {
        await fixture.emulator.reply(to: EmulatorRequest("POST", path, body: Array("bytes".utf8)))
      }
      let uploaded = try JSONValue(parsing: await upload().body)
      #expect(await upload().status == second)
      let file = try #require(uploaded["singleFile"]).text()
      let record = try await fixture.send(
        "records/modify", Self.modify(Self.write(#"{"file":{"value":\#(file),"type":"ASSETID"}}"#))
      ).json["records"]?.array?.first
      let url = try #require(record?["fields"]?["file"]?["value"]?["downloadURL"]?.string)
      #expect(url.hasSuffix("/${f}"))
      let named = url.replacing("${f}", with: "photo.jpg").replacing("http://127.0.0.1", with: "")
      let download = await fixture.emulator.reply(to: EmulatorRequest("GET", named))
      #expect(download.status == 200 && download.body == Array("bytes".utf8))
    }
  }
}

extension String {
  fileprivate init(_ range: Range<String.Index>, in text: String) { self.init(text[range]) }
}
