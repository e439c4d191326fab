import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Foundation
import LocalContainer
import SchemaLanguage
import Testing

/// A mirror keeps its promise while others write, its runs are cut off, requests fail, and the index lags behind.
@Suite struct MirrorModelTests {
  /// Milliseconds of the emulator's clock, which goes faster than the machine's.
  private static let lag: Int64 = 3000
  private static let rate = 20.0
  private static let faults = [
    "reset-before,every=5", "reset-after,every=7", "half,every=11", "status,status=503,body=busy,every=13",
    "status,status=429,retryAfter=0,every=17", "empty-page,every=6",
  ]

  @Test(
    "each record is as promised after every run, and in the end all are equal",
    arguments: 1...8 as ClosedRange<UInt64>)
  func promise(seed: UInt64) async throws {
    let fixture = try await Fixture(pageSize: 7) {
      $0.behavior.indexDelay = Self.lag
      $0.now = movingClock(from: LocalContainerSettings.systemClock(), rate: Self.rate)
      $0.faults = try Self.faults.map { try FaultRule(parsing: $0) }
    }
    try await fixture.store.importSchema(Schema(parsing: ServiceModel.schema), into: .development)
    let model = ServiceModel(fixture.store, seed: seed, now: fixture.configuration.now)
    let retry = RetryPolicy(attempts: 8, firstWait: .milliseconds(1))
    try await withMirror { path in
      try await fixture.served(pipeline: RequestPipelineSettings(requestsPerSecond: nil, retry: retry)) {
        client, _ in
        for _ in 0..<120 { try await model.write() }
        var cuts = 0
        for number in 0..<14 {
          for _ in 0..<model.pick(0..<20) { try await model.write() }
          let limit = number == 0 ? Int(seed) : model.pick(0..<3) == 0 ? .max : model.pick(1..<10)
          let service = BusyService(client, model, limit: limit)
          do {
            _ = try await run(service, path, readsNames: model.pick(0..<3) == 0)
          } catch is BusyService.Cut {
            cuts += 1
          }
          let problems = model.problems(of: try await MirrorContent(path))
          #expect(problems == [])
        }
        #expect(cuts > 0)
        let quiet = fixture.configuration.now() + .milliseconds(Self.lag)
        while fixture.configuration.now() <= quiet { try await Task.sleep(for: .milliseconds(5)) }
        let result = try await run(client, path, readsNames: true)
        #expect(result.mark?.types.allSatisfy { $0.behind == nil && $0.asOf != nil } == true)
      }
      let content = try await MirrorContent(path)
      let present = LocalContainer(store: fixture.store)
      var records: [Record] = []
      for type in ["Note", "Plain"] { records += try await present.allRecords(Query(type)) }
      #expect(content.records.count == records.count)
      for record in records {
        let copy = content.records[record.recordName]
        #expect(copy?.fields == record.fields && copy?.changeTag == record.changeTag)
        #expect(copy?.created?.timestamp == record.created?.timestamp)
        #expect(copy?.modified?.timestamp == record.modified?.timestamp)
      }
    }
  }

  @Test("a first copy that is cut off at any page goes on there, and the file says that it is incomplete")
  func resumed() async throws {
    let fixture = try await Fixture(pageSize: 10)
    try await fixture.store.importSchema(Schema(parsing: ServiceModel.schema), into: .development)
    let container = LocalContainer(store: fixture.store)
    for start in stride(from: 0, to: 95, by: 5) {
      _ = try await container.modify(
        (start..<start + 5).map { RecordOperation(.create, recordType: "Note", recordName: "n\($0)") })
    }
    for limit in 1..<10 {
      try await withMirror { path in
        let first = RequestCountingContainer(BusyService(container, nil, limit: limit))
        await #expect(throws: BusyService.Cut.self) { try await run(first, path) }
        let half = try await MirrorContent(path)
        #expect(half.mark.asOf == nil && half.records.count == limit * 10)
        let second = RequestCountingContainer(container)
        let result = try await run(second, path)
        // Ten pages of notes, of which the first run had some, and the empty page of the other type.
        #expect(second.counts.query == 10 - limit + 1 && result.read == 95 - limit * 10)
        #expect(try await MirrorContent(path).mark.asOf != nil)
      }
    }
  }

  @Test("a run without changes asks once for each type that has the index")
  func unchanged() async throws {
    let fixture = try await Fixture()
    try await fixture.store.importSchema(Schema(parsing: ServiceModel.schema), into: .development)
    let model = ServiceModel(fixture.store, seed: 1, now: fixture.configuration.now)
    for _ in 0..<100 { try await model.write() }
    let container = LocalContainer(store: fixture.store)
    try await withMirror { path in
      _ = try await run(container, path, settle: .zero)
      let counted = RequestCountingContainer(container)
      let result = try await run(counted, path, settle: .zero)
      #expect(counted.counts.query == 2 && counted.counts.lookup == 0)
      #expect(result.changed == 0 && result.deleted == 0 && result.unindexed.isEmpty)
      // The names of a larger type take more than one request.
      for start in [0, 200] {
        _ = try await container.modify(
          (start..<start + 200).map { RecordOperation(.create, recordType: "Plain", recordName: "p\($0)") })
      }
      #expect(try await run(container, path, settle: .zero).unindexed == ["Plain"])
    }
  }

  // MARK: - Support

  private func run(
    _ service: any Container, _ path: String, readsNames: Bool = false, settle: Duration = .milliseconds(lag)
  ) async throws -> MirrorResult {
    let schema = try Schema(parsing: ServiceModel.schema)
    let file = try await MirrorFile(
      path, of: service.identity, hasChosenTypes: false, settings: LocalContainerSettings())
    let persons = PersonDigests(file.key, fields: ["Note": ["ownerId"]])
    var run = MirrorRun(
      of: service, in: file, schema,
      MirrorRun.Options(settle: settle, readsNames: readsNames, persons: persons))
    return try await run.run()
  }

  private func withMirror(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body(folder.appending(path: "mirror.sqlite").path)
  }
}
