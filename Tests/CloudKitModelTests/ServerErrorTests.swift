import CloudKitModel
import Testing

@Suite("Errors of the service") struct ServerErrorTests {
  private static let codes: [ServerError.Code] = [
    .accessDenied, .atomicError, .authenticationFailed, .authenticationRequired, .badRequest, .conflict,
    .exists,
    .internalError, .notFound, .quotaExceeded, .requestTooLarge, .throttled, .tryAgainLater,
    .validatingReferenceError, .zoneNotFound,
  ]

  @Test("only a busy service is worth another attempt", arguments: codes)
  func transient(_ code: ServerError.Code) {
    #expect(ServerError(code, "x").isTransient == [.throttled, .tryAgainLater].contains(code))
  }

  @Test("a refusal is the same when code and reason are, whatever the id of the reply")
  func same() {
    var first = ServerError(.quotaExceeded, "full")
    var second = first
    first.uuid = "1"
    second.uuid = "2"
    #expect(first.isSame(as: second))
    #expect(!first.isSame(as: ServerError(.quotaExceeded, "other")))
    #expect(!first.isSame(as: ServerError(.conflict, "full")))
  }
}
