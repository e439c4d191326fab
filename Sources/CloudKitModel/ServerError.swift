package import Diagnostics

/// A refusal in CloudKit's own terms, whether of a whole request or of one record in it.
package struct ServerError: Error, Sendable, Hashable {
  /// Not an enum, because an undocumented code must not break a client.
  package struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
  }

  package var code: Code
  /// The service's explanation, without user record names; empty if it gives none.
  package var reason: String
  /// The role, index, change tag or field that caused the refusal, for the log of an emulator: the service does not say it.
  /// Without user record names; empty if it is not known.
  package var explanation: String
  /// How long the service asks to wait. Absent means: do not try again.
  package var retryAfter: Duration?
  /// The request's id, to quote to Apple.
  package var uuid: String?
  package var redirectURL: String?
  /// Whether an emulator of this project refused the request, not Apple's service.
  package var isFromEmulator = false
  /// Whether an earlier attempt of the same request got no reply, so that it may have been carried out.
  package var mayFollowSuccess = false
  /// The record type of a query that was refused because of it.
  package var queriedType: String?
  /// The custom roles that have the right that is missing, if they are known; of an unproved one, those that types show.
  package var roles: [String] = []
  /// The tool refused the query itself: it does not know whether the key lacks the right, but nothing proves that it has it.
  package var isUnproved = false
  /// How to copy the record type into a mirror that was made without it; `nil` unless the container is such a mirror.
  package private(set) var copying: String?

  package init(
    _ code: Code, _ reason: String, _ explanation: String = "", retryAfter: Duration? = nil,
    uuid: String? = nil, redirectURL: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.explanation = explanation
    self.retryAfter = retryAfter
    self.uuid = uuid
    self.redirectURL = redirectURL
  }

  /// The answer to an import into production (Documentation/reference/schema-language.md#imports).
  package static let importInProduction = ServerError(
    .badRequest, "BadRequestException: endpoint not applicable in the environment 'production'")

  /// The answer to an asset that was not uploaded for this write (Documentation/reference/web-services.md#assets).
  package static let badReceipt = ServerError(.badRequest, "bad upload receipt (did_not_validate)")

  /// What a mirror answers to whatever asks for a record type that was not copied: like a type that may not be read, it
  /// has records of which nothing is known.
  package static func notMirrored(_ recordType: String, copying: String) -> ServerError {
    var error = ServerError(.accessDenied, "the mirror does not have \(recordType) records")
    error.copying = copying
    return error
  }
}

extension ServerError.Code {
  package static let accessDenied = Self(rawValue: "ACCESS_DENIED")
  package static let atomicError = Self(rawValue: "ATOMIC_ERROR")
  package static let authenticationFailed = Self(rawValue: "AUTHENTICATION_FAILED")
  package static let authenticationRequired = Self(rawValue: "AUTHENTICATION_REQUIRED")
  package static let badRequest = Self(rawValue: "BAD_REQUEST")
  package static let conflict = Self(rawValue: "CONFLICT")
  package static let exists = Self(rawValue: "EXISTS")
  package static let internalError = Self(rawValue: "INTERNAL_ERROR")
  package static let notFound = Self(rawValue: "NOT_FOUND")
  package static let quotaExceeded = Self(rawValue: "QUOTA_EXCEEDED")
  /// A code of this tool: a gateway in front of the service refused a request for its size, with HTTP status 413.
  package static let requestTooLarge = Self(rawValue: "REQUEST_TOO_LARGE")
  package static let throttled = Self(rawValue: "THROTTLED")
  package static let tryAgainLater = Self(rawValue: "TRY_AGAIN_LATER")
  package static let validatingReferenceError = Self(rawValue: "VALIDATING_REFERENCE_ERROR")
  package static let zoneNotFound = Self(rawValue: "ZONE_NOT_FOUND")

