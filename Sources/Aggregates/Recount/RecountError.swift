public import CloudKitModel
public import Diagnostics

/// Why a recount did not start, or ended without writing.
public enum RecountError: Error, Sendable, CustomStringConvertible {
  /// The declaration does not fit the schema.
  case invalidDeclaration([Diagnostic])
  /// Another run works on the same targets. `wait` is the time until its lease ends.
  case locked(until: Timestamp, wait: Duration)
  /// Another run has written since this one began, so its values may be newer.
  case overtaken
  /// The checkpoint belongs to another aggregate, container or shard.
  case checkpointMismatch(String)
  /// The requested strategy cannot compute this aggregate in this container.
  case strategyUnavailable(String)

  public var description: String {
    switch self {
    case .invalidDeclaration: "the aggregate does not fit the container's schema; nothing was read"
    case .locked: "another run of this recount is in progress"
    case .overtaken: "another run of this recount has written since this run began to count"
    case .checkpointMismatch(let reason), .strategyUnavailable(let reason): reason
    }
  }

  /// What to do.
  public var hint: String? {
    switch self {
    case .invalidDeclaration: nil
    case .locked(let end, _):
      "Wait for it to end. If it was killed, it stops blocking at \(end.iso8601) (by this machine's clock)."
    case .overtaken: "Its values were not overwritten. Run the command again to count again."
    case .checkpointMismatch: "Delete the checkpoint to count from the start."
    case .strategyUnavailable: "Let the tool choose: --strategy auto."
    }
  }
}

extension RecountError: ExplainedError {
  public var failure: CommandFailure {
    let (code, status): (String, ExitStatus) =
      switch self {
      case .locked: ("locked", .locked)
      case .overtaken: ("overtaken", .locked)
      case .invalidDeclaration: ("bad-aggregates", .failed)
      case .checkpointMismatch: ("checkpoint-mismatch", .failed)
      case .strategyUnavailable: ("strategy-unavailable", .usage)
      }
    var failure = CommandFailure(description, code: code, hint: hint, status: status)
    switch self {
    case .invalidDeclaration(let findings): failure.diagnostics = findings
    case .locked(_, let wait): failure.retryAfter = wait
    case .overtaken, .checkpointMismatch, .strategyUnavailable: break
    }
    return failure
  }
}
