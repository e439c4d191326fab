package import CloudKitEmulator
internal import Diagnostics

/// The HTTP server of the console. It listens on a loopback address with its own port, so that it shares no origin
/// with the emulator.
package final class ConsoleServer: Sendable {
  /// A browser keeps up to 6 connections open.
  package static let limits: LimitedHTTPServer.Limits = {
    var limits = LimitedHTTPServer.Limits()
    limits.maximumConnections = 32
    limits.idleTimeout = .seconds(60)
    limits.requestTimeout = .seconds(30)
    return limits
  }()

  /// The address of the first page, `http://127.0.0.1:8081/0123…/`. Who knows it can use the console.
  package let url: String
  private let server: LimitedHTTPServer

  /// - Parameter port: 0 takes a free one.
  ///
  /// Throws ``EmulatorServerError`` when the port is taken, or what the system says about it.
  package init(
    _ console: LocalConsole, port: Int, limits: LimitedHTTPServer.Limits = ConsoleServer.limits
  ) async throws {
    server = try await LimitedHTTPServer(
      port: port, named: "celestra-admin console", limits: limits,
      answer: { await console.reply(toUnread: $0) })
    console.listens(on: server.port)
    url = "http://127.0.0.1:\(server.port)\(console.path)"
  }

  /// Finishes the requests in flight and closes every connection.
  package func stop() async { await server.stop() }
}

extension LocalConsole {
  private static let maxBody = 1 << 16

  fileprivate func reply(toUnread request: IncomingRequest) async -> EmulatorReply {
    var headers = request.headers
    if let host = request.host { headers.append(("host", host)) }
    var incoming = ConsoleRequest(request.method, request.target, headers: headers)
    // No body is read for a client that may not use the console.
    if refusal(of: incoming) == nil {
      do {
        incoming.body = try await request.body(upTo: Self.maxBody)
      } catch .tooLarge {
        return EmulatorReply(status: 413)
      } catch {
        return EmulatorReply(status: 408)
      }
    }
    return await reply(to: incoming)
  }
}

package struct ConsoleRequest: Sendable {
  package var method: String
  /// Path and query, nothing decoded.
  package var target: String
  /// In the order received, repeated ones too; names in lower case.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    self.body = body
  }

  var query: FormValues {
    FormValues(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
  }

  var form: FormValues { FormValues(String(decoding: body, as: UTF8.self)) }

  /// The only value of a header; `nil` when it is absent. Several values count as one that nothing equals.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The values of the cookies of a name, of which a browser may send several.
  func cookies(named name: String) -> [String] {
    headers.filter { $0.name == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { cookie in
      let pair = cookie.drop { $0 == " " }
      return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
    }
  }

  var isForm: Bool { method == "POST" }
}

/// The names and values of a URL query or a form, in their order; a name may be repeated.
struct FormValues: Sendable {
  private let items: [(name: String, value: String)]

  init(_ text: some StringProtocol) {
    items = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentEncoding.decodeAny(parts[0], plusIsSpace: true),
        parts.count > 1 ? PercentEncoding.decodeAny(parts[1], plusIsSpace: true) : ""
      )
    }
  }

  subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }
}
