internal import CloudKitModel
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Platform

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

  /// A time in the form `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). The process never changes the C
  /// locale, so names are in English.
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
