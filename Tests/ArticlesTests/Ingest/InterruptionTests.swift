import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import LocalContainer
import RecordChanges
import Synchronization
import Testing

/// Runs that are stopped at each of their requests lose no item and create none twice.
@Suite struct InterruptionTests {
  private static let guids = (0..<250).map { "item-\($0)" }

  /// Fails the request of a number, and every later one, as when the process was killed before or after it.
  private func stopped(_ base: any Container, at number: Int, fault: FaultyContainer.Fault) -> FaultyContainer
  {
    let count = Mutex(0)
    return FaultyContainer(base) { _ in
      let index = count.withLock { count in
        count += 1
        return count
      }
      return index < number
        ? nil : index == number ? fault : .refuse(ContainerFailure(.unavailable(retryAfter: nil), "stopped"))
    }
  }

  @Test("the run is stopped before or after each request", arguments: [false, true])
  func eachRequest(isCarriedOut: Bool) async throws {
    let stop = ContainerFailure(.unavailable(retryAfter: nil), "stopped")
    let fault: FaultyContainer.Fault = isCarriedOut ? .after { throw stop } : .refuse(stop)
    for number in 1...20 {
      let world = try await ArticleWorld(feeds: ["a", "b"])
      world.serve(TestItem.list(Self.guids), at: "a", etag: "\"x\"")
      world.serve(TestItem.list(["1"]), at: "b", etag: "\"x\"")
      let container = stopped(world.container, at: number, fault: fault)
      let report: HealthRunResult?
      do {
        report = try await world.run(on: container)
      } catch is ContainerFailure {
        report = nil
      }
      let wasStopped = container.requests.count >= number
      if wasStopped { #expect(report?.writes.isComplete != true, "request \(number)") }
      let last = FaultyContainer(world.container)
      #expect(try await world.run(on: last).writes.isComplete)
      #expect(try await world.guids() == (Self.guids + ["1"]).sorted(), "request \(number)")
      let settled = try await world.run()
      #expect(settled.notModified == 2 && settled.articles?.listed == 0, "request \(number)")
      if !wasStopped { return }
    }
    Issue.record("the run has more requests than were stopped")
  }

  @Test(
    "a record that the container refuses keeps the document open, unless its value can never be stored",
    arguments: [
      (ServerError(.badRequest, "invalid value"), true), (ServerError(.accessDenied, "no"), false),
      (ServerError(.quotaExceeded, "full"), false),
    ])
  func refused(error: ServerError, isLasting: Bool) async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2"]), etag: "\"x\"")
    let container = FaultyContainer(world.container) { request in
      guard case .modify(let operations) = request,
        operations.contains(where: { $0.recordType == "PublicArticle" })
      else { return nil }
      return .eachRecord(error)
    }
    let result = try await world.run(on: container)
    #expect(result.articles?.failed == 2 && result.articles?.written == 0)
    #expect(result.writes.remaining.count == 2)
    let next = try await world.run()
    #expect(next.notModified == (isLasting ? 1 : 0))
    #expect(try await world.guids() == (isLasting ? [] : ["1", "2"]))
  }
}
