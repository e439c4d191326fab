import CloudKitModel
import ContainerFaults
import Diagnostics
import Testing

@testable import LocalContainer
@testable import RecordChanges

/// What `history RUN` says about the last change of each record.
@Suite struct ChangesSinceRunTests {
  private func text(_ fixture: UndoFixture, through other: (any Container)? = nil) async throws -> (
    String, JSONValue
  ) {
    let run = try fixture.history.run("run")
    let since = try await ChangesSinceRun(of: run, in: other ?? fixture.container)
    let report = try fixture.history.report(of: run, since: since)
    return (report.text(.plain).description, report.json)
  }

  private func person(_ fixture: UndoFixture) -> LocalContainer {
    LocalContainer(
      store: fixture.container.store, environment: fixture.container.identity.environment,
      identity: CallerIdentity(userRecordName: "_person42", customRoles: .all))
  }

  @Test(
    "each record has the time of its last change, whether it was this run's, and whether this key made it")
  func authors() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write(["a", "b", "c", "d"].map { fixture.create($0) })
    try await fixture.put("b", ["note": .string("later")])
    let operation = RecordOperation(
      .forceUpdate, recordType: "Feed", recordName: "c", fields: ["note": .string("p")])
    if let error = try await person(fixture).modify([operation]).first?.error { throw error }
    try await fixture.delete("d")

    let (text, json) = try await text(fixture)
    let lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("    ") }
    #expect(lines.count == 4, "\(text)")
    #expect(lines[0].hasPrefix("    last changed 20") && lines[0].hasSuffix(" by this key, in this run"))
    #expect(lines[1].hasSuffix(" by this key, after this run"))
    #expect(lines[2].hasSuffix(" by another user, after this run"))
    #expect(lines[3] == "    deleted after this run")
    #expect(!text.contains("_person42") && !json.text().contains("_person42"))
    let changes = try #require(json["changes"]?.array)
    #expect(changes.map { $0["lastChange"]?["by"]?.string } == ["this-key", "this-key", "another-user", nil])
    #expect(changes.map { $0["lastChange"]?["inThisRun"]?.bool } == [true, false, false, nil])
    #expect(changes[0]["lastChange"]?["at"]?.string?.hasSuffix("Z") == true)
    // The run's own key made what is from this run, also where the container does not say who asks.
    let silent = FaultyContainer(fixture.container) {
      if case .query = $0 { .refuse(ServerError(.accessDenied, "READ operation not permitted")) } else { nil }
    }
    let service = try await self.text(fixture, through: silent).0
    #expect(service.contains(/last changed 20\S+Z in this run\n/))
    #expect(service.contains("Z by this key or another user (not known), after this run"))
  }

  @Test("nothing is said about the records of another container or environment")
  func elsewhere() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")])
    let (text, json) = try await text(
      fixture, through: try LocalContainer.open(.memory, environment: .production))
    #expect(!text.contains("last changed") && !text.contains("deleted after"))
    #expect(json["changes"]?.array?.first?["lastChange"] == nil)
  }
}
