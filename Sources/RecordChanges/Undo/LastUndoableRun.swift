package import CloudKitModel
internal import Diagnostics

extension RunHistory {
  /// The run to undo when none is named: the last one by a person in a container, or the one that an unfinished undo
  /// takes back.
  ///
  /// Throws ``UndoError``, also when a newer run by a person cannot be read: that run may be the last one.
  package func lastUndoable(in target: ContainerIdentity) throws -> RunRecord {
    var people: [RunRecord] = []
    for reading in try runs().read where reading.kind == .person {
      switch reading.run {
      case .success(let run) where run.isUndoCandidate(in: target): people.append(run)
      case .success: continue
      case .failure(let error):
        if people.isEmpty { throw UndoError.unreadable(reason: error.description) }
      }
    }
    guard let last = people.first else { throw UndoError.noRun }
    guard let goal = last.undoes else { return last }
    let standing = StandingChanges(people)
    if !last.isFinished, let undone = people.first(where: { $0.id == goal.runID }),
      !standing.entries(of: undone).isEmpty
    {
      return undone
    }
    let before = people.first { $0.undoes == nil && !standing.entries(of: $0).isEmpty }
    throw UndoError.lastIsUndo(id: last.id, before: before?.id)
  }
}

extension RunRecord {
  /// Whether a person wrote records to the container in this run.
  fileprivate func isUndoCandidate(in target: ContainerIdentity) -> Bool {
    let wroteNothing = withheld.total == 0 && !entries.contains { $0.outcome.mayStand }
    return kind == .person && self.target.isSameContainer(as: target) && schema == nil && !wroteNothing
  }
}
