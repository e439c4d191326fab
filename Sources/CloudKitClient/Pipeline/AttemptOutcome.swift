internal import CloudKitModel
internal import HTTPTransport

/// What one attempt to send a request came to.
enum AttemptOutcome {
  case answered(HTTPResponse)
  /// Refused for its date alone: one made anew carries the service's.
  case misdated(ServiceClock)
  /// The service has the request and refuses it.
  case refused(ServerError)
  /// It was not carried out: sending it again is safe, whatever it is.
  case notCarriedOut(Trouble)
  /// It may have been carried out: only a repeatable request may be sent again.
  case unknown(Trouble)
  /// A gateway in front of the service refused the request for its size.
  case requestTooLarge(String)
  /// The answer was cut off for its size; the request was carried out.
  case answerTooLarge(String)
  /// The answer makes no sense, and the next one would not either.
  case unusable(String)
  /// It cannot be sent as things are configured.
  case unreachable(String)

  struct Trouble {
    /// What happened, in words that follow "CloudKit could not be asked: ".
    var what: String
    /// The service's own wish.
    var retryAfter: Duration?
    /// What to do, if that is more than to try again.
    var hint: String?
  }

  /// Whether the service answered as a service that works, for the circuit breaker.
  var speaksForService: Bool? {
    switch self {
    case .answered, .misdated: true
    case .refused(let error): error.code.httpStatus < 500
    case .notCarriedOut, .unknown: false
    case .unusable, .unreachable, .requestTooLarge, .answerTooLarge: nil
    }
  }
}

extension AttemptOutcome {
  /// - Parameter error: reads the service's error dictionary, if the body is one.
  init(_ response: HTTPResponse, error: (HTTPResponse) -> ServerError?) {
    guard !(200..<300).contains(response.status) else {
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

  /// A refusal in the service's own words was made before anything was done, except for an internal error.
  private static func classify(_ error: ServerError, status: Int) -> AttemptOutcome {
    let trouble = Trouble(what: error.description, retryAfter: error.retryAfter)
    if error.isTransient || status == 429 || status == 503 { return .notCarriedOut(trouble) }
    return error.code == .internalError || status >= 500 ? .unknown(trouble) : .refused(error)
  }

  /// An answer that something in front of the service gave (Documentation/reference/web-services.md#throttling).
  private static func classify(_ response: HTTPResponse) -> AttemptOutcome {
    let trouble = Trouble(what: "HTTP status \(response.status)", retryAfter: response.headers.retryAfter())
    switch response.status {
    case 429: return .notCarriedOut(trouble)
    // Misdirected: the connection belongs to another host; the next one will not
    // (Documentation/reference/web-services.md#assets).
    case 421: return .notCarriedOut(trouble)
    case 500...: return .unknown(trouble)
    case 413: return .requestTooLarge("HTTP status 413 without CloudKit's error dictionary")
    default: return .unusable("HTTP status \(response.status) without CloudKit's error dictionary")
    }
  }

  init(_ failure: HTTPFailure) {
    let trouble = Trouble(what: failure.message, retryAfter: nil)
    switch failure.kind {
    case .dns, .connect: self = .notCarriedOut(trouble)
    case .timeout, .truncated, .protocol, .encoding, .unknownCoding, .extraBytes: self = .unknown(trouble)
    case .tooLarge: self = .answerTooLarge(failure.message)
    // Its own message may quote the URL, and with it a token.
    case .invalidRequest: self = .unreachable("the address or a header cannot be sent")
    default: self = .unreachable(failure.message)
    }
  }
}
