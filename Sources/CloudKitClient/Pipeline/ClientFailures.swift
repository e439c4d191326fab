internal import CloudKitModel

extension ContainerFailure {
  static func givenUp(_ name: String, _ trouble: RequestFate.Trouble) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: trouble.retryAfter),
      "\(name) was given up: \(trouble.what)", hint: trouble.hint ?? retryHint(trouble.retryAfter))
  }

  /// The circuit breaker is open for longer than the request can wait.
  static func resting(_ name: String, _ wait: Duration) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: wait), "\(name) was not sent: the service has stopped answering",
      hint: retryHint(wait))
  }

  static func replyLost(_ name: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .transport, "no usable reply to \(name): \(what); it may have been carried out all the same",
      hint: "Run the command again: it finds what was written and finishes the rest.")
  }

  static func unusable(_ name: String, _ what: String, uuid: String? = nil) -> ContainerFailure {
    let request = uuid.map { " (request \($0))" } ?? ""
    return ContainerFailure(
      .transport, "the answer to \(name)\(request) cannot be used: \(what)",
      hint: "Check CLOUDKIT_BASE_URL: is CloudKit at that address?")
  }

  private static func retryHint(_ wait: Duration?) -> String {
    guard let wait else { return "Run the command again later: it continues where it stopped." }
    return "Run the command again in \(wait.components.seconds + 1) seconds or later."
  }
}
