import CloudKitModel
import Diagnostics
import LocalContainer
import RawConnections
import SchemaLanguage
import Testing
import WebServicesWire

@testable import CloudKitEmulator

/// What clients written for the live service rely on.
@Suite("Live clients") struct LiveClientsTests {
  private func store(_ fixture: Fixture, _ body: String, contentType: String?) async throws -> JSONValue {
    let places = try await fixture.send(
      "assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"file"}]}"#
    ).json
    let place = try #require(places["tokens"]?.array?.first?["url"]?.string)
    let start = try #require(place.firstRange(of: "/assets/")).lowerBound
    let path = String(place[start...])
    var request = EmulatorRequest("POST", path, body: Array(body.utf8))
    request.headers["content-type"] = contentType
    let reply = await fixture.emulator.reply(to: request)
    return try JSONValue(parsing: reply.body)
  }

  @Test("a file arrives whole, raw or as a part of a form")
  func forms() async throws {
    let fixture = try await Fixture()
    let form =
      "--B\r\nContent-Disposition: form-data; name=\"files\"; filename=\"one.txt\"\r\n\r\n1\n\r\n--B--\r\n"
    for (body, type) in [
      ("1\n", nil), ("1\n", "application/octet-stream"), (form, "multipart/form-data; boundary=B"),
    ] {
      let file = try await store(fixture, body, contentType: type)
      #expect(file["singleFile"]?["size"]?.integer == 2, "\(type ?? "none")")
    }
    let broken = try await store(fixture, "no parts", contentType: "multipart/form-data; boundary=B")
    #expect(broken["serverErrorCode"]?.string == "BAD_REQUEST")
  }

  @Test("a receipt is taken for the record and field it was given for", arguments: [nil, true, false])
  func receipts(choice: Bool?) async throws {
    let isBound = choice ?? true
    let fixture = try await Fixture { if let choice { $0.receiptsAreBound = choice } }
    let places = try await fixture.send(
      "assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"file","recordName":"a"}]}"#
    ).json
    let place = try #require(places["tokens"]?.array?.first?["url"]?.string)
    let start = try #require(place.firstRange(of: "/assets/")).lowerBound
    let uploaded = await fixture.emulator.reply(
      to: EmulatorRequest("POST", String(place[start...]), body: Array("x".utf8)))
    #expect(uploaded.status == 200)
    let value = try #require(try JSONValue(parsing: uploaded.body)["singleFile"]).text()
    for (name, isRefused) in [("b", isBound), ("a", false)] {
      let reply = try await fixture.send(
        "records/modify",
        #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"\#(name)","fields":{"file":{"value":\#(value),"type":"ASSETID"}}}}]}"#
      ).json
      #expect((reply["records"]?.array?.first?["serverErrorCode"] != nil) == isRefused, "\(name)")
    }
  }

  @Test("a download URL has no character to escape but those of its placeholder, and works in each spelling")
  func downloads() async throws {
    let fixture = try await Fixture()
    // Of 64 files some checksums have each of the characters that base64url replaces.
    for number in 0..<64 {
      let content = "file \(number)"
      let file = try await store(fixture, content, contentType: nil)
      let value = try #require(file["singleFile"]).text()
      let made = try await fixture.send(
        "records/modify",
        #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"n\#(number)","fields":{"file":{"value":\#(value),"type":"ASSETID"}}}}]}"#
      ).json
      let url = try #require(
        made["records"]?.array?.first?["fields"]?["file"]?["value"]?["downloadURL"]?.string)
      #expect(!url.contains("%") && !url.contains("=") && url.hasSuffix("/${f}"), "\(url)")
      let path = url.replacing("http://127.0.0.1", with: "")
      for spelling in [
        path, path.replacing("${f}", with: "a.txt"), path.replacing("${f}", with: "%24%7Bf%7D"),
      ] {
        let reply = await fixture.emulator.reply(to: EmulatorRequest("GET", spelling))
        #expect(reply.body == Array(content.utf8), "\(spelling)")
      }
    }
  }

  @Test("a file that is there can be used again until the quota is reached; one that is gone cannot")
  func usedAgain() async throws {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    configuration.assetQuota = 2000
    let assets = AssetStore(configuration)
    let place = assets.openPlace("", for: .init(field: "file"))
    let asset = try assets.store(
      Array(repeating: 1, count: 500), at: String(place.split(separator: "/").last ?? ""))
    let copies = (0..<100).prefix { _ in assets.rereference(asset) != nil }.count
    #expect((1..<100).contains(copies))
    var unknown = asset
    unknown.fileChecksum = "AAAA"
    #expect(AssetStore(EmulatorConfiguration(container: Fixture.container)).rereference(unknown) == nil)
  }

  @Test(
    "lists come back with their field's type, empty ones too, also if they were sent without one",
    arguments: ["[]", "[\"x\"]"])
  func lists(value: String) async throws {
    let fixture = try await Fixture()
    let made = try await fixture.send(
      "records/modify",
      #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"a","fields":{"tags":{"value":\#(value)}}}}]}"#
    ).json
    let found = try await fixture.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#).json
    let expected = try JSONValue(parsing: Array(#"{"value":\#(value),"type":"STRING_LIST"}"#.utf8))
    for reply in [made, found] { #expect(reply["records"]?.array?.first?["fields"]?["tags"] == expected) }
    // A write of the type LIST is refused.
    let bare = try await fixture.send(
      "records/modify",
      #"{"operations":[{"operationType":"forceUpdate","record":{"recordType":"Note","recordName":"a","fields":{"tags":{"value":\#(value),"type":"LIST"}}}}]}"#
    )
    #expect(bare.reply.status == 400)
  }

  @Test("a whole DOUBLE is written without a fraction, and numbers of Apple's own types are read")
  func numbers() throws {
    let record = Record(
      recordType: "T", recordName: "a",
      fields: [
        "d": .double(3), "f": .double(0.5), "big": .double(1e300), "l": .list(of: .double, [.double(2)]),
      ])
    let text = record.json().text()
    #expect(text.contains(#""d":{"value":3,"type":"DOUBLE"}"#))
    #expect(text.contains(#""l":{"value":[2],"type":"DOUBLE_LIST"}"#))
    #expect(text.contains("0.5") && text.contains("1e+300"))
    #expect(try Record(json: JSONValue(parsing: Array(text.utf8))).fields == record.fields)
    var format = RecordReplyFormat(numbersAsStrings: true)
    #expect(record.json(format).text().contains(#""d":{"value":"3","type":"DOUBLE"}"#))
    format = RecordReplyFormat()
    format.wholeDoublesHaveFraction = true
    #expect(record.json(format).text().contains(#""d":{"value":3.0,"type":"DOUBLE"}"#))
    let apple =
      #"{"recordName":"a","recordType":"T","fields":{"n":{"value":7,"type":"NUMBER_INT64"},"d":{"value":7,"type":"NUMBER_DOUBLE"}}}"#
    #expect(
      try Record(json: JSONValue(parsing: Array(apple.utf8))).fields == ["n": .int64(7), "d": .double(7)])
  }

  @Test("a client that expects 100 Continue gets it before it sends its body", .timeLimit(.minutes(5)))
  func expectation() async throws {
    try await Fixture().served { _, server async throws in
      let answer = try await RawConnection(port: server.port).beginning(
        after: "POST /assets/upload/x HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nExpect: 100-continue \r\n"
          + "Content-Length: 4\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 100"))
    }
  }
}
