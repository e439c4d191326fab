internal import Diagnostics
internal import NIOCore
internal import NIOHTTP1

/// A request whose head has arrived. Its body is read only when it is asked for. Not sendable: the requests of a
/// connection are served one after the other, by one task.
package final class IncomingRequest {
  package let method: String
  /// The path and query, not decoded.
  package let target: String
  /// In the order received, repeated ones too, without the first `Host`; names in lower case.
  package let headers: [(name: String, value: String)]
  /// The host and port that the client asks for: those of a target that is a whole address, else those of the `Host`
  /// header (RFC 9112, section 3.2.2). `nil` without either.
  package let host: String?
  private let parts: RequestParts

  init(_ head: HTTPRequestHead, _ parts: RequestParts) {
    self.parts = parts
    method = head.method.rawValue
    var headers = head.headers.map { (name: $0.name.lowercased(), value: $0.value) }
    let first = headers.firstIndex { $0.name == "host" }.map { headers.remove(at: $0).value }
    self.headers = headers
    (host, target) = Self.address(ofTarget: head.uri) ?? (first, head.uri)
  }

  /// The whole body.
  ///
  /// - Parameter limit: in bytes; what is larger is not kept.
  package func body(upTo limit: Int) async throws(EmulatorRequest.BodyProblem) -> [UInt8] {
    var body: [UInt8] = []
    do {
      while let chunk = try await parts.nextOfBody() {
        guard body.count + chunk.readableBytes <= limit else { throw EmulatorRequest.BodyProblem.tooLarge }
        body += chunk.readableBytesView
      }
    } catch let problem as EmulatorRequest.BodyProblem {
      throw problem
    } catch {
      throw .brokenOff
    }
    return body
  }

  /// Host and port of a whole address, and the rest of it; the host is empty, which matches no server, for other forms, as
  /// `CONNECT` has them. `nil` for a path.
  private static func address(ofTarget target: String) -> (host: String, path: String)? {
    if target == "*" || target.utf8.first == UInt8(ascii: "/") { return nil }
    let scheme = "http://"
    guard target.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 | 0x20 })
    else { return ("", "/") }
    let rest = target.utf8.dropFirst(scheme.utf8.count)
    let host = rest.prefix { !"/?#\\".utf8.contains($0) }
    let path = String(decoding: rest[host.endIndex...], as: UTF8.self)
    return (String(decoding: host, as: UTF8.self), path.hasPrefix("/") ? path : "/\(path)")
  }
}

/// The parts of the requests of a connection, as they arrive. Not sendable: one task reads them.
final class RequestParts {
  private var iterator: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  private let channel: any Channel
  private let limits: LimitedHTTPServer.Limits
  private var isInBody = false
  /// Ends the wait for a head or for the rest of a body.
  private var deadline: Scheduled<Void>?

  init(
    _ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>, of channel: any Channel,
    _ limits: LimitedHTTPServer.Limits
  ) {
    iterator = inbound.makeAsyncIterator()
    self.channel = channel
    self.limits = limits
  }

  deinit { deadline?.cancel() }

  /// The head of the next request; `nil` when the client sends no more. Closes the connection of a client that does not
  /// send a whole head in time.
  func nextHead() async throws -> HTTPRequestHead? {
    deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.idleTimeout)) {
      [channel] in channel.close(promise: nil)
    }
    defer { deadline?.cancel() }
    guard case .head(var head) = try await iterator.next() else { return nil }
    isInBody = true
    // Blanks behind a value do not belong to it (RFC 9112, section 5.1). The parser removes only those in front.
    head.headers = HTTPHeaders(head.headers.map { ($0.name, $0.value.trimmingWhitespace) })
    return head
  }

  /// From now on the rest of the body must arrive in time, even if data keeps arriving.
  func limitBody() {
    deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.requestTimeout)) {
      [channel] in channel.pipeline.fireErrorCaught(EmulatorRequest.BodyProblem.tooSlow)
    }
  }

  /// The next piece of the body; `nil` at its end. Throws `EmulatorRequest.BodyProblem`, or an error of the connection.
  func nextOfBody() async throws -> ByteBuffer? {
    guard isInBody else { return nil }
    switch try await iterator.next() {
    case .body(let chunk): return chunk
    case .end:
      isInBody = false
      deadline?.cancel()
      return nil
    case .head, nil: throw EmulatorRequest.BodyProblem.brokenOff
    }
  }

  func skipBody() async throws { while try await nextOfBody() != nil {} }
}
