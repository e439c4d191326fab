import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import CustomDump
import Foundation
import HTTPTransport
import RecordChanges
import SchemaLanguage
import Testing
import WebServicesWire

/// Takes answers of a megabyte where the client takes 32.
private struct SmallAnswers: HTTPTransport {
  let base: CurlTransport

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    var request = request
    request.limits.maxBodyBytes /= 32
    return try await base.send(request)
  }
}

/// Client and emulator over real HTTP on the loopback.
@Suite struct ServedTests {
  @Test("a client follows the clock of a service that is an hour ahead, and comes back with it")
  func skewedService() async throws {
    let fixture = try await Fixture { $0.faults = [try FaultRule(parsing: "clock-skew,count=3")] }
    try await fixture.served { client, _ in
      for _ in 0..<4 { _ = try await client.lookup(LookupRequest(["a"])) }
    }
  }

  private func note(_ name: String, _ fields: [String: FieldValue?] = [:]) -> RecordOperation {
    RecordOperation(.create, recordType: "Note", recordName: name, fields: fields)
  }

  @Test("records are written, queried page by page, looked up and deleted")
  func records() async throws {
    let fixture = try await Fixture(pageSize: 7)
    try await fixture.served { client, _ async throws in
      let operations = (0..<50).map {
        note("n\($0)", ["count": .int64(Int64($0)), "body": .string("é\u{1F600}")])
      }
      let outcomes = try await client.modify(operations)
      #expect(outcomes.compactMap(\.record).count == 50)
      let query = Query(
        "Note", filters: [Filter("count", .greaterThanOrEquals, .int64(10))], sorts: [Sort("title")])
      #expect(try await client.allRecords(query).count == 40)
      let found = try await client.lookup(LookupRequest(["n3", "none"], desiredKeys: ["count"]))
      #expect(found[0].record?.fields == ["count": .int64(3)])
      #expect(found[1].error?.code == .notFound)
      let gone = try await client.modify([RecordOperation(.forceDelete, recordName: "n3")])
      expectNoDifference(gone, [.deleted(recordName: "n3")])
    }
  }

  @Test("every field type comes back as it was written, extremes included")
  func fieldTypes() async throws {
    let fixture = try await Fixture()
    try await fixture.served { client, _ async throws in
      let fields: [String: FieldValue] = [
        "title": .string("quote\" \\ \u{7F} \n 日本"), "count": .int64(.min),
        "at": .timestamp(Timestamp(milliseconds: -1)), "tags": .strings(["a", ""]),
        "link": .reference(Reference("x")),
      ]
      _ = try await client.modify([note("a", fields.mapValues(Optional.some))])
      let record = try await client.lookup(LookupRequest(["a"])).first?.record
      expectNoDifference(record?.fields, fields)
    }
  }

  @Test("records of which one page is more than a client reads at once are exported, looked up and settled")
  func largeRecords() async throws {
    let fixture = try await Fixture()
    try await fixture.served(through: SmallAnswers.init) { client, _ async throws in
      let body = String(repeating: "x", count: 7_800)
      for start in stride(from: 0, to: 160, by: 4) {
        let fields: [String: FieldValue?] = ["body": .string(body), "count": .int64(1)]
        let made = try await client.modify((start..<start + 4).map { note("n\($0)", fields) })
        #expect(made.compactMap(\.error) == [])
      }
      let names = try await client.allRecords(Query("Note")).map(\.recordName)
      #expect(Set(names).count == 160)
      let found = try await client.lookupAll(names)
      #expect(found.map(\.record?.recordName) == names)
      let changes = found.compactMap(\.record).map { record in
        RecordChange(
          .update, recordType: "Note", recordName: record.recordName, changeTag: "stale",
          fields: ["count": FieldChange(from: .int64(1), to: .int64(2))])
      }
      let report = await ChangeExecutor(container: client, policy: .refuse).apply(changes)
      #expect(report.applied == 160)
    }
  }

