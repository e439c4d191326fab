internal import CloudKitModel
internal import LocalContainer
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Platform

/// A connection, whose requests are answered one after the other until the client or a request ends it (RFC 9112, section
/// 9.3).
struct HTTPConnection {
  typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  let channel: Channel
  let service: LimitedHTTPServer.Service
  let connections: OpenConnections

  private typealias Outbound = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

  func run() async {
    do {
      try await channel.executeThenClose { inbound, outbound in
        guard connections.admit(channel.channel) else {
          try await write(service.refusal(), to: nil, "close", outbound)
          return
        }
        defer { connections.closed(channel.channel) }
        do {
          let parts = RequestParts(inbound, of: channel.channel, service.limits)
          while let head = try await parts.nextHead(), connections.begin(channel.channel) {
            let isUsable = try await answer(head, parts, outbound)
            guard connections.end(channel.channel), isUsable else { return }
          }
        } catch is HTTPParserError {
          try await write(EmulatorReply(status: 400), to: nil, "close", outbound)
        }
      }
    } catch {
      // The client has left, so no one reads a reply.
    }
  }

  /// - Returns: false if the connection must be closed.
  private func answer(_ head: HTTPRequestHead, _ parts: RequestParts, _ outbound: Outbound) async throws
    -> Bool
  {
    let connection = head.connectionOfReply
    // A client of HTTP/1.0 does not know interim replies. One that waits for this reply would send its body only after a
    // timeout of its own (RFC 9110, section 10.1.1).
    if !head.isBeforeVersion1_1, head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" })
    {
      try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }
    parts.limitBody()
    let reply =
      head.hasValidHost
      ? await service.answer(IncomingRequest(head, parts))
      : EmulatorReply(status: 400, explanation: "a request has exactly one Host header")
    guard try await write(reply, to: head, connection, outbound) else { return false }
    try await parts.skipBody()
    return connection != "close"
  }

  /// Sends a reply as its delivery says. One to HEAD, and one with status 204 or 304, has no content (RFC 9110, sections
  /// 9.3.2, 15.3.5 and 15.4.5): the client would take it for the next reply.
  ///
  /// - Parameter connection: the value of its `Connection` header, if it needs one.
  /// - Returns: false if the connection was reset on purpose.
  @discardableResult
  private func write(
    _ reply: EmulatorReply, to request: HTTPRequestHead?, _ connection: String?, _ outbound: Outbound
  ) async throws -> Bool {
    let isWithoutContent = reply.status == 204 || reply.status == 304
    let body = ByteBuffer(bytes: request?.method == .HEAD || isWithoutContent ? [] : reply.body)
    var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: reply.status))
    head.headers.add(name: "Server", value: service.name)
    if !isWithoutContent { head.headers.add(name: "Content-Length", value: String(reply.body.count)) }
    for header in reply.headers { head.headers.replaceOrAdd(name: header.name, value: header.value) }
    if reply.isDated, !head.headers.contains(name: "Date") {
      let now = LocalContainerSettings.systemClock().milliseconds / 1000
      head.headers.add(name: "Date", value: UTCTime.httpDate(secondsSince1970: now))
    }
    if let connection { head.headers.replaceOrAdd(name: "Connection", value: connection) }
    switch reply.delivery {
    case .whole:
      try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(body)), .end(nil)])
    case .reset:
      await reset()
      return false
    case .half:
      let half = body.getSlice(at: 0, length: body.readableBytes / 2) ?? ByteBuffer()
      try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(half))])
      await reset()
      return false
    case .slow(let pause):
      try await outbound.write(.head(head))
      var rest = body
      while rest.readableBytes > 0 {
        try await service.delays.wait(for: pause)
        let length = min(rest.readableBytes, max(1, body.readableBytes / 5))
        if let piece = rest.readSlice(length: length) { try await outbound.write(.body(.byteBuffer(piece))) }
      }
      try await outbound.write(.end(nil))
    }
    return true
  }

  /// Closes the connection with a TCP reset. Both calls fail only if it is closed already.
  private func reset() async {
    if let options = channel.channel as? any SocketOptionProvider {
      try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    }
    try? await channel.channel.close().get()
  }
}

extension HTTPRequestHead {
  /// What the reply says of the connection: `close`, or `keep-alive` to a client of HTTP/1.0 that asks for it. `nil` where it
  /// stays open, as clients of HTTP/1.1 expect.
  fileprivate var connectionOfReply: String? {
    let options = Set(headers[canonicalForm: "connection"].map { $0.lowercased() })
    if options.contains("close") { return "close" }
    guard isBeforeVersion1_1 else { return nil }
    return options.contains("keep-alive") ? "keep-alive" : "close"
  }

  fileprivate var isBeforeVersion1_1: Bool { version == .http1_0 || version.major < 1 }

  /// A request of HTTP/1.1 has one `Host` header, and no request has several (RFC 9112, section 3.2).
  fileprivate var hasValidHost: Bool {
    let hosts = headers["host"].count
    return hosts == 1 || hosts == 0 && isBeforeVersion1_1
  }
}
