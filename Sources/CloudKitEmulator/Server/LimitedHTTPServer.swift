package import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import ServiceLifecycle

/// An HTTP/1.1 server for clients that may be hostile: the number of connections and the time of each are limited, and a
/// target that is a whole address counts as its host says.
package final class LimitedHTTPServer: Sendable {
  package struct Limits: Sendable {
    /// The maximum number of open connections. A new one above it replaces the one that has been idle longest. If none
    /// is idle, the new one gets the refusal and is closed.
    package var connections: Int
    /// The maximum time to wait for the head of the first or next request on a connection.
    package var idleTimeout: Duration
    /// The maximum time from a request's head to the end of its body, even if data keeps arriving. Reading the body then
    /// throws ``RequestBodyTooSlow``, and the connection is closed after the reply.
    package var requestTimeout: Duration
    /// The maximum time to finish requests after a stop; then their connections are closed.
    package var stopTimeout: Duration

    package init(
      connections: Int, idleTimeout: Duration, requestTimeout: Duration, stopTimeout: Duration
    ) {
      self.connections = connections
      self.idleTimeout = idleTimeout
      self.requestTimeout = requestTimeout
      self.stopTimeout = stopTimeout
    }
  }

  /// The length of the queue of connections to accept; the system may lower it. A connection that does not fit is
  /// not refused: the client retries a second later, which slows down bursts.
  private static let connectionBacklog = 4096

  package let port: Int
  let connections: OpenConnections
  private let listener: any Channel
  private let services: ServiceGroup
  private let run: Task<Void, any Error>
  private let stopTimeout: Duration

  private init(
    port: Int, _ connections: OpenConnections, _ listener: any Channel, _ services: ServiceGroup,
    _ run: Task<Void, any Error>, _ stopTimeout: Duration
  ) {
    self.port = port
    self.connections = connections
    self.listener = listener
    self.services = services
    self.run = run
    self.stopTimeout = stopTimeout
  }

  /// Starts a server and returns once it accepts connections. Throws ``EmulatorServerError``, or another error of the
  /// system.
  ///
  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - refusal: the reply on a connection above the limit.
  package static func start<Responder: HTTPResponder>(
    _ responder: Responder, host: String, port: Int, named name: String, limits: Limits,
    refusal: @escaping @Sendable () -> EmulatorReply
  ) async throws -> LimitedHTTPServer
  where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let connections = OpenConnections(limit: limits.connections)
    let (started, signal) = AsyncThrowingStream.makeStream(of: (any Channel).self)
    let quiet = Logger(label: "hummingbird", factory: { _ in SwiftLogNoOpLogHandler() })
    let application = Application(
      responder: responder, server: builder(connections, limits, refusal),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: name, backlog: connectionBacklog),
      onServerRunning: { channel in
        signal.yield(channel)
        signal.finish()
      }, logger: quiet)
    let services = ServiceGroup(services: [application], logger: quiet)
    let run = Task {
      do { try await services.run() } catch {
        let explained = EmulatorServerError.explaining(error, port: port)
        signal.finish(throwing: explained)
        throw explained
      }
    }
    for try await listener in started {
      guard let port = listener.localAddress?.port else { break }
      return LimitedHTTPServer(port: port, connections, listener, services, run, limits.stopTimeout)
    }
    run.cancel()
    throw EmulatorServerError.cannotListen(host)
  }

  private static func builder(
    _ connections: OpenConnections, _ limits: Limits, _ refusal: @escaping @Sendable () -> EmulatorReply
  ) -> HTTPServerBuilder {
    let configuration = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ConnectionLimitHandler(connections, refusal: refusal),
        RequestBodyDeadline(.nanoseconds(limits.requestTimeout.nanoseconds)), ExpectContinueHandler(),
        DateHeaderHandler(),
      ], idleTimeout: .nanoseconds(limits.idleTimeout.nanoseconds))
    return HTTPServerBuilder { responder in
      LimitedHTTP1Channel(base: HTTP1Channel(responder: responder, configuration: configuration))
    }
  }

  /// Stops the server: accepts no new connections, finishes running requests, and closes all connections. Requests that
  /// the client keeps from finishing are ended after the limit's `stopTimeout`.
  ///
  /// - Parameter drained: returns once no request is running.
  package func stop(_ drained: () async -> Void = {}) async {
    connections.keepAll()
    await stopAccepting()
    let end = Task { [connections, stopTimeout] in
      try await Task.sleep(for: stopTimeout)
      connections.closeAll()
    }
    await drained()
    // Do not cancel the task: NIO would crash on a connection that is accepted but not yet registered.
    await services.triggerGracefulShutdown()
    _ = await run.result
    end.cancel()
  }

  /// Stops accepting before the listener closes: NIO crashes if the listener closes while an accepted connection is
  /// being set up. The setup changes event loops twice (to register the connection and to add its handlers), so
  /// wait for two rounds.
  private func stopAccepting() async {
    // These calls only fail if the listener is closed already.
    try? await listener.pipeline.addHandler(ReadStop(), position: .first).get()
    try? await listener.setOption(.autoRead, value: false).get()
    for _ in 1...2 {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
      try? await listener.eventLoop.submit {}.get()
    }
    listener.close(promise: nil)
  }
}

/// Drops each request to read. A listener that paused because its connections were taken too slowly asks for more even
/// when `autoRead` is off.
private final class ReadStop: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = Never

  func read(context: ChannelHandlerContext) {}
}

/// An HTTP/1.1 channel with the handlers that have to see requests before their conversion drops the host of the target and
/// the version.
struct LimitedHTTP1Channel: ServerChildChannel {
  let base: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandlers(
        [ConnectionPersistenceHandler(), AbsoluteTargetHandler()], position: .after(decoder))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Makes the host of a target that is a whole address the request's host, in place of the `Host` header (RFC 9112,
/// section 3.2.2). Who checks the host then needs to check one place.
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class AbsoluteTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), let host = Self.host(ofTarget: head.uri) else {
      context.fireChannelRead(data)
      return
    }
    head.headers.replaceOrAdd(name: "Host", value: host)
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Host and port of an address; empty, which matches no server, for other forms, as `CONNECT` has them; `nil` for a
  /// path.
  static func host(ofTarget target: String) -> String? {
    if target == "*" || target.utf8.first == UInt8(ascii: "/") { return nil }
    let scheme = "http://"
    guard target.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 | 0x20 })
    else { return "" }
    let rest = target.utf8.dropFirst(scheme.utf8.count)
    return String(decoding: rest.prefix { !"/?#\\".utf8.contains($0) }, as: UTF8.self)
  }
}
