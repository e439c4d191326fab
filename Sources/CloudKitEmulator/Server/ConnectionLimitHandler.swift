internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Registers a connection with ``OpenConnections`` until it closes. If the limit is reached, answers 503 and closes
/// it.
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class ConnectionLimitHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let connections: OpenConnections
  private let refusal: @Sendable () -> EmulatorReply
  private var isOpen = false
  /// The number of requests without a complete reply; more than one if the client pipelines requests.
  private var requests = 0

  /// - Parameter refusal: the reply on a connection above the limit.
  init(_ connections: OpenConnections, refusal: @escaping @Sendable () -> EmulatorReply) {
    self.connections = connections
    self.refusal = refusal
  }

  func handlerAdded(context: ChannelHandlerContext) {
    isOpen = connections.admit(context.channel)
    if !isOpen, context.channel.isActive { refuse(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    if !isOpen { refuse(context) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) {
      if requests == 0 { isOpen = isOpen && connections.begin(context.channel) }
      requests += 1
    }
    if isOpen { context.fireChannelRead(data) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      requests -= 1
      if requests == 0 { connections.end(context.channel) }
    }
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connections.closed(context.channel)
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { connections.closed(context.channel) }

  private func refuse(_ context: ChannelHandlerContext) {
    let reply = refusal()
    var head = HTTPResponse(status: .init(code: reply.status), headerFields: reply.fields)
    head.headerFields[.contentLength] = String(reply.body.count)
    head.headerFields[.connection] = "close"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: reply.body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}

extension EmulatorReply {
  /// The headers as Hummingbird's type.
  var fields: HTTPFields {
    var fields = HTTPFields()
    for header in headers {
      let name = header.name == "Date" ? DateHeaderHandler.field : HTTPField.Name(header.name)
      if let name { fields[name] = header.value }
    }
    return fields
  }
}
