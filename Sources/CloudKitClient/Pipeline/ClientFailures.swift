internal import CloudKitModel

extension ContainerFailure {
  static func givenUp(_ name: String, _ failure: RequestAttemptOutcome.Failure) -> ContainerFailure {
    .unavailable(
      "\(name) failed: \(failure.what)", retryAfter: failure.retryAfter, hint: failure.hint)
  }

  /// The error if the circuit breaker is open for longer than the request may wait.
  static func resting(_ name: String, _ wait: Duration) -> ContainerFailure {
    .unavailable("\(name) was not sent: the service has stopped answering", retryAfter: wait)
  }

  static func replyLost(_ name: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .outcomeUnknown, "no valid reply to \(name): \(what); the service may have carried it out",
      hint: "Run the command again: it finds what was written and finishes the rest.")
  }

  static func unusable(_ name: String, _ what: String, uuid: String? = nil) -> ContainerFailure {
    let request = uuid.map { " (request \($0))" } ?? ""
    return ContainerFailure(
      .unusableAnswer, "the answer to \(name)\(request) cannot be used: \(what)",
      hint: "Check CLOUDKIT_BASE_URL: is CloudKit at that address?")
  }

  static func unreachable(_ name: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .unreachable, "\(name) was not sent: \(what)",
      hint: "Check CLOUDKIT_BASE_URL, HTTPS_PROXY, and the certificates this machine trusts.")
  }

  /// The error for a request or response above a size limit; a smaller one may succeed.
  static func tooLarge(_ name: String, _ what: String, hint: String) -> ContainerFailure {
    ContainerFailure(.tooLarge, "\(name) is too large: \(what)", hint: hint)
  }
}
