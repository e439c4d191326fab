package import CloudKitModel
internal import Diagnostics

/// The last change of each record that a run wrote: when it was, and whether this key made it. Never who.
package struct ChangesSinceRun: Sendable {
  private let authors: ChangeAuthors
  /// By record name; without a record for one that is not there any more.
  private let records: [String: Record?]
  /// The known names of the records and of those that changed fields refer to, by record name.
  let names: [String: String]

  /// `nil` for a run in another container.
  package init?(of run: RunRecord, in container: any Container) async throws {
    guard run.target.isSameContainer(as: container.identity) else { return nil }
    let changes = run.entries.filter(\.outcome.mayStand).map(\.change).prefix(ReportBody.maxChanges)
    let values = changes.flatMap(\.fields.values).flatMap { [$0.from, $0.to] }
    let names = Set(changes.map(\.recordName) + values.flatMap { $0?.references ?? [] }).sorted()
    let outcomes = try await container.lookupAll(names, desiredKeys: Record.knownNameFields)
    records = Dictionary(
      zip(names, outcomes).compactMap { name, outcome in
        outcome.error.map { $0.code == .notFound } == false ? nil : (name, outcome.record)
      }, uniquingKeysWith: { first, _ in first })
    self.names = records.compactMapValues { $0?.knownName }
    authors = await ChangeAuthors(of: container)
  }

  /// `last changed 2026-11-20T10:00:00Z by another user, after this run`; `nil` for a record that was not read.
  func text(_ entry: RunRecord.Entry) -> StyledText? {
    guard let record = records[entry.change.recordName] else { return nil }
    guard let record else { return entry.change.action == .delete ? nil : "deleted after this run" }
    guard let stamp = record.modified else { return nil }
    return "last changed \(authors.text(stamp))\(Self.place(record, entry).map { ", \($0.words)" } ?? "")"
  }

  /// `{"at": …, "by": …, "inThisRun": true}`; `nil` for a record that was not read or is not there.
  func json(_ entry: RunRecord.Entry) -> JSONValue? {
    guard let record = records[entry.change.recordName] ?? nil, let stamp = record.modified,
      var object = authors.json(stamp).object
    else { return nil }
    object["inThisRun"] = Self.place(record, entry).map { .bool($0 == .inThisRun) }
    return .object(object)
  }

  private enum Place: String {
    case inThisRun, later
    var words: String { self == .inThisRun ? "in this run" : "after this run" }
  }

  /// By the change tag; `nil` when the reply to the run's write did not have it.
  private static func place(_ record: Record, _ entry: RunRecord.Entry) -> Place? {
    entry.tagAfter.map { $0 == record.changeTag ? .inThisRun : .later }
  }
}
