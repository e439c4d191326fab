internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Ends the wait for a request that does not arrive in time, however steadily it drips in: whoever reads its body is
/// told so, and what is answered then is the connection's last word. A request that never gets beyond its head is
/// the server's idle timeout's.
///
/// Not sendable: a channel handler lives on its channel's event loop alone.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// What reading the body ends with.
  struct Passed: Error {}

  private let limit: TimeAmount
  private var deadline: Scheduled<Void>?
  private var hasPassed = false

  init(_ limit: TimeAmount) { self.limit = limit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      let context = NIOLoopBound(context, eventLoop: context.eventLoop)
      let handler = NIOLoopBound(self, eventLoop: context.value.eventLoop)
      deadline = context.value.eventLoop.scheduleTask(in: limit) { handler.value.pass(context.value) }
    case .body: break
    case .end: cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard hasPassed, case .end = unwrapOutboundIn(data) else {
      context.write(data, promise: promise)
      return
    }
    context.writeAndFlush(data, promise: promise)
    context.close(promise: nil)
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

  private func pass(_ context: ChannelHandlerContext) {
    hasPassed = true
    context.fireErrorCaught(Passed())
  }
}
