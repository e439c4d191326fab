public import Diagnostics

/// The error of a run that cannot be undone.
public enum UndoError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  /// The run wrote to another container or environment.
  case otherTarget(id: String, target: String)
  /// See ``RunRecord/Reversibility``.
  case irreversible(id: String, reason: String)
  case noRun
  /// The last run is itself an undo. The user must say whether to redo it or to go further back.
  case lastIsUndo(id: String, before: String?)
  /// The schema no longer has a type or field that the run's records need.
  case schemaLacks([String])

  public var description: String {
    switch self {
    case .otherTarget(let id, let target): "the run \(id) wrote to \(target)"
    case .irreversible(let id, let reason): "the run \(id) cannot be undone: \(reason)"
    case .noRun: "the history has no run that could be undone here"
    case .lastIsUndo(let id, _): "the last run, \(id), is itself an undo"
    case .schemaLacks(let names):
      "the schema no longer has what the run's records need: \(names.prefix(5).joined(separator: ", "))"
    }
  }

  public var failure: CommandFailure {
    CommandFailure(description, code: "cannot-undo", hint: hint)
  }

  private var hint: String? {
    switch self {
    case .otherTarget: "Name that container with --container and --environment."
    case .irreversible, .noRun: "List the runs with 'history'."
    case .lastIsUndo(let id, let before):
      "'undo \(id)' restores what it undid"
        + (before.map { "; 'undo \($0)' goes one run further back." } ?? ".")
    case .schemaLacks: "Apply the schema that had them first."
    }
  }
}
