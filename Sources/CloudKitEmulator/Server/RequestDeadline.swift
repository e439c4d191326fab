internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Ends a connection whose request does not arrive in time, however steadily it drips in. A request that never gets
/// beyond its head is the server's idle timeout's.
///
/// Not sendable: a channel handler lives on its channel's event loop alone.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  private let answer: ByteBuffer
  private var deadline: Scheduled<Void>?

  /// - Parameter answer: the body of the 408 that is sent before the connection is closed.
  init(_ limit: TimeAmount, answer: ByteBuffer) {
    self.limit = limit
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      let context = NIOLoopBound(context, eventLoop: context.eventLoop)
      let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
      deadline = context.value.eventLoop.scheduleTask(in: limit) { handler.value.end(context.value) }
    case .body: break
    case .end: cancel()
    }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancel() }

  private func cancel() {
    deadline?.cancel()
    deadline = nil
  }

  private func end(_ context: ChannelHandlerContext) {
    var head = HTTPResponse(status: .requestTimeout)
    head.headerFields[.contentType] = "application/json; charset=UTF-8"
    head.headerFields[.contentLength] = String(answer.readableBytes)
    head.headerFields[.connection] = "close"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(answer)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
