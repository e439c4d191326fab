internal import Diagnostics
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import ServiceLifecycle

/// The HTTP server of the console. It listens on a loopback address with its own port, so that it shares no origin
/// with the emulator.
public final class ConsoleServer: Sendable {
  /// `http://127.0.0.1:8081/`
  public let url: String
  private let services: ServiceGroup
  private let run: Task<Void, any Error>

  private init(port: Int, services: ServiceGroup, run: Task<Void, any Error>) {
    url = "http://127.0.0.1:\(port)/"
    self.services = services
    self.run = run
  }

  /// - Parameter port: 0 takes a free one.
  ///
  /// Throws ``CommandFailure`` when the port is taken, or what the system says about it.
  public static func start(_ console: LocalConsole, port: Int) async throws -> ConsoleServer {
    let (started, signal) = AsyncThrowingStream.makeStream(of: Int?.self)
    let quiet = Logger(label: "console", factory: { _ in SwiftLogNoOpLogHandler() })
    let application = Application(
      responder: ConsoleResponder(console: console),
      server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: port), serverName: "celestra-admin console"),
      onServerRunning: { channel in
        signal.yield(channel.localAddress?.port)
        signal.finish()
      }, logger: quiet)
    let services = ServiceGroup(services: [application], logger: quiet)
    let run = Task {
      do { try await services.run() } catch {
        signal.finish(throwing: error)
        throw error
      }
    }
    do {
      for try await bound in started {
        guard let bound else { break }
        console.listens(on: bound)
        return ConsoleServer(port: bound, services: services, run: run)
      }
    } catch let error as IOError where SystemError(code: error.errnoCode) == .addressInUse {
      throw CommandFailure(
        "port \(port) is taken", code: "port-taken",
        hint: "Choose another port, or none to take a free one.")
    } catch let error as IOError where SystemError(code: error.errnoCode) == .permissionDenied {
      throw CommandFailure(
        "this user may not listen on port \(port)", code: "port-reserved", hint: "Choose a port from 1024 up."
      )
    }
    run.cancel()
    throw CommandFailure("the console could not listen on port \(port)", code: "cannot-listen")
  }

  /// Finishes the requests in flight and closes every connection.
  public func stop() async {
    await services.triggerGracefulShutdown()
    _ = await run.result
  }
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
    do {
      incoming.body = Array(try await request.body.collect(upTo: Self.maxBody).readableBytesView)
    } catch is NIOTooManyBytesError {
      return Response(status: .contentTooLarge)
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
