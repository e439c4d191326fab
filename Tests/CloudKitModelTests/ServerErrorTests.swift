import CloudKitModel
import Diagnostics
import Testing

@Suite("Errors of the service") struct ServerErrorTests {
  private static let codes: [ServerError.Code] = [
    .accessDenied, .atomicError, .authenticationFailed, .authenticationRequired, .badRequest, .conflict,
    .exists,
    .internalError, .notFound, .quotaExceeded, .requestTooLarge, .throttled, .tryAgainLater,
    .validatingReferenceError, .zoneNotFound,
  ]

  private static let statuses: [(ServerError.Code, Int)] = [
    (.accessDenied, 403), (.atomicError, 400), (.authenticationFailed, 401), (.authenticationRequired, 421),
    (.badRequest, 400), (.conflict, 409), (.exists, 409), (.internalError, 500), (.notFound, 404),
    (.quotaExceeded, 413), (.requestTooLarge, 413), (.throttled, 429), (.tryAgainLater, 503),
    (.validatingReferenceError, 412), (.zoneNotFound, 404), (ServerError.Code(rawValue: "ZONE_BUSY"), 400),
  ]

  @Test("the HTTP status of each documented code, and of one that nothing documents", arguments: statuses)
  func status(code: ServerError.Code, status: Int) { #expect(code.httpStatus == status) }

  @Test("only a busy service is worth another attempt", arguments: codes)
  func transient(_ code: ServerError.Code) {
    #expect(ServerError(code, "x").isTransient == [.throttled, .tryAgainLater].contains(code))
  }

  @Test("what an emulator refuses is explained by its restart, and never sends anyone to Apple's Console")
  func emulator() throws {
    for (reason, option) in [
      ("authorization-failed", "--token-file"), ("Authentication failed", "--key-file"),
    ] {
      var error = ServerError(.authenticationFailed, reason)
      let service = try #require(error.advice)
      #expect(!service.contains("emulator"))
      error.isFromEmulator = true
      let emulator = try #require(error.advice)
      #expect(
        emulator.contains("started again") && emulator.contains(option) && !emulator.contains("Console"))
      #expect(error.failure.status == .denied && error.failure.hint == emulator)
    }
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
