import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves sites on loopback over HTTP. The host `NAME.localhost` of a request is that of the site; libcurl resolves such
/// names without DNS.
package final class SiteServer: Sendable {
  package let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let content: Content

  /// What the connections share.
  fileprivate final class Content: Sendable {
    let documents = Mutex<[String: SiteDocument]>([:])
    let requests = Mutex<[String]>([])
  }

  package static func start(_ sites: [Site]) async throws -> SiteServer {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let content = Content()
    do {
      let channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { child in
          child.eventLoop.makeCompletedFuture {
            try child.pipeline.syncOperations.configureHTTPServerPipeline()
            try child.pipeline.syncOperations.addHandler(SiteConnection(content))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let server = SiteServer(port: channel.localAddress?.port ?? 0, group, content)
      server.serve(sites)
      return server
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
  }

  private init(port: Int, _ group: MultiThreadedEventLoopGroup, _ content: Content) {
    self.port = port
    self.group = group
    self.content = content
  }

  /// Adds the documents of sites, in place of those at the same addresses.
  package func serve(_ sites: [Site]) {
    content.documents.withLock { documents in
      for site in sites {
        for (url, document) in site.documents { documents[url] = document.at(port: port) }
      }
    }
  }

  /// An address of a site text as it is served: with the port.
  package func address(_ text: String) -> String { text.insertingPort(port) }

  /// The addresses that were requested so far, without the port.
  package var requests: [String] { content.requests.withLock(\.self) }

  /// Closes all connections.
  package func stop() async throws { try await group.shutdownGracefully() }
}

/// Answers the requests of one connection.
private final class SiteConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let content: SiteServer.Content

  init(_ content: SiteServer.Content) { self.content = content }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    let host = (head.headers.first(name: "Host") ?? "").prefix { $0 != ":" }.lowercased()
    let url = "http://\(host)\(head.uri)"
    content.requests.withLock { $0.append(url) }
    let found = content.documents.withLock { $0[url] ?? $0["http://\(host)/*"] }
    // A status of 0 is none: the server has read the request, and closes.
    if found?.status == 0 { return context.close(promise: nil) }
    answer(found ?? .missing, context)
  }

  private func answer(_ document: SiteDocument, _ context: ChannelHandlerContext) {
    var headers = HTTPHeaders(document.headers)
    headers.replaceOrAdd(name: "Content-Length", value: "\(document.body.count)")
    let status = HTTPResponseStatus(statusCode: document.status)
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
    let body = context.channel.allocator.buffer(bytes: document.body)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
