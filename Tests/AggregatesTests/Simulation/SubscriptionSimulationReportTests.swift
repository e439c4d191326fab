import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@testable import Aggregates

@Suite("Reports of simulations") struct SubscriptionSimulationReportTests {
  private func simulation(madeUp: Int = 1) -> SubscriptionSimulation {
    SubscriptionSimulation(users: 2, perUser: 2, skew: 1, seed: 1, feeds: ["a", "b", "c"], madeUp: madeUp)
  }

  /// Written and unchanged records, whether it is a dry run, and the text.
  static let texts: [(Int, Int, isDryRun: Bool, String)] = [
    (0, 0, true, "would create 5 subscriptions of 2 users, 1 of them with made-up names\n"),
    (
      0, 2, true,
      "would create 3 subscriptions of 2 users, 1 of them with made-up names; 2 exist already and stay as they are\n"
    ), (5, 0, false, "5 subscriptions of 2 users, 1 of them with made-up names\n"),
    (
      3, 2, false, "5 subscriptions of 2 users, 1 of them with made-up names, 2 of them from an earlier run\n"
    ),
    (3, 0, false, "3 of 5 subscriptions of 2 users, 1 of them with made-up names\n"),
  ]

  @Test("the text has what was created and what was there", arguments: texts)
  func text(written: Int, unchanged: Int, isDryRun: Bool, text: String) {
    let outcome = SubscriptionSimulation.Outcome(written: written, unchanged: unchanged)
    let report = SubscriptionSimulationReport(simulation(), outcome, isDryRun: isDryRun)
    #expect(report.text(.plain).description == text && report.isConfirmation == !isDryRun)
    #expect(report.failure == nil)
    #expect(
      report.json.object == [
        "subscriptions": JSONValue(isDryRun ? 5 : written + unchanged), "users": 2, "madeUp": 1,
        "written": JSONValue(written), "unchanged": JSONValue(unchanged),
        "remaining": JSONValue(5 - written - unchanged), "dryRun": .bool(isDryRun),
      ])
  }

  @Test("without made-up names none are mentioned")
  func plain() {
    let report = SubscriptionSimulationReport(simulation(madeUp: 0), .init(written: 4))
    #expect(report.text(.plain).description == "4 subscriptions of 2 users\n" && report.isConfirmation)
  }

  @Test("a failure is a part of the work when earlier records were written", arguments: [0, 1])
  func failure(written: Int) {
    var outcome = SubscriptionSimulation.Outcome(written: written)
    let change = RecordChange(.create, recordType: "FeedSubscription", recordName: "a")
    outcome.unfinished = ChangeReport(results: [(change, .failed(ServerError(.internalError, "no")))])
    #expect(
      SubscriptionSimulationReport(simulation(), outcome).failure?.status
        == (written > 0 ? .partial : .failed))
    outcome.unfinished = ChangeReport(interruption: CommandFailure("later", status: .tryLater))
    #expect(SubscriptionSimulationReport(simulation(), outcome).failure?.status == .tryLater)
  }

  @Test("a simulation takes the feeds of a container, and says what is missing")
  func container() async throws {
    let container = MemoryContainer()
    func simulation(_ users: Int = 2) async throws -> SubscriptionSimulation {
      try await SubscriptionSimulation(
        of: container, Fixtures.schema, users: users, perUser: 2, skew: 1, seed: 1)
    }
    await #expect(throws: CommandFailure.self) { try await simulation() }
    container.insert((0..<3).map { Fixtures.feed($0) })
    let made = try await simulation()
    #expect(made.count == 4 && made.perUser == 2)
    await #expect(throws: CommandFailure.self) { try await simulation(0) }
    #expect(try await made.countPresent(in: container) == 0)
    container.insert(Array(made.prefix(3)))
    #expect(try await made.countPresent(in: container) == 3)
    var schema = Fixtures.schema
    for type in ["FeedSubscription", "PublicFeed"] {
      schema.recordTypes.removeAll { $0.name == type }
      let error = await #expect(throws: CommandFailure.self) {
        try await SubscriptionSimulation(of: container, schema, users: 1, perUser: 1, skew: 1, seed: 1)
      }
      #expect(error?.code == "no-schema" && error?.message.contains(type) == true)
    }
  }
}
