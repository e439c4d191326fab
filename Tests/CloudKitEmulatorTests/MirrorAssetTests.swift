import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Foundation
import HTTPTransport
import LocalContainer
import SchemaLanguage
import Synchronization
import Testing
import WebServicesWire

/// A mirror with the files of assets: only files that are what their records say, and only while a record refers to them.
@Suite struct MirrorAssetTests {
  /// Notes which requests leave, and sends them.
  private final class Recorder: HTTPTransport {
    let requests = Mutex<[HTTPRequest]>([])
    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      requests.withLock { $0.append(request) }
      return try await transport.send(request)
    }
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
  private var path: String { folder.appending(path: "mirror.sqlite").path }

  @Test("a file with another content is not stored, the next run gets it, and it goes with its last record")
  func files() async throws {
    let wrong = "status,status=200,body=wrong content,endpoint=/asset,count=1"
    let fixture = try await Fixture {
      $0.faults = [
        try FaultRule(parsing: wrong), try FaultRule(parsing: "half,endpoint=/asset,after=1,count=1"),
      ]
    }
    let recorder = try Recorder()
    try await inFolder {
      try await fixture.served { client, server in
        let one = try await asset("right content", "n1", fixture, server)
        let two = try await asset("another text", "n2", fixture, server)
        _ = try await client.modify([
          create("n1", one), create("n2", two),
          RecordOperation(.create, recordType: "Note", recordName: "none", fields: [:]),
        ])
        let downloads = downloads(fixture, server, recorder)
        let first = try #require(try await mirror(client, downloads).files)
        #expect(first.fetched == 1 && first.missing == 1 && first.interruption == nil)
        #expect(first.problems.map(\.reason) == ["the checksum of the answer is not the file's"])
        let second = try #require(try await mirror(client, downloads).files)
        #expect(second.fetched == 1 && second.missing == 0 && second.problems.isEmpty)
        #expect(try holds("right content") && holds("another text") && !holds("wrong content"))
        #expect(try !holds("/assets/download"))
        let count = recorder.requests.withLock(\.count)
        #expect(try await mirror(client, downloads).files?.fetched == 0)
        #expect(recorder.requests.withLock(\.count) == count)

        _ = try await client.modify([
          RecordOperation(.forceDelete, recordType: "Note", recordName: "n2")
        ])
        _ = try await mirror(client, nil, readsNames: true)
        #expect(try holds("right content") && !holds("another text"))
      }
    }
    #expect(
      recorder.requests.withLock { requests in
        requests.allSatisfy { $0.headers.fields.isEmpty && !$0.url.contains("?") && $0.body == nil }
      })
  }

  @Test("files beyond the limits are left out, and no address but https and the service's own is asked")
  func limits() async throws {
    let fixture = try await Fixture()
    let recorder = try Recorder()
    try await inFolder {
      try await fixture.served { client, server in
        let small = try await asset("small", "n1", fixture, server)
        let large = try await asset("larger than the others", "n2", fixture, server)
        _ = try await client.modify([create("n1", small), create("n2", large)])
        let downloads = downloads(fixture, server, recorder)
        let result = try #require(try await mirror(client, downloads, maxBytes: 20).files)
        #expect(result.fetched == 1 && result.bytes == 5 && result.missing == 1)
        #expect(result.problems.map(\.recordName) == ["n2"])

        let sent = recorder.requests.withLock(\.count)
        var other = small
        for address in ["http://192.0.2.1/file", "ftp://127.0.0.1/file", "file:///etc/hostname", nil] {
          other.downloadURL = address
          await #expect(throws: AssetProblem.self) { try await downloads.file(of: other) }
        }
        other.size = AssetDownloads.maxSize + 1
        await #expect(throws: AssetProblem.self) { try await downloads.file(of: other) }
        #expect(recorder.requests.withLock(\.count) == sent)
      }
    }
  }

  @Test("a run that is cut off among the files keeps only whole ones, and the next run gets the others")
  func cutOff() async throws {
    let fixture = try await Fixture()
    let texts = (1...20).map { "file number \($0)." }
    try await inFolder {
      try await fixture.served { client, server in
        for (number, text) in texts.enumerated() {
          let name = "n\(number)"
          _ = try await client.modify([create(name, try await asset(text, name, fixture, server))])
        }
        let downloads = downloads(fixture, server, try Recorder())
        for limit in [0, 1, 9] {
          let left = Mutex(limit)
          await #expect(throws: CancellationError.self) {
            try await mirror(client) { asset in
              let isCutOff = left.withLock { left in
                left -= 1
                return left < 0
              }
              if isCutOff { throw CancellationError() }
              return try await downloads.file(of: asset)
            }
          }
        }
        let last = try #require(try await mirror(client, downloads).files)
        #expect(last.missing == 0 && last.problems.isEmpty)
        for text in texts { #expect(try holds(text)) }
      }
    }
  }

  // MARK: - Support

  private func downloads(
    _ fixture: Fixture, _ server: EmulatorServer, _ transport: any HTTPTransport
  ) -> AssetDownloads {
    let settings = ClientSettings(
      container: Fixture.container, environment: .development,
      authentication: .serverKey(RequestSigner(keyID: "key", key: fixture.key)), baseURL: server.url)
    return AssetDownloads(settings, dependencies: ClientDependencies(transport: transport))
  }

  private func asset(
    _ text: String, _ record: String, _ fixture: Fixture, _ server: EmulatorServer
  ) async throws -> Asset {
    try await fixture.upload(Array(text.utf8), record: record, to: server)
  }

  private func create(_ name: String, _ asset: Asset) -> RecordOperation {
    RecordOperation(.create, recordType: "Note", recordName: name, fields: ["file": .asset(asset)])
  }

  private func mirror(
    _ service: any Container, _ downloads: AssetDownloads?, maxBytes: Int64 = 1000, readsNames: Bool = false
  ) async throws -> MirrorResult {
    let fetch = downloads.map { downloads in
      { @Sendable (asset: Asset) in try await downloads.file(of: asset) }
    }
    return try await mirror(service, maxBytes: maxBytes, readsNames: readsNames, fetch: fetch)
  }

  @discardableResult
  private func mirror(
    _ service: any Container, maxBytes: Int64 = 1000, readsNames: Bool = false,
    fetch: (@Sendable (Asset) async throws -> [UInt8])?
  ) async throws -> MirrorResult {
    let file = try await MirrorFile(
      path, of: service.identity, hasChosenTypes: false, settings: LocalContainerSettings())
    var options = MirrorRun.Options(
      settle: .zero, readsNames: readsNames, persons: PersonDigests(file.key, fields: [:]))
    options.assets = fetch.map { AssetFetching(maxBytes: maxBytes, fetch: $0) }
    let types = try Schema(parsing: Fixture.schema).recordTypes.filter { $0.name == "Note" }
    var run = MirrorRun(of: service, in: file, Schema(roles: [], recordTypes: types), options)
    return try await run.run()
  }

  /// Whether a file of the mirror has this text.
  private func holds(_ text: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).contains {
      try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil
    }
  }

  private func inFolder(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body()
  }
}