  #if os(Linux)
    @Test("writing keeps no connection open, and reading one", .timeLimit(.minutes(5)))
    func connections() async throws {
      let fixture = try await Fixture()
      try await fixture.served { client, server async throws in
        _ = try await client.query(QueryRequest(Query("Note")))
        try await expectOneConnection(to: server.url)
        for number in 0..<20 { _ = try await client.modify([note("n\(number)")]) }
        try await expectOneConnection(to: server.url)
      }
    }

    /// A connection that has just been closed may still be listed. Waits for much less than the server waits before it
    /// closes idle ones. Yielding alone would keep the other tests of the process from running.
    private func expectOneConnection(to url: String) async throws {
      let end = ContinuousClock.now + .seconds(30)
      while try openConnections(to: url) > 1, .now < end { try await Task.sleep(for: .milliseconds(20)) }
      #expect(try openConnections(to: url) == 1)
    }

    /// As the system sees them from their clients' side (proc(5), /proc/net/tcp).
    private func openConnections(to url: String) throws -> Int {
      let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
      let digits = String(port, radix: 16, uppercase: true)
      let peer = ":" + String(repeating: "0", count: 4 - digits.count) + digits
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp"))
      let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
      return table.split(separator: "\n").count { line in
        let columns = line.split(separator: " ")
        return columns.count > 3 && columns[2].hasSuffix(peer) && columns[3] == "01"
      }
    }
  #endif

  @Test("a user's session keeps its token")
  func user() async throws {
    try await Fixture().served(authentication: .apiToken(Secret("api"), webAuthToken: Secret("user"))) {
      client, _ async throws in
      #expect(try await client.lookup(LookupRequest(["a"])).count == 1)
      #expect(try await client.lookup(LookupRequest(["a"])).count == 1)
    }
  }

  @Test("an asset goes up, into a record, and down again")
  func assets() async throws {
    let fixture = try await Fixture()
    try await fixture.served { client, server async throws in
      let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      let uploaded = try await fixture.upload(bytes, record: "a", to: server)
      var misstated = uploaded
      misstated.size += 1
      let refused = try await client.modify([note("c", ["file": .asset(misstated)])])[0]
      #expect(refused.error?.reason == "bad upload receipt (did_not_validate)")
      let outcome = try await client.modify([note("a", ["file": .asset(uploaded)])])[0]
      guard case .asset(let asset)? = outcome.record?.fields["file"] else {
        Issue.record("no asset in \(outcome)")
        return
      }
      #expect(asset.receipt == nil && asset.size == 100_000)
      let url = try #require(asset.downloadURL)
      let response = try await CurlTransport().send(HTTPRequest(url: url))
      #expect(response.body == bytes)
      let again = try await client.modify([note("b", ["file": .asset(asset)])])[0]
      #expect(again.error?.reason == "bad upload receipt (did_not_validate)")
    }
  }

  static let faults = [
    "reset-before,count=3", "reset-after,every=3", "half,every=2,count=4", "slow,pause=1",
    "misdirected,count=2",
    "status,status=503,body=busy,every=4", "status,status=429,retryAfter=0,count=3",
    "status,status=500,every=5,count=2",
  ]

