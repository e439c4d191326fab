internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

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

/// The open connections, up to a limit that keeps memory and file descriptors bounded. A new connection above the
/// limit replaces the one that has been idle longest, so that idle clients cannot block others.
final class OpenConnections: Sendable {
  private struct State {
    /// The connections without a request, and since when.
    var idle: [ObjectIdentifier: (channel: any Channel, since: UInt64)] = [:]
    var busy: [ObjectIdentifier: any Channel] = [:]
    var rests: UInt64 = 0
    var givesUpIdle = true

    mutating func rest(_ channel: any Channel) {
      rests += 1
      idle[ObjectIdentifier(channel)] = (channel, rests)
    }
  }

  let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// The number of connections without a request.
  var idle: Int { state.withLock { $0.idle.count } }

  /// Registers a new connection. `false` if the limit is reached and no connection is idle.
  func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, surplus) = state.withLock { state -> (Bool, (any Channel)?) in
      var surplus: (any Channel)?
      if state.givesUpIdle, state.idle.count + state.busy.count >= limit {
        guard let oldest = state.idle.min(by: { $0.value.since < $1.value.since }) else {
          return (false, nil)
        }
        surplus = state.idle.removeValue(forKey: oldest.key)?.channel
      }
      state.rest(channel)
      return (true, surplus)
    }
    surplus?.close(promise: nil)
    return isAdmitted
  }

  /// From now on, idle connections are not replaced. Called before a stop, when the server accepts no more
  /// connections and those still being set up must not be closed.
  func keepAll() { state.withLock { $0.givesUpIdle = false } }

  /// Records that a request begins. `false` if the connection is being closed; the request must not be processed
  /// then.
  func begin(_ channel: any Channel) -> Bool {
    state.withLock { state in
      guard state.idle.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return false }
      state.busy[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  /// Records that the last request of the connection is answered.
  func end(_ channel: any Channel) {
    state.withLock { state in
      if state.busy.removeValue(forKey: ObjectIdentifier(channel)) != nil { state.rest(channel) }
    }
  }

  func closed(_ channel: any Channel) {
    state.withLock { state in
      state.idle.removeValue(forKey: ObjectIdentifier(channel))
      state.busy.removeValue(forKey: ObjectIdentifier(channel))
    }
  }

  /// Closes all connections, idle or not.
  func closeAll() {
    let open = state.withLock { $0.idle.values.map(\.channel) + $0.busy.values }
    for channel in open { channel.close(promise: nil) }
  }
}
