import NIOCore
import NIOHTTP1
import Platform

/// Reads the requests of one connection and runs their scripts.
final class DemoConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  /// What the connections of one server share.
  struct Settings: Sendable {
    let table: DemoFeedTable
    let now: Int64
    let slowMilliseconds: Int64
  }

  private let settings: Settings
  private var head: HTTPRequestHead?

  init(_ settings: Settings) { self.settings = settings }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      run(DemoResponseScript(answering: request(head)).steps[...], context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// `/feed.xml` on the feed's own host, or `/<slug>/feed.xml` on any.
  private func request(_ head: HTTPRequestHead) -> DemoRequest {
    let host = head.headers.first(name: "Host") ?? "localhost"
    let path = String(head.uri.prefix { $0 != "?" })
    let parts = path.split(separator: "/")
    let isNamed = host.contains(".localhost")
    let slug = isNamed ? host.prefix { $0 != "." } : parts.first ?? ""
    return DemoRequest(
      feed: settings.table.feed(String(slug)),
      path: isNamed ? path : "/" + parts.dropFirst().joined(separator: "/"),
      site: isNamed ? "http://\(host)/" : "http://\(host)/\(slug)/",
      ifNoneMatch: head.headers.first(name: "If-None-Match"),
      cookie: head.headers.first(name: "Cookie"),
      acceptsGzip: head.headers.first(name: "Accept-Encoding")?.contains("gzip") == true, now: settings.now,
      slowMilliseconds: settings.slowMilliseconds)
  }

  private func run(_ steps: ArraySlice<DemoResponseScript.Step>, _ context: ChannelHandlerContext) {
    guard let step = steps.first, context.channel.isActive else { return }
    let rest = steps.dropFirst()
    switch step {
    case .send(let bytes):
      send(bytes, context).assumeIsolated().whenSuccess { self.run(rest, context) }
    case .wait(let milliseconds):
      context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
        self.run(rest, context)
      }
    case .repeatForever(let bytes, let pause):
      // Sends the next piece only after this one was sent, so that a client that does not read costs no memory.
      send(bytes, context).assumeIsolated().whenSuccess {
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(pause)) {
          self.run(steps, context)
        }
      }
    case .close: context.close(promise: nil)
    case .reset: reset(context)
    case .hang: break
    }
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)))
  }

  /// Closing with a linger time of zero sends RST.
  private func reset(_ context: ChannelHandlerContext) {
    guard let socket = context.channel as? any SocketOptionProvider else {
      return context.close(promise: nil)
    }
    socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}
