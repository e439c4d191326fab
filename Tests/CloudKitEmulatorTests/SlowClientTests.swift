import CloudKitEmulator
import Dispatch
import Foundation
import HTTPTransport
import LocalContainer
import RawConnections
import Testing

/// Clients that take their time, or do nothing at all.
@Suite struct SlowClientTests {
  private func served(
    _ change: (inout LimitedHTTPServer.Limits) -> Void,
    _ body: (EmulatorServer) async throws -> Void
  ) async throws {
    let fixture = try await Fixture { change(&$0.listening) }
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    try await body(server)
    await server.stop()
  }

  @Test("a head that drips in is waited for no longer than an idle connection", .timeLimit(.minutes(5)))
  func slowHead() async throws {
    try await served {
      $0.idleTimeout = .milliseconds(200)
    } _: { server in
      let answer = try await RawConnection(port: server.port).drip(
        after: "GET / HTTP/1.1\r\nX: ", "y")
      #expect(!answer.contains("200"))
      #expect(server.requestsInFlight == 0)
    }
  }

  @Test("a body that drips in is cut off with 408", .timeLimit(.minutes(5)))
  func slowBody() async throws {
    try await served {
      $0.requestTimeout = .milliseconds(200)
    } _: { server in
      let head =
        "POST \(Fixture.root)records/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n{"
      let answer = try await RawConnection(port: server.port).drip(after: head, " ")
      #expect(answer.hasPrefix("HTTP/1.1 408"))
      #expect(answer.contains("did not arrive in time"))
      let id = answer.firstMatch(of: #/X-Apple-Request-UUID: (\S+)/#)?.output.1
      #expect(id.map { answer.contains(#""uuid":"\#($0)""#) } == true)
    }
  }

  @Test("a body that never ends keeps the server from stopping for a while only", .timeLimit(.minutes(5)))
  func stalledAtStop() async throws {
    var stalled: RawConnection?
    try await served {
      $0.stopTimeout = .milliseconds(50)
    } _: { server in
      stalled = try RawConnection(port: server.port)
      stalled?.send(
        "POST \(Fixture.root)records/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
      while server.requestsInFlight == 0 { await Task.yield() }
    }
    #expect(await stalled?.drip(after: "", "") == "")
  }

  @Test("a connection too many takes the place of the one that was idle longest", .timeLimit(.minutes(5)))
  func tooMany() async throws {
    try await served {
      $0.maximumConnections = 3
    } _: { server in
      var connections: [RawConnection] = []
      for number in 1...3 {
        let connection = try RawConnection(port: server.port)
        connections.append(connection)
        #expect(await connection.ask("/database/1/x").hasPrefix("HTTP/1.1 404"))
        // The answer can be read before the server is done with it.
        while server.idleConnections < number { await Task.yield() }
      }
      let fourth = try RawConnection(port: server.port)
      #expect(await fourth.ask("/database/1/x").hasPrefix("HTTP/1.1 404"))
      #expect(await connections[0].drip(after: "", "") == "")
      for kept in connections.dropFirst() {
        #expect(await kept.ask("/database/1/x").hasPrefix("HTTP/1.1 404"))
      }
    }
  }

  @Test("a connection too many is asked to come back when all others are busy", .timeLimit(.minutes(5)))
  func allBusy() async throws {
    let listening = { (listening: inout LimitedHTTPServer.Limits) in listening.maximumConnections = 2 }
    try await served(listening) { server in
      let head = "POST \(Fixture.root)records/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"
      let busy = try (0..<2).map { _ in try RawConnection(port: server.port) }
      for connection in busy { connection.send(head) }
      while server.requestsInFlight < 2 { await Task.yield() }
      let answer = try await RawConnection(port: server.port).drip(after: "", "")
      #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("TRY_AGAIN_LATER"))
      #expect(answer.contains("X-Apple-Request-UUID"))
      #expect(server.requestsInFlight == 2)
    }
  }

  #if os(Linux)
    /// One that found no room in the system's queue would try again only after a second.
    @Test("connections come in faster than they are accepted, and none has to try twice")
    func burst() async throws {
      try await served { _ in
      } _: { server in
        let start = ContinuousClock.now
        let connections = try (0..<900).map { _ in try RawConnection(port: server.port) }
        #expect(ContinuousClock.now - start < .milliseconds(900))
        withExtendedLifetime(connections) {}
      }
    }
  #endif

  @Test("connections that are only just coming in do not end the process when the server stops")
  func burstAtStop() async throws {
    var connections: [RawConnection] = []
    for _ in 0..<10 {
      try await served {
        $0.maximumConnections = 100
      } _: { server in
        // While all threads for tasks are taken, nobody takes the connections that the listener accepted, and it
        // pauses; it would go on in the middle of the stop.
        let isConnected = DispatchSemaphore(value: 0)
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
          Task.detached { Self.wait(isConnected) }
        }
        for _ in 0..<200 { connections.append(try RawConnection(port: server.port)) }
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { isConnected.signal() }
      }
      connections = []
    }
  }

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test("hundreds of idle connections keep nobody from being served")
  func idle() async throws {
    try await served { _ in
    } _: { server in
      let connections = try (0..<300).map { _ in try RawConnection(port: server.port) }
      let response = try await CurlTransport().send(HTTPRequest(url: server.url + "/database/1/x"))
      #expect(response.status == 404)
      #expect(server.requestsInFlight == 0)
      withExtendedLifetime(connections) {}
    }
  }
}
