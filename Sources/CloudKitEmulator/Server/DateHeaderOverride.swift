internal import CloudKitModel
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Platform

/// Lets a reply state another time in its header `Date` than the server below, which dates every answer itself: a
/// service whose clock is wrong says so.
///
/// Not sendable: a channel handler lives on its channel's event loop alone.
final class DateHeaderOverride: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Stands for `Date` from the responder to here.
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

  /// As in `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). The locale is C's own: nobody sets another.
  static func text(_ time: Timestamp) -> String {
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      }
    }
  }
}
