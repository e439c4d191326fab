public import Diagnostics

/// The run that holds a lease, without personal data.
public struct LeaseHolder: Sendable, Hashable {
  public var recordName: String
  /// What it does: `recount subscribers 3/8`.
  public var purpose: String
  /// A random id, never the name of a person or machine.
  public var run: String
}

/// The error of a run that may not start, or may not write any more, because of a lease.
public enum LeaseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another run holds the lease.
  case held(LeaseHolder)
  /// Another run took over the lease because this one did not renew it. Its values may be newer.
  case overtaken(recordName: String)

  public var description: String {
    switch self {
    case .held(let holder): "another run is in progress (\(holder.purpose), run \(holder.run))"
    case .overtaken(let name):
      "another run took over the lease \(name); this run stopped and did not overwrite its values"
    }
  }

  /// What to do.
  public var hint: String {
    switch self {
    case .held:
      "Wait until it ends, or give --wait 10m. If you are sure that it no longer runs, take over its lease with --break-lease."
    case .overtaken: "Run the command again."
    }
  }
}

extension LeaseError: CommandFailureConvertible {
  public var failure: CommandFailure {
    let code = if case .held = self { "locked" } else { "overtaken" }
    return CommandFailure(description, code: code, hint: hint, status: .locked)
  }
}
