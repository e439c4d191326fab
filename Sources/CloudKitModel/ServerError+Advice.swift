public import Diagnostics

extension ServerError: CommandFailureConvertible {
  public var failure: CommandFailure {
    let status: ExitStatus =
      switch code {
      case .accessDenied, .authenticationFailed, .authenticationRequired: .denied
      case .throttled, .tryAgainLater: .tryLater
      default: .failed
      }
    let id = uuid.map { " (request \($0))" } ?? ""
    return CommandFailure(
      "\(self)\(id)", code: code.rawValue, hint: advice, status: status, retryAfter: retryAfter)
  }

  /// What to do about the refusal (Documentation/reference/web-services.md#error-dictionary).
  public var advice: String? {
    switch code {
    case .accessDenied where isFromManagement:
      "The management token does not belong to this team and container. Check CLOUDKIT_TEAM_ID."
    case .accessDenied:
      "The identity lacks a role for this. Grant it in the schema, or assign the custom role to the key's user "
        + "record in the CloudKit Console; 'auth check' shows which identity applies."
    case .authenticationFailed where isFromManagement:
      "The management token is wrong or has expired; make a new one in the CloudKit Console and save it with "
        + "'auth save-token'."
    case .authenticationFailed:
      "The key, its id, the clock or the environment is wrong. Run 'auth check' to see which."
    case .authenticationRequired: "This needs a signed-in user; a server-to-server key cannot do it."
    case .badRequest where reason.contains("' is not marked "):
      "Add the index to the schema; 'schema lint --queries' finds such gaps offline."
    case .conflict: "Another client wrote the record. Run the command again to plan against its new state."
    case .notFound:
      "The record or record type is not in this environment; compare schemas with 'schema diff'."
    case .quotaExceeded: "The container's quota or the request size limit is reached."
    case .requestTooLarge:
      "A gateway between this machine and CloudKit limits the size of requests, and this record alone exceeds it. "
        + "Raise the limit."
    case .throttled, .tryAgainLater: "Run the command again later: it continues where it stopped."
    case .validatingReferenceError: "Write the referenced record first, or remove the references to it."
    case .zoneNotFound: "The public database has only the default zone."
    default: nil
    }
  }

  /// The management API's only text for a token, team or container that is wrong
  /// (Documentation/reference/schema-language.md#import-refusals).
  fileprivate var isFromManagement: Bool { reason == "authorization-failed" }
}
