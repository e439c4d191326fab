package import CloudKitEmulator
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The HTTP server of the console. It listens on a loopback address with its own port, so that it shares no origin
/// with the emulator.
public final class ConsoleServer: Sendable {
  /// A browser keeps up to 6 connections open.
  package static let limits = LimitedHTTPServer.Limits(
    connections: 32, idleTimeout: .seconds(60), requestTimeout: .seconds(30), stopTimeout: .seconds(5))

  /// The address of the first page, `http://127.0.0.1:8081/0123…/`. Who knows it can use the console.
  public let url: String
  private let server: LimitedHTTPServer

  private init(_ console: LocalConsole, _ server: LimitedHTTPServer) {
    url = "http://127.0.0.1:\(server.port)\(console.path)"
    self.server = server
  }

  /// - Parameter port: 0 takes a free one.
  ///
  /// Throws ``EmulatorServerError`` when the port is taken, or what the system says about it.
  public static func start(_ console: LocalConsole, port: Int) async throws -> ConsoleServer {
    try await start(console, port: port, limits: limits)
  }

  package static func start(
    _ console: LocalConsole, port: Int, limits: LimitedHTTPServer.Limits
  ) async throws -> ConsoleServer {
    let server = try await LimitedHTTPServer.start(
      ConsoleResponder(console: console), host: "127.0.0.1", port: port, named: "celestra-admin console",
      limits: limits
    ) { EmulatorReply(status: 503) }
    console.listens(on: server.port)
    return ConsoleServer(console, server)
  }

  /// Finishes the requests in flight and closes every connection.
  public func stop() async { await server.stop() }
}

/// Passes requests from Hummingbird to the console.
private struct ConsoleResponder: HTTPResponder {
  private static let maxBody = 1 << 16
  let console: LocalConsole

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    // The server takes the first Host out of the headers; a second one stays among them.
    var headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
    if let authority = request.head.authority { headers.append(("host", authority)) }
    var incoming = ConsoleRequest(
      request.method.rawValue, request.head.path ?? "", headers: headers)
    // No body is read for a client that may not use the console.
    if console.refusal(of: incoming) == nil {
      do {
        incoming.body = Array(try await request.body.collect(upTo: Self.maxBody).readableBytesView)
      } catch is NIOTooManyBytesError {
        return Response(status: .contentTooLarge)
      } catch is RequestBodyTooSlow {
        return Response(status: .requestTimeout)
      }
    }
    let reply = await console.reply(to: incoming)
    var response = Response(
      status: .init(code: reply.status), body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    for (name, value) in reply.headers {
      if let name = HTTPField.Name(name) { response.headers[name] = value }
    }
    return response
  }
}