  /// The HTTP status a whole request refused with this code has.
  package var httpStatus: Int {
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
  package var description: String {
    if isUnproved { return "it could not be proved that this key or user reads more than its own records" }
    if copying != nil { return reason }
    return reason.isEmpty ? code.rawValue : "\(code.rawValue): \(reason)"
  }

  /// The same refusal, whichever request met it: each reply has a request id of its own.
  package func isSame(as other: ServerError) -> Bool { code == other.code && reason == other.reason }

  /// The refusal of a query of this type, if it depends on the type.
  package func ofQuery(of recordType: String) -> ServerError {
    guard [.accessDenied, .badRequest].contains(code) else { return self }
    return copy(of: self) { $0.queriedType = recordType }
  }

  package func explained(_ explanation: String) -> ServerError {
    return copy(of: self) { $0.explanation = explanation }
  }

  /// True if the service is only busy, so that a retry may succeed.
  package var isTransient: Bool { code == .throttled || code == .tryAgainLater }
}

/// A record type that the caller may not read. What depends on its records is unknown.
package struct UnreadType: Sendable, Hashable {
  package let recordType: String
  package let refusal: ServerError

  package init(_ recordType: String, _ refusal: ServerError) {
    self.recordType = recordType
    self.refusal = refusal
  }

  /// `AdminLease records may not be read with this key`
  package var clause: String {
    refusal.copying == nil ? "\(recordType) records may not be read with this key" : refusal.reason
  }

  package var json: JSONValue {
    ["recordType": .string(recordType), "reason": .string("\(refusal)")]
  }
}

extension ServerError: CommandFailureConvertible {
  package var failure: CommandFailure {
    if let copying { return CommandFailure(reason, code: "not-mirrored", hint: copying) }
    let status: ExitStatus =
      switch code {
      case .accessDenied, .authenticationFailed, .authenticationRequired: .denied
      case .throttled, .tryAgainLater: .tryLater
      default: .failed
      }
    let details = [queriedType, uuid.map { "request \($0)" }].compactMap(\.self).joined(separator: ", ")
    return CommandFailure(
      details.isEmpty ? "\(self)" : "\(self) (\(details))", code: code.rawValue, hint: advice, status: status,
      retryAfter: retryAfter)
  }

  /// What to do about the refusal (Documentation/reference/web-services.md#error-dictionary).
  package var advice: String? {
    switch code {
    case .accessDenied where copying != nil: copying
    case .accessDenied where isFromManagement:
      "The management token does not belong to this team and container. Check CLOUDKIT_TEAM_ID and "
        + "CLOUDKIT_CONTAINER_ID."
    case .accessDenied where isUnproved && roles.isEmpty:
      "No type shows which roles the key has. Let one type be read by a role of the key alone, or try again when there are "
        + "records of two creators."
    case .accessDenied where !roles.isEmpty:
      "Give the user record of this key or user the role \(roles.joined(separator: " or ")) in the CloudKit Console, in each "
        + (isUnproved
          ? "environment: a type shows that the key has it. Other roles show only by records of two creators."
          : "environment; 'auth check' shows a role that a type needs to be read.")
    case .accessDenied:
      "The identity lacks a role for this. Grant it in the schema, or assign the custom role to the user record "
        + "of this key or user in the CloudKit Console; 'auth check' shows which identity applies."
    case .authenticationFailed where isFromManagement && isFromEmulator:
      "The emulator does not know this management token. If it was started again, it may have made a new one: read its "
        + "ready file or environment file again. 'emulator serve --token-file FILE' keeps the token."
    case .authenticationFailed where isFromManagement:
      "The management token is wrong or has expired; make a new one in the CloudKit Console and save it with "
        + "'auth save-token'."
    case .authenticationFailed where isFromEmulator:
      "If the emulator was started again, it has another key: read its ready file or environment file again. "
        + "'emulator serve --key-file FILE' keeps the key. It serves one environment: start another one with "
        + "--environment and the same --container-file. 'auth check' finds other causes."
    case .authenticationFailed:
      "The key, its id, the clock or the environment is wrong. Run 'auth check' to see which."
    case .authenticationRequired: "This needs a signed-in user; a server-to-server key cannot do it."
    case .badRequest where reason.contains("'recordName' is not marked "):
      "Write \"___recordID\" REFERENCE QUERYABLE into the type, and apply the schema."
    case .badRequest where isForLackOfIndex:
      "Add the index to the schema, if the field's type can have it; 'schema lint --queries' finds such gaps offline."
    case .badRequest where reason.contains(" and cannot be queried using filter type "):
      "Lists are compared with LIST_CONTAINS, places with NEAR, single values with ==; no filter works on encrypted fields."
    case .conflict:
      "Another run or client wrote the record. Run the command again to plan against its new state."
    case .notFound:
      "'schema export' shows the record types of this environment, 'records query TYPE' the names of records."
    case .quotaExceeded: "The container's quota or the request size limit is reached."
    case .requestTooLarge:
      "A gateway between this machine and CloudKit limits the size of requests, and this record alone exceeds it. "
        + "Raise the limit."
    case .throttled, .tryAgainLater: "Run the command again later."
    case .validatingReferenceError:
      "Write the target of a reference with the action VALIDATE before it. Delete a target when no record refers to it any more."
    case .zoneNotFound: "The public database has only the default zone."
    default: nil
    }
  }

  /// The management API's only text for a token, team or container that is wrong
  /// (Documentation/reference/schema-language.md#import-refusals).
  /// The refusal of a management token.
  package var isFromManagement: Bool { reason == "authorization-failed" }
}