  @Test("a sweep of pages through a faulty emulator sees every record once", arguments: faults)
  func sweep(fault: String) async throws {
    let rule = try FaultRule(parsing: fault + ",endpoint=records/query")
    let fixture = try await Fixture(pageSize: 5) { $0.faults = [rule] }
    let retry = RetryPolicy(attempts: 6, firstWait: .milliseconds(1))
    let pipeline = RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 2, retry: retry)
    try await fixture.served(pipeline: pipeline) { client, _ async throws in
      _ = try await client.modify((0..<60).map { note("n\($0)") })
      let names = try await client.allRecords(Query("Note")).map(\.recordName)
      #expect(names.count == 60 && Set(names).count == 60)
    }
  }

  @Test("a modify whose reply is lost was carried out once, and the client says that it does not know")
  func lostReply() async throws {
    let rule = try FaultRule(parsing: "reset-after,endpoint=records/modify,count=1")
    try await Fixture { $0.faults = [rule] }.served { client, _ async throws in
      let failure = await #expect(throws: ContainerFailure.self) { try await client.modify([note("a")]) }
      #expect(failure?.kind == .outcomeUnknown)
      #expect(try await client.lookup(LookupRequest(["a"]))[0].record != nil)
    }
  }

  @Test("a stuck marker ends in an error, not in a loop")
  func stuckMarker() async throws {
    let rule = try FaultRule(parsing: "stuck-marker,after=1")
    try await Fixture(pageSize: 2) { $0.faults = [rule] }.served { client, _ async throws in
      _ = try await client.modify((0..<9).map { note("n\($0)") })
      await #expect(throws: ContainerFailure.self) { try await client.allRecords(Query("Note")) }
      await #expect(throws: ContainerFailure.self) { try await client.firstRecords(Query("Note"), limit: 8) }
    }
  }

  @Test("the first records are as many as asked for, and whether these are all is known")
  func firstRecords() async throws {
    try await Fixture(pageSize: 2).served { client, _ async throws in
      _ = try await client.modify((0..<5).map { note("n\($0)") })
      for (limit, isComplete) in [(1, false), (4, false), (5, true), (9, true)] {
        let found = try await client.firstRecords(Query("Note"), limit: limit)
        #expect(found.records.count == min(limit, 5) && found.isComplete == isComplete, "\(limit)")
      }
      let all = try await client.firstRecords(Query("Note"), limit: nil)
      #expect(all.records.count == 5 && all.isComplete)
    }
  }

  @Test("a rate limit is met with 429 and kept to")
  func rateLimit() async throws {
    try await Fixture { $0.rateLimit = 50 }.served { client, _ async throws in
      for _ in 0..<60 { _ = try await client.lookup(LookupRequest(["a"])) }
    }
  }

  @Test("a body over the limit is 413, and the server goes on")
  func largeBody() async throws {
    try await Fixture { $0.bodyLimit = 10_000 }.served { client, _ async throws in
      let large = note("a", ["body": .string(String(repeating: "x", count: 5_000_000))])
      await #expect(throws: (any Error).self) { try await client.modify([large]) }
      #expect(try await client.modify([note("b")])[0].record != nil)
    }
  }

  @Test("a stop lets the requests in flight finish")
  func stop() async throws {
    let fixture = try await Fixture { $0.latency = .milliseconds(200) }
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let transport = try CurlTransport()
    let answer = Task { try await transport.send(HTTPRequest(url: server.url + "/database/1/x")) }
    while server.requestsInFlight == 0 { await Task.yield() }
    await server.stop()
    #expect(try await answer.value.status == 404)
    await #expect(throws: HTTPFailure.self) {
      try await transport.send(HTTPRequest(url: server.url + "/database/1/x"))
    }
  }

  @Test(
    "a stop waits for no pause that was made on purpose", .timeLimit(.minutes(5)),
    arguments: [Duration.seconds(3600), .zero])
  func stopCutsPauses(latency: Duration) async throws {
    let fixture = try await Fixture {
      $0.latency = latency
      $0.faults = [try FaultRule(parsing: "slow,pause=600000")]
    }
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let transport = try CurlTransport()
    let answer = Task { try await transport.send(HTTPRequest(url: server.url + "/database/1/x")) }
    while server.requestsInFlight == 0 { await Task.yield() }
    await server.stop()
    #expect(try await answer.value.status == 404)
  }

  @Test("a real container needs a word")
  func refusesToStart() async throws {
    let fixture = try await Fixture { $0.container = "iCloud.com.example.App" }
    await #expect(throws: EmulatorServerError.mayBeReal(container: "iCloud.com.example.App")) {
      try await EmulatorServer(fixture.configuration, store: fixture.store)
    }
  }
}
