internal import NIOCore
internal import NIOHTTP1

/// Ends connections as RFC 9112, section 9.3, requires: after the reply to a request of HTTP/1.0 without `keep-alive`, or
/// of any version with `close`. The reply says which it is. Works on requests before their conversion drops the version.
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class ConnectionPersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// What becomes of a connection after a request.
  enum Persistence: Sendable, Hashable {
    /// It stays open, as clients of HTTP/1.1 expect.
    case usual
    /// It stays open, because a client of HTTP/1.0 asks for it and the reply confirms it.
    case confirmed
    /// It is closed after the reply.
    case closed

    init(_ head: HTTPRequestHead) {
      let options = Set(head.headers[canonicalForm: "connection"].map { $0.lowercased() })
      if options.contains("close") {
        self = .closed
      } else if !head.isBeforeVersion1_1 {
        self = .usual
      } else {
        self = options.contains("keep-alive") ? .confirmed : .closed
      }
    }

    /// The value of the reply's `Connection` header, if it needs one.
    var option: String? {
      switch self {
      case .usual: nil
      case .confirmed: "keep-alive"
      case .closed: "close"
      }
    }
  }

  /// The requests without a complete reply, the oldest first; more than one if the client sends requests in advance.
  private var waiting: [Persistence] = []
  /// Whether the last request of the connection has begun; what follows it is not read.
  private var isLast = false
  /// Whether the parts that arrive belong to a request that is not read.
  private var isBeyondLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      if !isBeyondLast { context.fireChannelRead(data) }
      return
    }
    isBeyondLast = isLast
    guard !isLast else { return }
    let persistence = Persistence(head)
    waiting.append(persistence)
    if persistence == .closed {
      isLast = true
      // Hummingbird closes after the reply to a request with just this value.
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    }
    // A client of HTTP/1.0 does not know interim replies (RFC 9110, section 10.1.1).
    if head.isBeforeVersion1_1 { head.headers.remove(name: "Expect") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      if let option = waiting.first?.option { head.headers.replaceOrAdd(name: "Connection", value: option) }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      if !waiting.isEmpty { waiting.removeFirst() }
      context.write(data, promise: promise)
    default: context.write(data, promise: promise)
    }
  }
}

extension HTTPRequestHead {
  fileprivate var isBeforeVersion1_1: Bool { version == .http1_0 || version.major < 1 }
}
