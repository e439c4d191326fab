internal import Aggregates
internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FoundationEssentials
internal import Platform
internal import RecordChanges

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension CommandFailure {
  /// Any error in the words and with the exit status a user needs.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let failure as ContainerFailure: self.init(failure)
    case let refusal as ServerError: self.init(refusal)
    case let value as FieldValueError: self.init(value.reason, code: "bad-input")
    case let notation as NotationError: self = .usage(notation.message, hint: notation.hint)
    case let failure as FileFailure: self.init(failure)
    case let taken as RunLock.Taken:
      self.init(
        taken.description, code: "locked", hint: "Wait until it ends, then run this again.", status: .locked)
    case let error as RecountError: self.init(error)
    case let error as CheckpointFile.Unusable:
      self.init(error.description, code: "bad-checkpoint", hint: error.hint)
    case let coding as ChangeCodingError: self.init(coding.description, code: "bad-plan")
    case let unknown as HealthCheckError: self.init(unknown)
    case let interrupted as Interrupted:
      self.init(
        "stopped before the end", code: "interrupted", hint: "Run the command again: it finishes the rest.",
        status: interrupted.status)
    case is CancellationError:
      self.init("interrupted", code: "interrupted", hint: "Run the command again: it finishes the rest.")
    default: self.init(error.reason)
    }
  }

  private init(_ failure: FileFailure) {
    let code =
      switch failure.action {
      case .read: "unreadable-file"
      case .write: "unwritable-file"
      case .use: "unusable-file"
      }
    self.init(failure.message, code: code, hint: failure.hint)
  }

  private init(_ unknown: HealthCheckError) {
    switch unknown {
    case .unknownFeeds: self.init(unknown.description, code: "unknown-feed")
    case .unknownCategory(_, let nearest):
      self.init(
        unknown.description, code: "unknown-category", hint: nearest.map { "Did you mean '\($0)'?" })
    }
  }

  private init(_ failure: ContainerFailure) {
    let (code, status): (String, ExitStatus) =
      switch failure.kind {
      case .storage: ("storage", .failed)
      case .busy: ("busy", .locked)
      case .readOnly: ("read-only", .failed)
      case .transport: ("transport", .failed)
      case .tooLarge: ("too-large", .failed)
      case .unavailable: ("unavailable", .tryLater)
      case .credential: ("credential", .denied)
      }
    self.init(failure.message, code: code, hint: failure.hint, status: status)
    if case .unavailable(let delay) = failure.kind { retryAfter = delay }
  }

  private init(_ refusal: ServerError) {
    let status: ExitStatus =
      switch refusal.code {
      case .accessDenied, .authenticationFailed, .authenticationRequired: .denied
      case .throttled, .tryAgainLater: .tryLater
      default: .failed
      }
    let id = refusal.uuid.map { " (request \($0))" } ?? ""
    self.init(
      "\(refusal)\(id)", code: refusal.code.rawValue, hint: ServerAdvice.hint(for: refusal),
      status: status,
      retryAfter: refusal.retryAfter)
  }
}

extension Error {
  /// A system error in its own words, without the machinery around it.
  var reason: String {
    if let error = self as? CocoaError, let underlying = error.underlying as? POSIXError {
      return Posix.message(underlying.code.rawValue)
    }
    return String(describing: self)
  }
}
