import CloudKitClient
import CloudKitModel
import Diagnostics
import HTTPTransport
import Synchronization
import Testing

@Suite("Answers and requests that are too large") struct AnswerSizeTests {
  /// Has the given number of records of type T, and refuses responses with more than `most` of them.
  private func service(records count: Int, most: Int) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      guard let json = try? JSONValue(parsing: request.body ?? []) else { return .failure(.protocol) }
      if let names = json["records"]?.array {
        guard names.count <= most else { return .failure(.tooLarge) }
        let records = names.compactMap { $0["recordName"]?.string }.map(record)
        return .json(#"{"records":[\#(records.joined(separator: ","))]}"#)
      }
      let start = json["continuationMarker"]?.string.flatMap(Int.init) ?? 0
      let end = min(count, start + Int(json["resultsLimit"]?.integer ?? 200))
      guard end - start <= most else { return .failure(.tooLarge) }
      let records = (start..<end).map { record("r\($0)") }.joined(separator: ",")
      let marker = end < count ? #","continuationMarker":"\#(end)""# : ""
      return .json(#"{"records":[\#(records)]\#(marker)}"#)
    }
  }

  @Test("an answer may have 32 MiB, in which the largest record fits several times")
  func limit() async throws {
    let transport = ScriptedTransport(.empty)
    _ = try await ClientFixture(transport).client.query(QueryRequest(Query("T")))
    #expect(transport.requests.first?.limits.maxBodyBytes == 33_554_432)
  }

  @Test("a page that is too large is asked for again as a shorter one, and so are those after it")
  func pages() async throws {
    let transport = service(records: 130, most: 60)
    let client = try ClientFixture(transport).client
    let found = try await client.allRecords(Query("T")).map(\.recordName)
    #expect(found == (0..<130).map { "r\($0)" })
    #expect(try transport.limits == [nil, 100, 50, 50, 50])
    // The same fields of the same type, later: no answer is thrown away again.
    _ = try await client.firstRecords(Query("T"), limit: 70)
    #expect(try transport.limits.dropFirst(5) == [50, 50])
    #expect(try await client.firstRecords(Query("T"), limit: 20).records.count == 20)
    #expect(try transport.limits.last == 20)
    // In the end one record at a time.
    let narrow = try ClientFixture(service(records: 5, most: 1)).client
    #expect(try await narrow.allRecords(Query("T")).count == 5)
  }

  @Test("a lookup that is too large is asked in parts, and answered in the order of the names")
  func lookups() async throws {
    let transport = service(records: 0, most: 60)
    let names = (0..<130).map { "n\($0)" }
    let client = try ClientFixture(transport).client
    #expect(try await client.lookup(LookupRequest(names)).map(\.record?.recordName) == names)
    #expect(transport.requests.count == 1 + 1 + 5)
    #expect(try await client.lookup(LookupRequest([])).isEmpty)
  }

  @Test("a single record that is too large ends with what to do about it")
  func singleRecord() async throws {
    let client = try ClientFixture(service(records: 10, most: 0)).client
    for request in ["query", "lookup"] {
      let failure = await #expect(throws: ContainerFailure.self) {
        if request == "query" {
          _ = try await client.query(QueryRequest(Query("T")))
        } else {
          _ = try await client.lookup(LookupRequest(["a", "b", "c"]))
        }
      }
      #expect(failure?.kind == .tooLarge)
      #expect(failure?.message.contains("records/\(request)") == true)
      #expect(failure?.hint?.contains("fewer fields") == true)
    }
  }

  @Test("a modify that something in front of the service finds too large was not carried out")
  func refusedRequest() async throws {
    let transport = ScriptedTransport(.json("<html>413 Request Entity Too Large</html>", status: 413))
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.modify([RetryTests.update])
    }
    #expect(failure?.kind == .tooLarge)
    #expect(transport.requests.count == 1)
  }

  @Test("a modify whose answer is too large may have been carried out")
  func unreadAnswer() async throws {
    let transport = ScriptedTransport(.failure(.tooLarge))
    let failure = await #expect(throws: ContainerFailure.self) {
      try await ClientFixture(transport).client.modify([RetryTests.update])
    }
    #expect(failure?.kind == .outcomeUnknown)
    #expect(transport.requests.count == 1)
  }

  @Test("the service's own refusal for size stays the service's")
  func ownRefusal() async throws {
    let transport = ScriptedTransport(
      .json(#"{"serverErrorCode":"QUOTA_EXCEEDED","reason":"too big"}"#, status: 413))
    let refusal = await #expect(throws: ServerError.self) {
      try await ClientFixture(transport).client.modify([RetryTests.update])
    }
    #expect(refusal?.code == .quotaExceeded)
  }
}

private func record(_ name: String) -> String { #"{"recordName":"\#(name)","recordType":"T","fields":{}}"# }

extension ScriptedTransport {
  /// The `resultsLimit` of each request.
  fileprivate var limits: [Int64?] {
    get throws { try requests.map { try JSONValue(parsing: $0.body ?? [])["resultsLimit"]?.integer } }
  }
}
