public import Diagnostics

/// The run that a lease belongs to, as far as it may be shown.
public struct LeaseHolder: Sendable, Hashable {
  public var recordName: String
  /// What it does: `recount subscribers 3/8`.
  public var purpose: String
  /// A random name; never a person's or a machine's.
  public var run: String
}

/// Why a run did not start, or must not write any more.
public enum LeaseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another run is at work.
  case held(LeaseHolder)
  /// Another run took the lease while this one was silent, so its values may be newer.
  case overtaken(recordName: String)

  public var description: String {
    switch self {
    case .held(let holder): "another run is in progress (\(holder.purpose), run \(holder.run))"
    case .overtaken(let name): "another run took over the lease \(name); its values were not overwritten"
    }
  }

  /// What to do.
  public var hint: String {
    switch self {
    case .held:
      "Wait until it ends, or give --wait 10m. If you are sure that it is dead, --break-lease takes its place at once."
    case .overtaken: "Run the command again."
    }
  }
}

extension LeaseError: ExplainedError {
  public var failure: CommandFailure {
    let code = if case .held = self { "locked" } else { "overtaken" }
    return CommandFailure(description, code: code, hint: hint, status: .locked)
  }
}
