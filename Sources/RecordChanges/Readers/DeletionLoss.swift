package import CloudKitModel
package import SchemaLanguage

/// What deletions lose, and whether that is the named risk `data-loss`. Every command that deletes asks here
/// (Documentation/reference/catalog.md#deletions).
package struct DeletionLoss: Sendable, Hashable {
  /// The risk, as `--accept-risk` takes it.
  package static let risk = "data-loss"

  /// Who chose the records that are deleted.
  package enum Choice: Sendable, Hashable {
    /// The caller, by their names or by a filter.
    case caller
    /// The command, which looked for them: records that no seed mentions, or that refer to nothing.
    case command
    /// A run that is undone: it created them.
    case undo
  }

  /// `nil` when nothing is deleted.
  private let choice: Choice?
  private let isRestorable: Bool

  private init(choice: Choice?, isRestorable: Bool) {
    self.choice = choice
    self.isRestorable = isRestorable
  }

  /// Nothing is deleted.
  package static let none = DeletionLoss(choice: nil, isRestorable: true)

  /// The history keeps nothing of what is deleted: a whole container, or what a job deletes.
  package static let permanent = DeletionLoss(choice: .command, isRestorable: false)

  /// The history keeps what is deleted, so that `undo` restores it.
  package static func restorable(chosenBy choice: Choice) -> DeletionLoss {
    DeletionLoss(choice: choice, isRestorable: true)
  }

  /// What the deletions among the changes lose, by what the history of a job keeps.
  ///
  /// - Parameter schema: the container's; `nil` when it is not known. Then users may have created any record.
  package init(_ changes: [RecordChange], by job: WritingJob, schema: Schema?, chosenBy choice: Choice) {
    let deletions = changes.filter { $0.action == .delete }
    self.init(
      choice: deletions.isEmpty ? nil : choice,
      isRestorable: job.kind == .person && job.typesOfUsers(schema).irreversible(deletions).isEmpty)
  }

  package var isDeletion: Bool { choice != nil }

  /// What accepting the risk means, in words that follow its name.
  package var consequence: String {
    isDeletion && isRestorable
      ? "records are deleted; 'undo' restores them" : "nothing restores what is deleted"
  }

  /// The risk, where it must be accepted: everywhere for what cannot be restored and for what a command chose, and in
  /// production for what the caller chose.
  package func risks(in environment: Environment) -> Set<String> {
    switch choice {
    case nil: []
    case .undo?: isRestorable ? [] : [Self.risk]
    case .caller?: isRestorable && environment == .development ? [] : [Self.risk]
    case .command?: [Self.risk]
    }
  }
}
