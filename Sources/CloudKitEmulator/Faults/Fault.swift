internal import CloudKitModel
internal import Diagnostics
internal import WebServicesWire

/// A fault that the emulator can inject: the word that names it in a ``FaultRule``, and what it does to a request.
package struct Fault: Sendable {
  /// What the fault does to one request. The properties are in the order in which they act.
  struct Effect: Sendable {
    /// The error that answers the request, which is then not processed.
    var refusal: ServerError?
    /// The only requests that the fault applies to; `nil` for all.
    var endpoint: Endpoint?
    /// By how much the clock is wrong that checks the signature and dates the reply.
    var clockSkew: Duration?
    var change: @Sendable (inout EmulatorReply, EmulatorRequest) -> Void = { _, _ in }
  }

  package let word: String
  /// One line of help, which names the fault's own options and their defaults.
  package let help: String
  /// Reads the fault's own options. Throws for a missing or invalid value.
  let effect: @Sendable (inout FaultRuleOptions) throws(EmulatorOptionError) -> Effect

  // MARK: - The table

  /// Every fault: to add one, add a row here and a test.
  package static let all: [Fault] = [
    Fault(
      word: "status",
      help: "reply with status=NUMBER, retryAfter=SECONDS and body=TEXT or the service's error"
    ) { options throws(EmulatorOptionError) in
      guard let status = try options.number("status", 200...599) else {
        throw EmulatorOptionError("the fault 'status' needs status=NUMBER")
      }
      let wait = try options.number("retryAfter", 0...1_000_000)
      return .reply(status, body: options.text("body"), retryAfter: wait)
    },
    Fault(word: "misdirected", help: "reply 421, like a server that does not know the host") { _ in
      .reply(421, body: "misdirected")
    },
    Fault(word: "reset-before", help: "reset the connection without processing the request") { _ in
      Effect(refusal: ServerError(.internalError, "fault rule")) { reply, _ in reply.delivery = .reset }
    },
    Fault(word: "reset-after", help: "process the request, then reset the connection without a reply") { _ in
      Effect { reply, _ in reply.delivery = .reset }
    },
    Fault(word: "half", help: "process the request, then send half of the reply and reset the connection") {
      _ in
      Effect { reply, _ in reply.delivery = .half }
    },
    Fault(
      word: "slow", help: "process the request, then send the reply in pieces, pause=MS (default 1000) apart"
    ) {
      options throws(EmulatorOptionError) in
      let pause = Duration.milliseconds(try options.number("pause", 1...600_000) ?? 1000)
      return Effect { reply, _ in reply.delivery = .slow(pause: pause) }
    },
    Fault(word: "stuck-marker", help: "reply to a query with the continuation marker it sent, and no records")
    { _ in
      Effect(endpoint: .recordsQuery) { reply, request in
        guard reply.status == 200,
          let marker = try? JSONValue(parsing: request.body)["continuationMarker"]?.string, !marker.isEmpty
        else { return }
        reply.body = RecordsReply([], continuationMarker: marker).json().bytes()
      }
    },
    Fault(
      word: "empty-page",
      help: "reply to a query with no records and a new continuation marker, behind which the query goes on"
    ) { _ in
      Effect(refusal: ServerError(.internalError, "fault rule"), endpoint: .recordsQuery) { reply, request in
        let marker = (try? JSONValue(parsing: request.body))?["continuationMarker"]?.string
        reply = EmulatorReply(
          status: 200, headers: Emulator.jsonHeaders,
          body: RecordsReply([], continuationMarker: EmptyPageMarker.before(marker)).json().bytes())
      }
    },
    Fault(
      word: "clock-skew",
      help: "check signatures and date the reply with a clock off by seconds=N (default 3600)"
    ) {
      options throws(EmulatorOptionError) in
      Effect(clockSkew: .seconds(try options.number("seconds", -1_000_000...1_000_000) ?? 3600))
    },
    Fault(word: "no-date", help: "reply without the header Date, which states the service's time") { _ in
      Effect { reply, _ in reply.isDated = false }
    },
  ]
}

extension Fault.Effect {
  /// Replies with a status instead of processing the request. Without a body, the reply has the service's error.
  fileprivate static func reply(_ status: Int, body: String?, retryAfter: Int? = nil) -> Self {
    let codes: [ServerError.Code] = [
      .throttled, .tryAgainLater, .internalError, .authenticationFailed, .accessDenied, .notFound, .conflict,
      .quotaExceeded, .authenticationRequired, .validatingReferenceError,
    ]
    let code = codes.first { $0.httpStatus == status } ?? .badRequest
    return Self(refusal: ServerError(code, "fault rule", retryAfter: retryAfter.map { .seconds($0) })) {
      reply, _ in
      reply.status = status
      guard let body else { return }
      reply.body = Array(body.utf8)
      reply.headers = [("Content-Type", "text/html")]
      if let retryAfter { reply.headers.append(("Retry-After", String(retryAfter))) }
    }
  }
}

/// The markers of pages without records: what was asked for comes behind them.
enum EmptyPageMarker {
  private static let prefix = "empty-page:"

  /// - Parameter marker: the one that a query came with; `nil` for its first page.
  static func before(_ marker: String?) -> String { prefix + (marker ?? "") }

  /// The marker that a query really continues from; `nil` for its first page.
  static func behind(_ marker: String?) -> String? {
    guard var rest = marker.map({ $0[...] }) else { return nil }
    while rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    return rest.isEmpty ? nil : String(rest)
  }
}
