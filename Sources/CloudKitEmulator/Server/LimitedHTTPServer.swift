package import Diagnostics
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Platform

/// An HTTP/1.1 server for clients that may be hostile: the number of connections and the time of each are limited, and a
/// target that is a whole address counts as its host says.
package final class LimitedHTTPServer: Sendable {
  package struct Limits: Sendable, Hashable {
    /// The maximum number of open connections; lower if the system allows fewer files. A new one above it replaces the one
    /// that has been idle longest. If none is idle, the new one gets the refusal and is closed.
    package var maximumConnections = 1000
    /// The maximum time to wait for the whole head of the first or next request on a connection.
    package var idleTimeout = Duration.seconds(120)
    /// The maximum time from a request's head to the end of its body, even if data keeps arriving. Reading the body then
    /// throws `EmulatorRequest.BodyProblem.tooSlow`, and the connection is closed after the reply.
    package var requestTimeout = Duration.seconds(60)
    /// The maximum time to finish requests after a stop; then their connections are closed.
    package var stopTimeout = Duration.seconds(5)

    package init() {}
  }

  struct Service: Sendable {
    let name: String
    let limits: Limits
    let delays: DelayController
    let refusal: @Sendable () -> EmulatorReply
    let answer: @Sendable (IncomingRequest) async -> EmulatorReply
  }

  /// The only address that it listens on: other machines cannot reach it.
  private static let host = "127.0.0.1"

  /// The length of the queue of connections to accept; the system may lower it. A connection that does not fit is
  /// not refused: the client retries a second later, which slows down bursts.
  private static let connectionBacklog: Int32 = 4096

  package let port: Int
  let connections: OpenConnections
  private let listener: any Channel
  private let run: Task<Void, Never>
  private let stopTimeout: Duration

  /// Starts a server without pauses and returns once it accepts connections. Throws ``EmulatorServerError``, or another
  /// error of the system.
  ///
  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - answer: gets each request once its head has arrived.
  package convenience init(
    port: Int, named name: String, limits: Limits,
    answer: @escaping @Sendable (IncomingRequest) async -> EmulatorReply
  ) async throws {
    let service = Service(
      name: name, limits: limits, delays: DelayController(), refusal: { EmulatorReply(status: 503) },
      answer: answer)
    try await self.init(service, port: port)
  }

  init(_ service: Service, port: Int) async throws {
    let listening: NIOAsyncChannel<HTTPConnection.Channel, Never>
    do {
      listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: Self.connectionBacklog)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        // A client that has sent its last request may say so and still wait for the reply.
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .bind(host: Self.host, port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
              withPipeliningAssistance: false, withErrorHandling: false)
            return try HTTPConnection.Channel(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      throw EmulatorServerError.explaining(error, port: port)
    }
    guard let port = listening.channel.localAddress?.port else { throw EmulatorServerError.cannotListen }
    let connections = OpenConnections(limit: service.limits.connections)
    self.port = port
    self.connections = connections
    listener = listening.channel
    stopTimeout = service.limits.stopTimeout
    run = Task { await LimitedHTTPServer.accept(listening, service, connections) }
  }

  /// Serves connections until the listener is closed, and returns when all have ended.
  private static func accept(
    _ listening: NIOAsyncChannel<HTTPConnection.Channel, Never>, _ service: Service,
    _ connections: OpenConnections
  ) async {
    await withDiscardingTaskGroup { group in
      // The listener fails only when it is closed.
      try? await listening.executeThenClose { accepted in
        for try await channel in accepted {
          group.addTask {
            await HTTPConnection(channel: channel, service: service, connections: connections).run()
          }
        }
      }
    }
  }

  /// Stops the server: accepts no new connections, finishes running requests, and closes all connections. Requests that
  /// the client keeps from finishing are ended after the limit's `stopTimeout`.
  package func stop() async {
    connections.keepAll()
    await stopAccepting()
    let end = Task { [connections, stopTimeout] in
      try await Task.sleep(for: stopTimeout)
      connections.closeAll()
    }
    await connections.drain()
    // Do not cancel the task: NIO would crash on a connection that is accepted but not yet registered.
    await run.value
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

package enum EmulatorServerError: CommandFailureConvertible, Hashable {
  case cannotListen
  case portTaken(Int)
  /// The system reserves the port, as those below 1024.
  case portReserved(Int)
  case mayBeReal(container: String)

  package var failure: CommandFailure {
    switch self {
    case .cannotListen: CommandFailure("the server could not listen on 127.0.0.1")
    case .portTaken(let port):
      CommandFailure(
        "port \(port) is taken", code: "port-taken",
        hint:
          "Perhaps another emulator or console uses it: 'lsof -i :\(port)' names the program. Or choose another port."
      )
    case .portReserved(let port):
      CommandFailure(
        "this user may not listen on port \(port)", code: "port-reserved", hint: "Choose a port from 1024 up."
      )
    case .mayBeReal(let container):
      CommandFailure(
        "\(container) may be a real container", code: "real-container",
        hint: "Name it iCloud.demo.…, or give the id with --container if it is meant.")
    }
  }

  /// What the system says about the port, in words; any other error as it is.
  static func explaining(_ error: any Error, port: Int) -> any Error {
    switch (error as? IOError).map({ SystemError(code: $0.errnoCode) }) {
    case .addressInUse: Self.portTaken(port)
    case .permissionDenied: Self.portReserved(port)
    default: error
    }
  }
}
