internal import CloudKitModel
internal import Diagnostics
internal import HTTPTransport

enum RequestAttemptOutcome {
  case answered(HTTPResponse)
  /// Refused because of its date. A new request uses the service's date.
  case misdated(ServiceClockOffset)
  case refused(ServerError)
  /// The request was not processed: retrying is always safe.
  case notCarriedOut(Failure)
  /// The request may have been processed: only retry repeatable requests.
  case unknown(Failure)
  /// A gateway in front of the service refused the request for its size.
  case requestTooLarge(String)
  /// The response exceeded the size limit; the request was processed.
  case answerTooLarge(String)
  /// The response is invalid; a retry would not help.
  case unusable(String)
  /// The request cannot be sent with this configuration.
  case unreachable(String)

  struct Failure {
    /// What happened, as a clause after "CloudKit could not be asked: ".
    var what: String
    var retryAfter: Duration?
    /// What to do, if retrying is not enough.
    var hint: String?
    /// What it means for those who wait.
    var reason = "service unavailable"
    /// Nothing listens at an address of this machine. An emulator may be starting; an outage of the service it is not.
    var isOfThisMachine = false
  }

  /// For the circuit breaker: true if the service works, false if not, `nil` if unknown.
  var speaksForService: Bool? {
    switch self {
    case .answered, .misdated: true
    case .refused(let error): error.code.httpStatus < 500
    case .notCarriedOut(let failure), .unknown(let failure): failure.isOfThisMachine ? nil : false
    case .unusable, .unreachable, .requestTooLarge, .answerTooLarge: nil
    }
  }

  /// The status of a command that ends because of it.
  var exitStatus: ExitStatus {
    switch self {
    case .misdated: .denied
    case .refused(let error): error.failure.status
    case .notCarriedOut, .unknown: .tryLater
    case .answered, .unusable, .unreachable, .requestTooLarge, .answerTooLarge: .failed
    }
  }

  /// - Parameter error: parses the service's error dictionary; `nil` if the body is something else.
  init(_ response: HTTPResponse, error: (HTTPResponse) -> ServerError?) {
    guard !response.isSuccess else {
      self = .answered(response)
      return
    }
    if var error = error(response) {
      error.retryAfter = error.retryAfter ?? response.headers.retryAfter()
      self = Self.classify(error, status: response.status)
    } else {
      self = Self.classify(response)
    }
  }

  /// A service error means that nothing was done, except for an internal error.
  private static func classify(_ error: ServerError, status: Int) -> RequestAttemptOutcome {
    var failure = Failure(what: error.description, retryAfter: error.retryAfter)
    if status == 429 || error.code == .throttled { failure.reason = "service busy" }
    if error.isTransient || status == 429 || status == 503 { return .notCarriedOut(failure) }
    return error.code == .internalError || status >= 500 ? .unknown(failure) : .refused(error)
  }

  /// Classifies a response from a gateway in front of the service
  /// (Documentation/reference/web-services.md#throttling).
  private static func classify(_ response: HTTPResponse) -> RequestAttemptOutcome {
    var failure = Failure(what: "HTTP status \(response.status)", retryAfter: response.headers.retryAfter())
    if response.status == 429 { failure.reason = "service busy" }
    switch response.status {
    // 421, misdirected: the connection belongs to another host; the next one will not
    // (Documentation/reference/web-services.md#assets).
    case 421, 429: return .notCarriedOut(failure)
    case 500...: return .unknown(failure)
    case 413: return .requestTooLarge("HTTP status 413 without CloudKit's error dictionary")
    default: return .unusable("HTTP status \(response.status) without CloudKit's error dictionary")
    }
  }

  /// - Parameter isLocal: the request was for this machine, where only an emulator answers.
  init(_ error: HTTPFailure, isLocal: Bool = false) {
    var failure = Failure(what: error.message, retryAfter: nil)
    if isLocal, error.kind == .connect {
      failure.isOfThisMachine = true
      failure.hint =
        "Nothing answers at this address of your machine. 'emulator serve --port N' starts an emulator there."
    }
    switch error.kind {
    case .dns, .connect: self = .notCarriedOut(failure)
    case .timeout, .truncated, .protocol, .encoding, .unknownCoding, .extraBytes: self = .unknown(failure)
    case .tooLarge: self = .answerTooLarge(error.message)
    // Do not use its message, which may quote the URL and a token in it.
    case .invalidRequest: self = .unreachable("the address or a header cannot be sent")
    default: self = .unreachable(error.message)
    }
  }
}

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

  /// - Parameter hint: what to do, if the service is the right one.
  static func unusable(_ name: String, _ what: String, uuid: String? = nil, hint: String? = nil)
    -> ContainerFailure
  {
    let request = uuid.map { " (request \($0))" } ?? ""
    return ContainerFailure(
      .unusableAnswer, "the answer to \(name)\(request) cannot be used: \(what)",
      hint: hint ?? "Check CLOUDKIT_BASE_URL: is CloudKit at that address?")
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
