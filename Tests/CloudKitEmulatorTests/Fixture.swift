import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import Diagnostics
import HTTPTransport
import LocalContainer
import SchemaLanguage
import Testing
import WebServicesWire

/// An emulator without sockets, and what it takes to talk to it.
struct Fixture {
  static let container = "iCloud.demo.celestra"
  static let root = "/database/1/\(container)/development/public/"
  static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Admin;
      RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        body STRING, title STRING QUERYABLE SORTABLE, count INT64 QUERYABLE, at TIMESTAMP,
        tags LIST<STRING>, file ASSET, link REFERENCE QUERYABLE,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Admin );
      RECORD TYPE Secretive ( "___recordID" REFERENCE QUERYABLE, s STRING,
        GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator" );
      RECORD TYPE Bare ( s STRING, GRANT READ TO "_world" );
    """

  let key: P256PrivateKey
  let emulator: Emulator
  let store: LocalStore
  let configuration: EmulatorConfiguration

  init(
    pageSize: Int? = nil, _ change: (inout EmulatorConfiguration) throws -> Void = { _ in }
  ) async throws {
    key = try P256PrivateKey.generate()
    var configuration = EmulatorConfiguration(container: Self.container)
    configuration.keys = ["key": key.publicKey]
    configuration.apiTokens = [Secret("api")]
    configuration.managementToken = Secret("token")
    configuration.users = [Secret("user"): CallerIdentity(userRecordName: "_user")]
    if let pageSize { configuration.pageSize = pageSize }
    try change(&configuration)
    self.configuration = configuration
    store = try LocalStore(.memory, settings: configuration.storeSettings(for: .memory))
    try await store.importSchema(try Schema(parsing: Self.schema), into: .development)
    emulator = Emulator(configuration, store: store)
  }

  /// Sends a request signed with the key, or with tokens, or with nothing.
  func send(
    _ operation: String, _ body: String? = nil, method: String? = nil, path: String? = nil,
    query: String? = nil
  ) async throws -> (reply: EmulatorReply, json: JSONValue) {
    let path = path ?? Self.root + operation
    let bytes = Array((body ?? "").utf8)
    var request = EmulatorRequest(
      method ?? (body == nil ? "GET" : "POST"), query.map { "\(path)?\($0)" } ?? path, body: bytes)
    if query == nil {
      let signer = RequestSigner(keyID: "key", key: key)
      for header in try signer.headers(subpath: path, body: bytes, at: LocalContainerSettings.systemClock()) {
        request.headers[header.name.lowercased()] = header.value
      }
    }
    let reply = await emulator.reply(to: request)
    return (reply, (try? JSONValue(parsing: reply.body)) ?? .null)
  }

  /// Uploads the file of a note to a listening emulator in two steps.
  func upload(_ bytes: [UInt8], record: String? = nil, to server: EmulatorServer) async throws -> Asset {
    let path = Self.root + "assets/upload"
    let token: JSONObject = [
      "recordType": "Note", "fieldName": "file", "recordName": record.map(JSONValue.string),
    ]
    let message: JSONValue = ["tokens": .array([.object(token)])]
    let body = message.bytes()
    var request = HTTPRequest("POST", url: server.url + path, body: body)
    let signer = RequestSigner(keyID: "key", key: key)
    for header in try signer.headers(subpath: path, body: body, at: LocalContainerSettings.systemClock()) {
      request.headers[header.name] = header.value
    }
    let transport = try CurlTransport()
    let places = try JSONValue(parsing: try await transport.send(request).body)
    let place = try #require(places["tokens"]?.array?.first?["url"]?.string)
    let receipt = try await transport.send(HTTPRequest("POST", url: place, body: bytes)).body
    let file = try #require(try JSONValue(parsing: receipt)["singleFile"])
    let value = try FieldValue.reading(file, as: .scalar(.asset))
    guard case .asset(let asset) = value else { throw WireFormatError("not an asset: \(value)") }
    return asset
  }

  /// Runs `body` with a client of a listening emulator, over real HTTP.
  func served<Result>(
    pipeline: RequestPipelineSettings = RequestPipelineSettings(requestsPerSecond: nil, maximumInFlight: 8),
    authentication: ClientSettings.Authentication? = nil,
    through transport: (CurlTransport) -> any HTTPTransport = { $0 },
    _ body: (CloudKitClient, EmulatorServer) async throws -> Result
  ) async throws -> Result {
    let server = try await EmulatorServer(configuration, store: store)
    let client = CloudKitClient(
      ClientSettings(
        container: Self.container, environment: .development,
        authentication: authentication ?? .serverKey(RequestSigner(keyID: "key", key: key)),
        baseURL: server.url, pipeline: pipeline),
      dependencies: ClientDependencies(transport: transport(try CurlTransport())))
    do {
      let result = try await body(client, server)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// A clock that shows a time now, and goes on from there at a rate; 1 is the machine's.
func movingClock(from start: Timestamp, rate: Double) -> @Sendable () -> Timestamp {
  let instant = ContinuousClock.now
  return { start + (ContinuousClock.now - instant) * rate }
}
