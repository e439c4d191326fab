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
