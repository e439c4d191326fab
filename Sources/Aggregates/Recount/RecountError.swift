public import CloudKitModel
public import Diagnostics

/// Why a recount did not take place, or ended without writing.
public enum RecountError: Error, Sendable, CustomStringConvertible {
  /// The declaration does not fit the schema.
  case invalidDeclaration([Diagnostic])
  /// Another run works on the same targets.
  case locked(until: Timestamp, wait: Duration)
  /// Another run has written since this one began: its numbers may be the newer ones.
  case overtaken
  /// The checkpoint belongs to another aggregate, container or part.
  case checkpointMismatch(String)
  /// The strategy asked for cannot compute this aggregate here.
  case strategyUnavailable(String)

  public var description: String {
    switch self {
    case .invalidDeclaration: "the aggregate does not fit the container's schema; nothing was read"
    case .locked: "another run of this recount is at work"
    case .overtaken: "another run of this recount has written since this one began to count"
    case .checkpointMismatch(let reason), .strategyUnavailable(let reason): reason
    }
  }

  /// What to do.
  public var hint: String? {
    switch self {
    case .invalidDeclaration: nil
    case .locked(let end, _):
      "Wait for it to end. If it was killed, it stops blocking at \(end.iso8601) (by this machine's clock)."
    case .overtaken: "Nothing older was written over its numbers. Run the command again to count anew."
    case .checkpointMismatch: "Delete the checkpoint to count from the start."
    case .strategyUnavailable: "Leave the strategy to the tool: --strategy auto."
    }
  }
}
