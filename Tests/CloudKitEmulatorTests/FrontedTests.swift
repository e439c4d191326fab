import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Foundation
import HTTPTransport
import RawConnections
import Testing
import WebServicesWire

/// The client through a front such as the service has: HTTP/2 over TLS, answers compressed.
@Suite struct FrontedTests {
  @Test("HTTP/2 and compressed answers are used where they are offered", .enabled(if: Front.isPossible))
  func http2AndGzip() async throws {
    let fixture = try await Fixture(pageSize: 5)
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let front = try await Front(server.port)
    defer { front.end() }
    let transport = try CurlTransport(
      CurlTransport.Configuration(certificateAuthorities: front.folder + "/cert.pem"))
    let client = CloudKitClient(
      ClientSettings(
        container: Fixture.container, environment: .development,
        authentication: .serverKey(RequestSigner(keyID: "key", key: fixture.key)), baseURL: front.url,
        pipeline: RequestPipelineSettings(requestsPerSecond: nil)),
      dependencies: ClientDependencies(transport: transport))
    let notes = (0..<40).map { RecordOperation(.create, recordType: "Note", recordName: "n\($0)") }
    #expect(try await client.modify(notes).allSatisfy { $0.record != nil })
    #expect(try await client.allRecords(Query("Note")).count == 40)
    let log = try await front.stop(after: 9)
    await server.stop()
    #expect(log.count == 9 && log.allSatisfy { $0 == "HTTP/2.0 gzip -" }, "\(log)")
  }

  @Test(
    "requests go through a proxy's tunnel, which carries no credential but the proxy's own",
    .enabled(if: Front.isPossible))
  func proxied() async throws {
    let fixture = try await Fixture()
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let front = try await Front(server.port)
    defer { front.end() }
    let proxy = try ConnectProxy(to: front.port)
    let own = "http://ann:secret@127.0.0.1:\(proxy.port)"
    let client = try Self.client(fixture, front, ["HTTPS_PROXY": own, "no_proxy": "example.org"])
    let note = RecordOperation(.create, recordType: "Note", recordName: "n")
    #expect(try await client.modify([note]).allSatisfy { $0.record != nil })
    #expect(try await client.allRecords(Query("Note")).count == 1)
    #expect(try await client.allRecords(Query("Note")).count == 1)
    #expect(!proxy.heads.isEmpty)
    for head in proxy.heads {
      #expect(head.hasPrefix("CONNECT \(Front.name):\(front.port) HTTP/1.1\r\n"))
      #expect(head.contains("Proxy-Authorization: Basic YW5uOnNlY3JldA==\r\n"))
      #expect(!head.contains("X-Apple"))
    }
    // The name exists for the proxy only: a direct connection finds no address.
    let direct = try Self.client(fixture, front, ["HTTPS_PROXY": own, "NO_PROXY": "example.org,.test"])
    let count = proxy.heads.count
    await #expect(throws: ContainerFailure.self) { _ = try await direct.allRecords(Query("Note")) }
    #expect(proxy.heads.count == count)
    let log = try await front.stop(after: 3)
    await server.stop()
    #expect(log.count == 3 && log.allSatisfy { $0.hasSuffix(" -") }, "\(log)")
  }

  @Test(
    "a proxy that refuses is named, and a write through it was not carried out",
    .enabled(if: Front.isPossible))
  func refusingProxy() async throws {
    let fixture = try await Fixture()
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let front = try await Front(server.port)
    defer { front.end() }
    let note = RecordOperation(.create, recordType: "Note", recordName: "n")
    for (status, attempts) in [("407 Proxy Authentication Required", 1), ("502 Bad Gateway", 2)] {
      let proxy = try ConnectProxy(to: front.port, refusal: status)
      let client = try Self.client(fixture, front, ["all_proxy": "127.0.0.1:\(proxy.port)"])
      let failure = await #expect(throws: ContainerFailure.self) { _ = try await client.modify([note]) }
      #expect(
        failure?.message.contains("the proxy refused the connection with HTTP status \(status.prefix(3))")
          == true)
      #expect(failure?.leavesWriteOpen == false)
      #expect(proxy.heads.count == attempts)
    }
    #expect(try await front.stop(after: 0).isEmpty)
    await server.stop()
  }

  private static func client(
    _ fixture: Fixture, _ front: Front, _ environment: [String: String]
  ) throws -> CloudKitClient {
    let transport = try CurlTransport(
      CurlTransport.Configuration(
        certificateAuthorities: front.folder + "/cert.pem", proxies: ProxySettings(environment)))
    let retry = RetryPolicy(attempts: 2, firstWait: .milliseconds(1))
    return CloudKitClient(
      ClientSettings(
        container: Fixture.container, environment: .development,
        authentication: .serverKey(RequestSigner(keyID: "key", key: fixture.key)),
        baseURL: "https://\(Front.name):\(front.port)",
        pipeline: RequestPipelineSettings(requestsPerSecond: nil, retry: retry)),
      dependencies: ClientDependencies(transport: transport))
  }
}

/// nginx in front of a port of this machine.
private struct Front {
  private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"]
    .first(where: FileManager.default.isExecutableFile(atPath:))
  private static let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  static var isPossible: Bool { nginx != nil && openssl != nil }

  /// In the certificate beside the address. No name server knows it (RFC 2606).
  static let name = "cloudkit.test"

  let folder: String
  let port: Int
  let url: String
  private let process: Process

  init(_ port: Int) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "front-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let own = 20_000 + Int(UUID().uuid.0) * 48 + Int(UUID().uuid.1) % 48
    self.port = own
    url = "https://127.0.0.1:\(own)"
    try Front.configuration(own, port).write(
      toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    let certificate = try Front.start(
      Front.openssl,
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:\(Front.name)", "-keyout",
        "\(folder)/key.pem",
        "-out", "\(folder)/cert.pem",
      ])
    certificate.waitUntilExit()
    process = try Front.start(
      Front.nginx, ["-p", folder + "/", "-c", "nginx.conf", "-e", "error.log"])
    let deadline = ContinuousClock.now + .seconds(300)
    while (try? RawConnection(port: own)) == nil, .now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Ends it. It inherits the blocked signals of the thread that started it, and hears no other. It also holds the
  /// standard output of the tests open: a test that fails must end it, too.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Stops it once it has logged the given number of requests, which it does after its replies. Returns the log lines.
  func stop(after count: Int) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(300)
    while try log().count < count, .now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    end()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try log()
  }

  private func log() throws -> [String] {
    try String(contentsOfFile: folder + "/access.log", encoding: .utf8).split(separator: "\n").map(
      String.init)
  }

  private static func start(_ program: String?, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: try #require(program))
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static func configuration(_ own: Int, _ behind: Int) -> String {
    """
    daemon off; master_process off; pid nginx.pid; error_log error.log;
    events {}
    http {
      log_format told '$server_protocol $sent_http_content_encoding $http_proxy_authorization';
      access_log access.log told;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
      gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;
      server {
        listen 127.0.0.1:\(own) ssl http2;
        ssl_certificate cert.pem; ssl_certificate_key key.pem;
        location / { proxy_pass http://127.0.0.1:\(behind); }
      }
    }
    """
  }
}
