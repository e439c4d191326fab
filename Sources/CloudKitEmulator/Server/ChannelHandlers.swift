internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Answers `Expect: 100-continue`, so that a client that asks before it sends a large body does not wait until its
/// own timeout (RFC 9110, section 10.1.1).
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class ExpectContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let request) = unwrapInboundIn(data),
      request.headerFields[.expect]?.lowercased() == "100-continue"
    {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    context.fireChannelRead(data)
  }
}

/// Replaces the `Date` header of a reply, which Hummingbird sets itself, to simulate a service whose clock is
/// wrong.
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class DateHeaderHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The header that carries the replacement from the responder to this handler.
  static let field = HTTPField.Name("X-Emulator-Date")

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var data = data
    if case .head(var head) = unwrapOutboundIn(data), let field = Self.field,
      head.headerFields.contains(field)
    {
      head.headerFields[.date] = head.headerFields[field]
      head.headerFields[field] = nil
      data = wrapOutboundOut(.head(head))
    }
    context.write(data, promise: promise)
  }
}

/// The error that reading a request's body throws when it did not arrive in time.
package struct RequestBodyTooSlow: Error {}

/// Limits the time for a request's body to arrive, even if data keeps arriving. Reading the body then fails with
/// ``RequestBodyTooSlow``, and the connection is closed after the reply. An incomplete head is limited by the server's idle
/// timeout.
///
/// Not sendable: a channel handler only runs on its channel's event loop.
final class RequestBodyDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

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
    context.fireErrorCaught(RequestBodyTooSlow())
  }
}
