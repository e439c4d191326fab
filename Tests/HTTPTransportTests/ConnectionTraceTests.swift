import Foundation
import Synchronization
import Testing

@testable import HTTPTransport

#if canImport(Glibc)
  import Glibc
#endif

/// What a failed request says about how far it came.
@Suite("Connection trace", .timeLimit(.minutes(5)))
struct ConnectionTraceTests {
  private let transport: CurlTransport

  init() throws { transport = try CurlTransport() }

  private func failure(
    _ url: String, connect: Duration = .seconds(5), total: Duration = .seconds(5), redirects: Int = 0,
    through other: CurlTransport? = nil
  ) async throws -> HTTPFailure {
    let limits = HTTPLimits(connectTimeout: connect, totalTimeout: total, maxRedirects: redirects)
    do {
      _ = try await (other ?? transport).send(HTTPRequest(url: url, limits: limits))
    } catch {
      return error
    }
    throw Unexpected()
  }

  private struct Unexpected: Error {}

  @Test("a name without an address came nowhere")
  func name() async throws {
    let failure = try await failure("http://no-such-host.invalid/")
    #expect(failure.trace.step == .started && failure.trace.network == nil)
  }

  @Test("a refused port and dropped packets have an address, and no connection")
  func noConnection() async throws {
    let closed = try LoopbackSocket()
    closed.close()
    let refused = try await failure("http://127.0.0.1:\(closed.port)/")
    #expect(refused.kind == .connect && refused.trace.step == .resolved)
    #expect(refused.trace.network == IPNetwork("::1"))

    // With its queue full, the system drops what asks for another connection.
    let full = try LoopbackSocket(backlog: 0)
    let waiting = try (0..<2).map { _ in try LoopbackSocket(connectedTo: full.port) }
    let start = ContinuousClock.now
    let dropped = try await failure("https://127.0.0.1:\(full.port)/", connect: .milliseconds(400))
    #expect(dropped.kind == .timeout && dropped.trace.step == .resolved, "\(dropped)")
    #expect(dropped.trace.elapsed >= .milliseconds(300))
    #expect(dropped.trace.elapsed <= ContinuousClock.now - start)
    withExtendedLifetime(waiting) {}
  }

  @Test("a server that accepts and says nothing was reached by http, but no connection of https stands")
  func silence() async throws {
    let server = try LoopbackSocket()
    let plain = try await failure("http://127.0.0.1:\(server.port)/", total: .milliseconds(300))
    #expect(plain.kind == .timeout && plain.trace.step == .ready)
    let secure = try await failure("https://127.0.0.1:\(server.port)/", connect: .milliseconds(300))
    #expect(secure.kind == .timeout && secure.trace.step == .connected)
  }

  @Test("a failure after a redirect names the address that failed")
  func redirect() async throws {
    let closed = try LoopbackSocket()
    closed.close()
    let server = try LoopbackSocket()
    server.answer(
      "HTTP/1.1 302 Found\r\nLocation: http://localhost:\(closed.port)/x\r\nContent-Length: 0\r\n\r\n")
    let failure = try await failure("http://127.0.0.1:\(server.port)/", redirects: 5)
    #expect(failure.trace.redirectedTo == "http://localhost:\(closed.port)/x")
    #expect(failure.trace.step == .resolved)
  }

