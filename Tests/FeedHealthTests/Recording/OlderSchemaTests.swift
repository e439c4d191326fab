import CloudKitModel
import Diagnostics
import FeedState
import HTTPTransport
import LocalContainer
import RecordChanges
import Testing

@testable import FeedHealth

/// Containers whose schema lacks the fields that were added later.
@Suite struct OlderSchemaTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  private func check(_ container: LocalContainer, _ answer: HTTPResponse) async throws -> HealthRunResult {
    var options = HealthOptions()
    options.force = true
    return try await HealthCheck(
      container: container, transport: StubTransport([url: { _ in answer }]), clock: clock.health,
      options: options
    ).run(
      in: WriteSession(
        WritingJob("health check", kind: .job), container: container,
        dependencies: WriteSessionDependencies(
          now: clock.health.now, runID: "run", wait: clock.health.wait)))
  }

  private func olderContainer() async throws -> LocalContainer {
    let text = try await TestCatalog(feeds: [:]).container.exportSchema()
    let old = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      // The fields for articles came later.
      !FeedRecordMapping.fieldsOfAlerts.union(["articlesValidator", "itemIDRule"]).contains {
        line.contains(" \($0) ")
      }
    }
    #expect(old.count == text.split(separator: "\n", omittingEmptySubsequences: false).count - 8)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(old.joined(separator: "\n"))
    _ = try await container.modify([
      RecordOperation(
        .create, recordType: "PublicFeed", recordName: "a", fields: ["feedURL": .string(url)])
    ])
    return container
  }

  @Test("a container without the new fields is checked as before, and the report says what is not kept")
  func withoutFields() async throws {
    let container = try await olderContainer()
    for _ in 0..<3 {
      let run = try await check(container, .status(404))
      #expect(run.writes.isComplete && run.hasOlderSchema)
      clock.advance(86_400)
    }
    let run = try await check(container, .status(403))
    #expect(run.feeds[0].status == .down)
    #expect(HealthRunReport(run).text(.plain).description.contains("lacks the field failingSince"))
  }

  @Test("status shows what such a container keeps")
  func status() async throws {
    let container = try await olderContainer()
    for _ in 0..<3 {
      _ = try await check(container, .status(404))
      clock.advance(86_400)
    }
    let health = try await CatalogHealthReader(container: container).read(at: clock.now)
    #expect(health.total[.down] == 1)
    #expect(health.troubled[0].reasons == [.notFound])
    #expect(health.troubled[0].facts(at: clock.now).contains { $0.hasPrefix("uptime 0 % of 3 checks") })
  }

  @Test("a container with the fields has nothing to say")
  func withFields() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let run = try await check(catalog.container, .status(404))
    #expect(!run.hasOlderSchema && !HealthRunReport(run).text(.plain).description.contains("failingSince"))
  }
}
