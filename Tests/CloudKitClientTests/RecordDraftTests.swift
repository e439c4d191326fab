import CloudKitModel
import Diagnostics
import HTTPTransport
import Testing

@testable import CloudKitClient

@Suite struct RecordDraftTests {
  /// Answers a request for a place, and an upload by its bytes.
  private let transport = ScriptedTransport { request, _ in
    if request.url.hasSuffix("/up") {
      let name = String(decoding: request.body ?? [], as: UTF8.self)
      return .json(#"{"singleFile":{"fileChecksum":"of \#(name)","size":\#(name.utf8.count),"receipt":"r"}}"#)
    }
    return .json(#"{"tokens":[{"recordName":"n","fieldName":"f","url":"http://127.0.0.1:2/up"}]}"#)
  }

  private func fields(_ text: String) async throws -> [String: FieldValue] {
    let draft = RecordDraft(
      recordType: "T", fields: try JSONValue(parsing: text),
      files: ["A": Array("aaa".utf8), "B": Array("bb".utf8), "unused": []])
    return try await ClientFixture(transport).client.upload(draft, for: "n")
  }

  private func asset(_ name: String) -> FieldValue {
    .asset(Asset(fileChecksum: "of \(name)", size: Int64(name.utf8.count), receipt: "r"))
  }

  @Test("each file is uploaded once, in the order of the fields, wherever it is used")
  func files() async throws {
    let fields = try await fields(
      """
      {"z": {"type": "assetType", "value": "A"}, "l": {"type": "assetListType", "value": ["B", "A", "B"]},
       "s": {"type": "stringType", "value": "A"}}
      """)
    #expect(
      fields == [
        "z": asset("aaa"), "l": .list(of: .asset, [asset("bb"), asset("aaa"), asset("bb")]),
        "s": .string("A"),
      ])
    let uploads = transport.requests.filter { $0.url.hasSuffix("/up") }
    #expect(uploads.map(\.body) == [Array("bb".utf8), Array("aaa".utf8)])
    let places = try transport.requests.filter { !$0.url.hasSuffix("/up") }.map {
      try JSONValue(parsing: $0.body ?? [])
    }
    #expect(places.map { $0["tokens"]?.array?.first?["fieldName"] } == ["l", "l"])
    #expect(places.allSatisfy { $0["tokens"]?.array?.first?["recordName"] == "n" })
    // Uploads have five times as long as other requests.
    #expect(uploads.allSatisfy { $0.limits.totalTimeout == .seconds(300) })
  }

  @Test("invalid fields are refused before anything is sent")
  func invalid() async throws {
    await #expect(throws: FieldValueError.self) {
      _ = try await fields(
        #"{"a": {"type": "assetType", "value": "A"}, "z": {"type": "assetType", "value": "missing"}}"#)
    }
    #expect(transport.requests.isEmpty)
  }
}
