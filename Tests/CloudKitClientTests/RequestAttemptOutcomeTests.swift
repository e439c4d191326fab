import CloudKitModel
import HTTPTransport
import Testing

@testable import CloudKitClient

@Suite struct RequestAttemptOutcomeTests {
  private enum Kind {
    case answered, refused, notCarriedOut, unknown, requestTooLarge, answerTooLarge, unusable, unreachable,
      misdated
  }

  private func kind(_ outcome: RequestAttemptOutcome) -> Kind {
    switch outcome {
    case .answered: .answered
    case .misdated: .misdated
    case .refused: .refused
    case .notCarriedOut: .notCarriedOut
    case .unknown: .unknown
    case .requestTooLarge: .requestTooLarge
    case .answerTooLarge: .answerTooLarge
    case .unusable: .unusable
    case .unreachable: .unreachable
    }
  }

  private func failure(_ outcome: RequestAttemptOutcome) -> RequestAttemptOutcome.Failure? {
    switch outcome {
    case .notCarriedOut(let failure), .unknown(let failure): failure
    default: nil
    }
  }

  private func outcome(
    _ status: Int, _ code: ServerError.Code? = nil, retryAfter: Duration? = nil, headers: HTTPHeaders = []
  ) -> RequestAttemptOutcome {
    RequestAttemptOutcome(HTTPResponse(status: status, headers: headers, finalURL: "")) { _ in
      code.map { ServerError($0, "r", retryAfter: retryAfter) }
    }
  }

  @Test("an answer without the service's error is judged by its status")
  func statuses() {
    let rows: [(Int, Kind, Bool?)] = [
      (199, .unusable, nil), (200, .answered, true), (299, .answered, true), (300, .unusable, nil),
      (400, .unusable, nil),
      (412, .unusable, nil), (413, .requestTooLarge, nil), (414, .unusable, nil), (420, .unusable, nil),
      (421, .notCarriedOut, false),
      (422, .unusable, nil), (428, .unusable, nil), (429, .notCarriedOut, false), (430, .unusable, nil),
      (499, .unusable, nil),
      (500, .unknown, false), (503, .unknown, false), (599, .unknown, false),
    ]
    for (status, expected, speaks) in rows {
      let outcome = outcome(status, headers: ["Retry-After": "7"])
      #expect(kind(outcome) == expected && outcome.speaksForService == speaks, "\(status)")
      if let failure = failure(outcome) {
        #expect(failure.what == "HTTP status \(status)" && failure.retryAfter == .seconds(7))
        #expect(failure.reason == (status == 429 ? "service busy" : "service unavailable"), "\(status)")
      }
    }
  }

  @Test("the service's error decides together with the status, and what it asks for comes before the header")
  func errors() {
    let rows: [(Int, ServerError.Code, Kind, Bool?)] = [
      (400, .badRequest, .refused, true), (401, .authenticationFailed, .refused, true),
      (409, .conflict, .refused, true),
      (428, .badRequest, .refused, true), (429, .badRequest, .notCarriedOut, false),
      (430, .badRequest, .refused, true),
      (400, .throttled, .notCarriedOut, false), (400, .tryAgainLater, .notCarriedOut, false),
      (500, .throttled, .notCarriedOut, false),
      (503, .badRequest, .notCarriedOut, false), (502, .badRequest, .unknown, false),
      (504, .badRequest, .unknown, false),
      (499, .badRequest, .refused, true), (500, .badRequest, .unknown, false),
      (400, .internalError, .unknown, false),
    ]
    for (status, code, expected, speaks) in rows {
      let outcome = outcome(status, code, retryAfter: .seconds(3), headers: ["Retry-After": "7"])
      #expect(kind(outcome) == expected && outcome.speaksForService == speaks, "\(status) \(code)")
      if let failure = failure(outcome) {
        #expect(failure.retryAfter == .seconds(3) && failure.what == "\(code): r")
        let isBusy = status == 429 || code == .throttled
        #expect(failure.reason == (isBusy ? "service busy" : "service unavailable"), "\(status) \(code)")
      }
    }
    #expect(failure(outcome(503, .throttled, headers: ["Retry-After": "7"]))?.retryAfter == .seconds(7))
    // The status that belongs to the code counts for the breaker.
    #expect(RequestAttemptOutcome.refused(ServerError(.internalError, "")).speaksForService == false)
    #expect(RequestAttemptOutcome.refused(ServerError(.quotaExceeded, "")).speaksForService == true)
  }

  @Test("what a transport could not do", arguments: HTTPFailure.Kind.allCases)
  func transport(kind: HTTPFailure.Kind) {
    let expected: Kind =
      switch kind {
      case .dns, .connect: .notCarriedOut
      case .timeout, .truncated, .protocol, .encoding, .unknownCoding, .extraBytes: .unknown
      case .tooLarge: .answerTooLarge
      default: .unreachable
      }
    let outcome = RequestAttemptOutcome(HTTPFailure(kind, "token=x"))
    #expect(self.kind(outcome) == expected)
    let isCounted = [.notCarriedOut, .unknown].contains(expected)
    #expect(outcome.speaksForService == (isCounted ? false : nil))
    if case .unreachable(let what) = outcome { #expect(what.contains("token") == (kind != .invalidRequest)) }
  }
}
