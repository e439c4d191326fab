package import CloudKitEmulator

/// The HTTP server of the console. It listens on a loopback address with its own port, so that it shares no origin
/// with the emulator.
package final class ConsoleServer: Sendable {
  /// A browser keeps up to 6 connections open.
  package static let limits: LimitedHTTPServer.Limits = {
    var limits = LimitedHTTPServer.Limits()
    limits.maximumConnections = 32
    limits.idleTimeout = .seconds(60)
    limits.requestTimeout = .seconds(30)
    return limits
  }()

  /// The address of the first page, `http://127.0.0.1:8081/0123…/`. Who knows it can use the console.
  package let url: String
  private let server: LimitedHTTPServer

  /// - Parameter port: 0 takes a free one.
  ///
  /// Throws ``EmulatorServerError`` when the port is taken, or what the system says about it.
  package init(
    _ console: LocalConsole, port: Int, limits: LimitedHTTPServer.Limits = ConsoleServer.limits
  ) async throws {
    server = try await LimitedHTTPServer(
      port: port, named: "celestra-admin console", limits: limits,
      answer: { await console.reply(toUnread: $0) })
    console.listens(on: server.port)
    url = "http://127.0.0.1:\(server.port)\(console.path)"
  }

  /// Finishes the requests in flight and closes every connection.
  package func stop() async { await server.stop() }
}

extension LocalConsole {
  private static let maxBody = 1 << 16

  fileprivate func reply(toUnread request: IncomingRequest) async -> EmulatorReply {
    var headers = request.headers
    if let host = request.host { headers.append(("host", host)) }
    var incoming = ConsoleRequest(request.method, request.target, headers: headers)
    // No body is read for a client that may not use the console.
    if refusal(of: incoming) == nil {
      do {
        incoming.body = try await request.body(upTo: Self.maxBody)
      } catch .tooLarge {
        return EmulatorReply(status: 413)
      } catch {
        return EmulatorReply(status: 408)
      }
    }
    return await reply(to: incoming)
  }
}
