public import Diagnostics

/// The error of a recount that did not start, or ended without writing.
public enum RecountError: Error, Sendable, CustomStringConvertible {
  /// The declaration does not fit the schema.
  case invalidDeclaration([Diagnostic])
  /// The checkpoint belongs to another aggregate, container or shard.
  case checkpointMismatch(String)
  /// The requested strategy cannot compute this aggregate in this container.
  case strategyUnavailable(String)

  public var description: String {
    switch self {
    case .invalidDeclaration: "the aggregate does not fit the container's schema; nothing was read"
    case .checkpointMismatch(let reason), .strategyUnavailable(let reason): reason
    }
  }

  /// What to do.
  public var hint: String? {
    switch self {
    case .invalidDeclaration: nil
    case .checkpointMismatch: "Delete the checkpoint to count from the start."
    case .strategyUnavailable: "Let the tool choose: --strategy auto."
    }
  }
}

extension RecountError: CommandFailureConvertible {
  public var failure: CommandFailure {
    let (code, status): (String, ExitStatus) =
      switch self {
      case .invalidDeclaration: ("bad-aggregates", .failed)
      case .checkpointMismatch: ("checkpoint-mismatch", .failed)
      case .strategyUnavailable: ("strategy-unavailable", .usage)
      }
    var failure = CommandFailure(description, code: code, hint: hint, status: status)
    if case .invalidDeclaration(let findings) = self { failure.diagnostics = findings }
    return failure
  }
}
