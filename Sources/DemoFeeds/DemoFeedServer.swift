import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves demo feeds on loopback. Each feed has its own host name (`<slug>.localhost`, which libcurl resolves without
/// DNS), so that rules per host apply as they do on the web.
package final class DemoFeedServer: Sendable {
  package let port: Int
  private let group: MultiThreadedEventLoopGroup

  /// The port of the demo, so that its output is always the same.
  package static let demoPort = 48_423

  /// - Parameters:
  ///   - now: the time of the newest items, in seconds since 1970; rounded down to whole hours.
  ///   - slowDelay: how long ``DemoBehavior/slow`` waits before it answers.
  ///   - port: another one is taken when it is in use; 0 means any free port.
  /// - Throws: the error that NIO reports when it cannot listen.
  package static func start(
    table: DemoFeedTable, now: Int64, slowDelay: Duration = .seconds(3), port: Int = 0
  ) async throws -> DemoFeedServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let settings = DemoConnection.Settings(
        table: table, now: now / 3600 * 3600,
        slowMilliseconds: TimeAmount(slowDelay).nanoseconds / 1_000_000)
      let channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { child in
          child.eventLoop.makeCompletedFuture {
            try child.pipeline.syncOperations.addHandlers([
              ByteToMessageHandler(HTTPRequestDecoder()), DemoConnection(settings),
            ])
          }
        }
        .bind(host: "127.0.0.1", port: port).get()
      return DemoFeedServer(port: channel.localAddress?.port ?? port, group: group)
    } catch {
      try await group.shutdownGracefully()
      guard port != 0 else { throw error }
      return try await start(table: table, now: now, slowDelay: slowDelay)
    }
  }

  private init(port: Int, group: MultiThreadedEventLoopGroup) {
    self.port = port
    self.group = group
  }

  /// The server's address, without a feed's host name.
  package var baseURL: String { "http://127.0.0.1:\(port)" }

  package func url(of slug: String) -> String { "http://\(slug).localhost:\(port)/feed.xml" }

  package func url(of behavior: DemoBehavior) -> String { url(of: behavior.name) }

  /// Closes all connections and ends the server's thread.
  package func stop() async throws { try await group.shutdownGracefully() }
}
