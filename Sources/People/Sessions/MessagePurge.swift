internal import Catalog
package import CloudKitModel
package import RecordChanges
internal import SchemaLanguage

/// Deletes messages of live sessions whose time is over. Those with a report that no moderator has decided about stay.
package struct MessagePurge: Sendable {
  private let container: any Container
  private let moment: TimeOrAge
  package var limit: Int?

  /// - Parameters:
  ///   - moment: messages created before this are deleted.
  ///   - limit: how many messages the run deletes at most; `nil` for all.
  package init(container: any Container, createdBefore moment: TimeOrAge, limit: Int?) {
    self.container = container
    self.moment = moment
    self.limit = limit
  }

  /// Throws what ``run(through:)`` would of the moment, before it has read messages.
  package func check() async throws { _ = try await container.clock.certainTime(before: moment) }

  /// Whether there is something to delete. Throws as ``run(through:)``.
  package func findsAny() async throws -> Bool {
    var purge = self
    purge.limit = 1
    return try await purge.run(through: nil).planned > 0
  }

  /// Deletes the messages, also of sessions that are over.
  ///
  /// Throws `UncertainServiceTime`, a usage error for a moment in the future, and errors of reading the container.
  /// Refused deletions are in the result.
  ///
  /// - Parameter writer: deletes; `nil` for a dry run.
  package func run(through writer: JobWriter?) async throws -> PurgeResult {
    let cutoff = try await container.clock.certainTime(before: moment)
    var purge = RecordPurge("message", in: container, limit: limit, through: writer)
    let old = Query(
      LiveSessionRecordType.message,
      filters: [Filter(.system(.createdTimestamp), .lessThan, .timestamp(cutoff))])
    let reported: Set<String>
    do {
      reported = try await ModerationDeclaration.Reports().waitingTargets(in: container)
    } catch let refusal as ServerError where refusal.code == .notFound { reported = [] }
    try await purge.deleteAll(old, desiredKeys: []) { _ in reported }
    return purge.result
  }
}
