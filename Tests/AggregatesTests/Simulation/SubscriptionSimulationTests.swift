import CloudKitModel
import LocalContainer
import RecordChanges
import Testing

@testable import Aggregates

@Suite("Simulated subscriptions") struct SubscriptionSimulationTests {
  private func simulation(
    users: Int = 200, perUser: Int = 8, skew: Double = 1, seed: UInt64 = 1, feeds: Int = 50
  ) -> SubscriptionSimulation {
    SubscriptionSimulation(
      users: users, perUser: perUser, skew: skew, seed: seed, feeds: (0..<feeds).map { "feed-\($0)" })
  }

  @Test("the same seed gives the same records, another seed others")
  func deterministic() {
    #expect(Array(simulation()) == Array(simulation()))
    #expect(Set(simulation().map(\.recordName)).isDisjoint(with: simulation(seed: 2).map(\.recordName)))
  }

  @Test("the first record never changes between versions")
  func golden() throws {
    let first = try #require(simulation().first { _ in true })
    #expect(first.fields == ["feedRecordName": .string("feed-40")])
    #expect(first.recordName == "e616a97f7e4c1b0367a71cd6b5e5e8757e67bc8fb96eee0fd5915bbb139dd049")
  }

  @Test("each user subscribes once to each of the feeds chosen", arguments: [0.0, 1.0, 5.0])
  func distinct(skew: Double) {
    let records = Array(simulation(skew: skew))
    #expect(records.count == 1600)
    #expect(Set(records.map(\.recordName)).count == 1600)
    #expect(records.allSatisfy { RecordNameRule.sha256.accepts($0.recordName) })
  }

  @Test("each user is the creator of its subscriptions, whose names verify, and made-up ones do not")
  func creators() {
    let names = CreatorNames.Checker(CreatorNames(ownKeys: []))
    func tally(_ simulation: SubscriptionSimulation) -> NameTally {
      simulation.reduce(into: NameTally()) {
        $0.add(
          names.check(
            $1.recordName, group: $1["feedRecordName"]?.string ?? "",
            creator: $1.created?.userRecordName ?? ""))
      }
    }
    #expect(tally(simulation()) == NameTally(verified: 1600))
    let more = SubscriptionSimulation(
      users: 200, perUser: 8, skew: 1, seed: 1, feeds: (0..<50).map { "feed-\($0)" }, madeUp: 70)
    #expect(tally(more) == NameTally(verified: 1600, madeUp: 70))
    #expect(more.count == 1670 && Set(more.map(\.recordName)).count == 1670)
    #expect(Array(more.prefix(1600)) == Array(simulation()))
  }

  @Test("the container of a simulation can do what the one below can")
  func abilities() throws {
    let base = try LocalContainer.open(.memory)
    let users = SimulatedUsers(base)
    #expect(users.grouping != nil && users.simulatedUsers != nil && users.clock.isLocal)
    #expect(users.callerRecordName == base.callerRecordName)
  }

  @Test("where random picks repeat too often, the most popular feeds fill the rest")
  func filled() {
    let few = Set(simulation(users: 20, perUser: 8, skew: 50).map { $0["feedRecordName"] })
    let all = Set(simulation(users: 20, perUser: 50, skew: 50).map { $0["feedRecordName"] })
    #expect(few.count == 8)
    #expect(all.count == 50)
  }

  @Test("popularity follows the skew")
  func skew() {
    func largest(_ skew: Double) -> Int {
      let counts = Dictionary(grouping: simulation(users: 2000, skew: skew)) { $0["feedRecordName"] }
      return counts.values.map(\.count).max() ?? 0
    }
    #expect(largest(0) < 450)
    #expect(largest(1) > 1000)
    #expect(ZipfDistribution(count: 3, skew: 1).sums.map { ($0 * 6).rounded() } == [6, 9, 11])
  }

  @Test(
    "odd sizes give nothing or everything, never a trap",
    arguments: [
      (0, 5, 5, 0), (5, 0, 5, 0), (5, 5, 0, 0), (-1, -1, 5, 0), (3, 99, 5, 15),
    ])
  func sizes(_ users: Int, _ perUser: Int, _ feeds: Int, _ expected: Int) {
    let simulation = simulation(users: users, perUser: perUser, skew: .infinity, feeds: feeds)
    #expect(Array(simulation).count == expected)
    #expect(simulation.count == expected)
  }

  @Test("written twice through a session, they are there once")
  func written() async throws {
    let container = MemoryContainer()
    let session = WriteSession(
      WritingJob("simulate", kind: .job), container: container, dependencies: Fixtures.environment())
    for (written, unchanged) in [(2400, 0), (0, 2400)] {
      let outcome = try await session.run { try await simulation(users: 300).write(through: $0) }
      #expect(outcome.written == written)
      #expect(outcome.unchanged == unchanged)
      #expect(outcome.unfinished == nil)
    }
    #expect(container.count("FeedSubscription") == 2400)
  }
}