  @Test("the issuer of refused certificates is the same for all hosts of a proxy, and says nothing of names")
  func issuers() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let openssl = OpenSSL(folder: folder)
    try openssl.makeAuthority("ca")
    try openssl.makeAuthority("other")
    for name in ["a", "b"] { try openssl.makeCertificate(name, of: "ca", for: "\(name).localhost") }
    func issuer(_ certificate: String, _ host: String, chain: String? = nil, trusting: String? = nil)
      async throws
      -> HTTPFailure
    {
      let server = try await openssl.serve(certificate, chain: chain)
      defer { server.stop() }
      let other = try trusting.map {
        try CurlTransport(.init(certificateAuthorities: folder.appending(path: "\($0).pem").path))
      }
      return try await failure("https://\(host):\(server.port)/", through: other)
    }
    let leafs = [try await issuer("a", "a.localhost"), try await issuer("b", "b.localhost")]
    #expect(leafs.allSatisfy { $0.kind == .tls && $0.trace.step == .connected })
    #expect(leafs[0].trace.untrustedIssuer?.count == 64)
    #expect(leafs[0].trace.untrustedIssuer == leafs[1].trace.untrustedIssuer)
    let whole = [
      try await issuer("a", "a.localhost", chain: "ca"), try await issuer("b", "b.localhost", chain: "ca"),
    ]
    #expect(whole[0].trace.untrustedIssuer?.count == 64)
    #expect(whole[0].trace.untrustedIssuer == whole[1].trace.untrustedIssuer)
    let alone = try await issuer("other", "localhost").trace.untrustedIssuer
    #expect(alone != nil && alone != whole[0].trace.untrustedIssuer)
    let misnamed = try await issuer("a", "c.localhost", trusting: "ca")
    #expect(misnamed.kind == .tls && misnamed.trace.untrustedIssuer == nil, "\(misnamed)")
  }
}

/// A TCP socket on 127.0.0.1.
private final class LoopbackSocket: Sendable {
  private struct Failed: Error { let code: Int32 }

  private let descriptor: Int32
  let port: UInt16

  /// Listens on a free port.
  init(backlog: Int32 = 16) throws {
    (descriptor, port) = try Self.open(0) { socket, address, size in
      bind(socket, address, size) == 0 && listen(socket, backlog) == 0
    }
  }

  init(connectedTo port: UInt16) throws {
    (descriptor, self.port) = try Self.open(port) { socket, address, size in
      // Without blocking: the queue may be full already.
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      return connect(socket, address, size) == 0 || errno == EINPROGRESS
    }
  }

  private static func open(
    _ port: UInt16, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> (Int32, UInt16) {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return try withUnsafeMutablePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard use(descriptor, $0, size), getsockname(descriptor, $0, &size) == 0 else {
          throw Failed(code: errno)
        }
      }
      return (descriptor, UInt16(bigEndian: $0.pointee.sin_port))
    }
  }

  /// Answers the first connection with a text, in a thread of its own.
  func answer(_ text: String) {
    Thread.detachNewThread { [descriptor] in
      let connection = accept(descriptor, nil, nil)
      var request = [UInt8](repeating: 0, count: 4096)
      _ = recv(connection, &request, request.count, 0)
      _ = send(connection, text, text.utf8.count, 0)
      _ = shutdown(connection, Int32(SHUT_WR))
    }
  }

  func close() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  deinit {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }
}

/// The `openssl` command.
private struct OpenSSL {
  private struct Failed: Error { let words: [String] }

  let folder: URL

  private func process(_ words: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + words
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    return process
  }

  private func run(_ words: String...) throws {
    let process = process(words)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(words: words) }
  }

  func makeAuthority(_ name: String) throws {
    try run(
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-keyout", "\(name).key",
      "-out",
      "\(name).pem")
  }

  func makeCertificate(_ name: String, of authority: String, for host: String) throws {
    try "subjectAltName=DNS:\(host)".write(
      to: folder.appending(path: "\(name).ext"), atomically: true, encoding: .utf8)
    try run(
      "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(host)", "-keyout", "\(name).key", "-out",
      "\(name).csr")
    try run(
      "x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key",
      "-CAcreateserial", "-extfile", "\(name).ext", "-out", "\(name).pem")
  }

  /// A server that presents a certificate, and that of its issuer if it is to.
  func serve(_ name: String, chain: String?) async throws -> (port: Int, stop: () -> Void) {
    let process = process(
      ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", "\(name).pem", "-key", "\(name).key"]
        + (chain.map { ["-cert_chain", "\($0).pem"] } ?? []))
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The server says its port: "ACCEPT 127.0.0.1:12345".
    var text = ""
    while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failed(words: ["s_server"]) }
      text += String(decoding: more, as: UTF8.self)
    }
    let digits = text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last ?? ""
    return (Int(digits.prefix { $0.isNumber }) ?? 0, { process.terminate() })
  }
}
