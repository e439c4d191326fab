public import CloudKitModel
public import Diagnostics

/// Why a recount did not take place, or ended without writing.
public enum RecountError: Error, Sendable, CustomStringConvertible {
  /// The declaration does not fit the schema.
  case invalidDeclaration([Diagnostic])
  /// Another run works on the same targets.
  case locked(until: Timestamp?)
  /// The lease ran out or was taken while this run was counting: its numbers may be older than another's.
  case leaseLost
  /// The checkpoint belongs to another aggregate, container or part, or is too old to continue.
  case checkpointMismatch(String)
  /// The strategy asked for cannot compute this aggregate here.
  case strategyUnavailable(String)

  public var description: String {
    switch self {
    case .invalidDeclaration(let findings):
      findings.map(\.message).joined(separator: "; ")
    case .locked: "another run of this recount is at work"
    case .leaseLost: "another run took over while this one was counting; nothing was written"
    case .checkpointMismatch(let reason), .strategyUnavailable(let reason): reason
    }
  }

  /// What to do.
  public var hint: String? {
    switch self {
    case .invalidDeclaration: nil
    case .locked: "Wait for it to end. A run that was killed stops blocking when its lease expires."
    case .leaseLost: "Run the command again."
    case .checkpointMismatch: "Delete the checkpoint to count from the start."
    case .strategyUnavailable: "Leave the strategy to the tool: --strategy auto."
    }
  }
}
