internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

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
