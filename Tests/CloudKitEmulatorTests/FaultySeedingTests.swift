import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import LocalContainer
import RecordChanges
import Testing

/// Writing through the one write path, client and emulator, while everything that can go wrong does.
@Suite struct FaultySeedingTests {
  static let rules = [
    "reset-before,every=3", "reset-after,every=3", "half,every=4", "slow,pause=1,every=5",
    "misdirected,every=3",
    "status,status=503,body=busy,every=4", "status,status=429,retryAfter=0,every=3",
    "status,status=500,every=5", "status,status=502,body=bad,every=4",
  ]

  @Test("5,000 records are all there once, whatever the trouble", arguments: rules.map { [$0] } + [rules])
  func seeding(rules: [String]) async throws {
    // All together they must not fail five requests in a row, or the circuit breaker waits a minute.
    let primes = [5, 7, 11, 13, 17, 19, 23, 29, 31]
    let faults = try zip(rules, primes).map { text, prime in
      var rule = try FaultRule(parsing: text)
      if rules.count > 1 { rule.every = prime }
      return rule
    }
    let changes = (0..<5000).map { number in
      RecordChange(
        .create, recordType: "Note", recordName: "n\(number)",
        fields: [
          "count": FieldChange(to: .int64(Int64(number))), "title": FieldChange(to: .string("é\(number)")),
        ])
    }
    let fixture = try await Fixture { $0.faults = faults }
    let retry = RetryPolicy(attempts: 8, firstWait: .milliseconds(1))
    try await fixture.served(pipeline: RequestPipelineSettings(requestsPerSecond: nil, retry: retry)) {
      client, _ in
      let executor = ChangeExecutor(
        container: client,
        options: .init(
          policy: .refuse, retry: RetryPolicy(attempts: 10, firstWait: .milliseconds(1))))
      var pending = changes
      // A run may end early; a re-run must complete it.
      for _ in 0..<5 where !pending.isEmpty {
        pending = await executor.apply(pending).remaining.map(\.change)
      }
      #expect(pending.isEmpty)
    }
    let container = LocalContainer(store: fixture.store)
    let records = try await container.allRecords(Query("Note"))
    #expect(records.count == 5000)
    #expect(records.allSatisfy { $0.recordName == "n\($0["count"]?.int64 ?? -1)" })
    #expect(records.allSatisfy { $0.created == $0.modified }, "written once each")
  }
}
