internal import CloudKitModel
internal import Diagnostics
internal import Platform
package import SchemaLanguage
internal import Synchronization

/// Writes one run into the history: its intents before the first request, each change with its values before it is
/// sent, and what became of it.
package final class RunRecorder: Sendable {
  private let run: RunRecord
  private let container: any Container
  private let userMade: UserCreatedRecordTypes
  private let maxSize: Int
  private let file: Mutex<StateFile>
  private let state = Mutex(State())

  private struct State {
    var counts = RunRecord.Counts()
    /// The changes of records that the history does not name, from their request until their outcome is known.
    var unknown: [String: RecordChange.Action] = [:]
    var unknownCounts: RunRecord.Counts? {
      unknown.isEmpty ? nil : unknown.values.reduce(into: RunRecord.Counts()) { $0.add($1) }
    }
    var isUndoable = false
    /// The records that were there when their deletion was sent.
    var present: Set<String> = []
    var size = 0
    /// A line could not be written. It may be in the file in part, so that nothing may follow it.
    var failure: FileFailure?
  }

  /// Starts the file of a run.
  ///
  /// - Parameter maxSize: the bytes that the file may have, because a larger one could not be read.
  init(
    _ run: RunRecord, in history: RunHistory, container: any Container, userMade: UserCreatedRecordTypes,
    maxSize: Int = RunHistory.maxSize
  ) throws {
    self.run = run
    self.container = container
    self.userMade = userMade
    self.maxSize = maxSize
    file = Mutex(try history.newFile(for: run))
    try write(run.head)
  }

  var isUndoable: Bool { run.kind == .person && state.withLock(\.isUndoable) }

  /// Whether the history has the record of a change, and not only its number.
  private func isNamed(_ change: RecordChange) -> Bool {
    run.kind == .person && !userMade.contains(change.recordType)
  }

  /// Called with all changes before the first of them is sent. As ``willSend(_:)`` it returns when the lines are in the file.
  func intend(_ changes: [RecordChange]) throws {
    guard run.kind == .person else { return }
    let kept = changes.filter(isNamed).map {
      RecordChange($0.action, recordType: $0.recordType, recordName: $0.recordName, label: $0.label)
    }
    try write(RunFileLine(intends: kept).json)
  }

  func willSend(_ changes: [RecordChange]) async throws {
    let kept = changes.filter(isNamed)
    let before = try await records(deletedBy: kept)
    let withheld = state.withLock { state in
      for change in changes where !isNamed(change) { state.unknown[change.recordName] = change.action }
      return state.unknownCounts
    }
    guard run.kind == .person else { return }
    let entries = kept.map { change in
      // Before its fields were cleared.
      let fields = before[change.recordName]?.fields.merging(change.fields.compactMapValues(\.from)) { $1 }
      return RunRecord.Entry(
        change: change, before: fields?.mapValues(\.withoutAddress), outcome: .unknown)
    }
    try write(RunFileLine(sending: entries, withheld: withheld).json)
  }

  private func records(deletedBy changes: [RecordChange]) async throws -> [String: Record] {
    let names = changes.filter { $0.action == .delete }.map(\.recordName)
    guard !names.isEmpty else { return [:] }
    let records = try await container.existingRecords(names, desiredKeys: nil)
    state.withLock { $0.present.formUnion(records.keys) }
    return records
  }

  /// The service also answers that it deleted a record that does not exist
  /// (Documentation/reference/web-services.md#modify). An undo could not take that back.
  private func settled(_ entry: RunRecord.Entry) -> RunRecord.Entry {
    guard entry.change.action == .delete, entry.outcome == .written,
      !state.withLock({ $0.present.contains(entry.change.recordName) })
    else { return entry }
    return copy(of: entry) { $0.outcome = .found }
  }

  /// Called when the outcome of each sent change is known (`.notSent`: it will be sent again).
  func didRecord(_ entries: [RunRecord.Entry]) throws {
    var withheld = RunRecord.Counts()
    let unknown = state.withLock { state in
      for entry in entries where entry.outcome != .unknown {
        state.unknown[entry.change.recordName] = nil
        guard entry.outcome == .written else { continue }
        state.counts.add(entry.change.action)
        if !isNamed(entry.change) { withheld.add(entry.change.action) }
      }
      return state.unknownCounts
    }
    guard run.kind == .person else { return }
    let kept = entries.filter { isNamed($0.change) }.map(settled)
    if kept.contains(where: \.outcome.mayStand) { state.withLock { $0.isUndoable = true } }
    let settled = kept.map {
      RunFileLine.Settled(recordName: $0.change.recordName, outcome: $0.outcome, changeTag: $0.tagAfter)
    }
    try write(
      RunFileLine(settled: settled, withheld: withheld.total > 0 ? withheld : nil, unknown: unknown).json)
  }

  func end(at moment: Timestamp) throws {
    let (counts, unknown) = state.withLock { ($0.counts, $0.unknownCounts) }
    let isJob = run.kind == .job
    try write(RunFileLine(unknown: isJob ? unknown : nil, ended: moment, counts: isJob ? counts : nil).json)
  }

  private func write(_ line: JSONValue) throws {
    let bytes = line.bytes() + [UInt8(ascii: "\n")]
    try file.withLock { file in
      guard state.withLock({ $0.size + bytes.count <= maxSize }) else {
        // A larger file could not be read for an undo.
        throw CommandFailure(
          "the history of this run would exceed \(maxSize >> 20) MiB, so the rest was not sent",
          code: "history-full", hint: "Run the command again: it writes the rest as a run of its own.")
      }
      if let failure = state.withLock(\.failure) { throw failure }
      do throws(FileFailure) { try file.append(bytes) } catch {
        state.withLock { $0.failure = error }
        throw error
      }
      state.withLock { $0.size += bytes.count }
    }
  }
}

/// The record types whose records users of the apps may create. They are personal, so the history stores neither
/// their names nor their values, and their changes cannot be undone.
package struct UserCreatedRecordTypes: Sendable {
  private let schema: Schema?
  private let catalogTypes: Set<String>

  /// - Parameters:
  ///   - schema: `nil` when it is not known; then every type counts as made by users.
  ///   - catalogTypes: types that belong to no user, although users may create records of them.
  package init(_ schema: Schema?, except catalogTypes: Set<String> = []) {
    self.schema = schema
    self.catalogTypes = catalogTypes
  }

  /// Also true for a type that the schema does not have.
  package func contains(_ recordType: String) -> Bool {
    guard !catalogTypes.contains(recordType) else { return false }
    guard let type = schema?[recordType: recordType] else { return true }
    return type.isMadeByUsers
  }

  /// How many of the changes cannot be undone, by type, sorted.
  package func irreversible(_ changes: [RecordChange]) -> [(recordType: String, count: Int)] {
    let types = Dictionary(grouping: changes.filter { contains($0.recordType) }, by: \.recordType)
    return types.map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
  }
}
