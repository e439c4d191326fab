/// A refusal in CloudKit's own terms, whether of a whole request or of one record in it.
public struct ServerError: Error, Sendable, Hashable {
  /// Not an enum, because an undocumented code must not break a client.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
  }

  public var code: Code
  /// The service's explanation, as received.
  public var reason: String
  /// How long the service asks to wait. Absent means: do not try again.
  public var retryAfter: Duration?
  /// The request's id, to quote to Apple.
  public var uuid: String?
  public var redirectURL: String?

  public init(
    _ code: Code, _ reason: String, retryAfter: Duration? = nil, uuid: String? = nil,
    redirectURL: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.retryAfter = retryAfter
    self.uuid = uuid
    self.redirectURL = redirectURL
  }
}

extension ServerError.Code {
  public static let accessDenied = Self(rawValue: "ACCESS_DENIED")
  public static let atomicError = Self(rawValue: "ATOMIC_ERROR")
  public static let authenticationFailed = Self(rawValue: "AUTHENTICATION_FAILED")
  public static let authenticationRequired = Self(rawValue: "AUTHENTICATION_REQUIRED")
  public static let badRequest = Self(rawValue: "BAD_REQUEST")
  public static let conflict = Self(rawValue: "CONFLICT")
  public static let exists = Self(rawValue: "EXISTS")
  public static let internalError = Self(rawValue: "INTERNAL_ERROR")
  public static let notFound = Self(rawValue: "NOT_FOUND")
  public static let quotaExceeded = Self(rawValue: "QUOTA_EXCEEDED")
  /// A code of this tool: a gateway in front of the service refused a request for its size, with HTTP status 413.
  public static let requestTooLarge = Self(rawValue: "REQUEST_TOO_LARGE")
  public static let throttled = Self(rawValue: "THROTTLED")
  public static let tryAgainLater = Self(rawValue: "TRY_AGAIN_LATER")
  public static let validatingReferenceError = Self(rawValue: "VALIDATING_REFERENCE_ERROR")
  public static let zoneNotFound = Self(rawValue: "ZONE_NOT_FOUND")

  /// The HTTP status a whole request refused with this code has.
  public var httpStatus: Int {
    switch self {
    case .accessDenied: 403
    case .authenticationFailed: 401
    case .authenticationRequired: 421
    case .conflict, .exists: 409
    case .internalError: 500
    case .notFound, .zoneNotFound: 404
    case .quotaExceeded, .requestTooLarge: 413
    case .throttled: 429
    case .tryAgainLater: 503
    case .validatingReferenceError: 412
    default: 400
    }
  }
}

extension ServerError: CustomStringConvertible {
  public var description: String { "\(code.rawValue): \(reason)" }

  /// The same refusal, whichever request met it: each reply has a request id of its own.
  public func isSame(as other: ServerError) -> Bool { code == other.code && reason == other.reason }

  /// True if the service is only busy, so that a retry may succeed.
  public var isTransient: Bool { code == .throttled || code == .tryAgainLater }
}
