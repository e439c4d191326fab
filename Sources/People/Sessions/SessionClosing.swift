internal import Catalog
package import CloudKitModel
package import Diagnostics
package import RecordChanges
internal import SchemaLanguage

/// Marks live sessions as over when their end has passed, or when they were not used for long: the host's app does not
/// do it when it was closed before. The participants of a session that is over leave, and its count follows.
///
/// A record that another client wrote meanwhile stays as it is. A run that was stopped is continued by the next.
package struct SessionClosing: Sendable {
  private let container: any Container
  private let endedBefore: TimeOrAge
  private let idle: Duration?
  private let settle: Duration

  /// - Parameters:
  ///   - idle: sessions without an end are over that were not joined, written in or changed for this long; `nil` for none.
  ///   - settle: how long the index may lag behind the records: what happened in the last moments may be missing in it.
  package init(container: any Container, endedBefore: TimeOrAge, idle: Duration? = nil, settle: Duration) {
    self.container = container
    self.endedBefore = endedBefore
    self.idle = idle
    self.settle = settle
  }

  /// Throws what ``run(through:)`` would of the moment, before it has read sessions.
  package func check() async throws { _ = try await container.clock.certainTime(before: endedBefore) }

  /// Closes the sessions that are over.
  ///
  /// Throws `UncertainServiceTime`, errors of reading, and ``CommandFailure`` for a container without live sessions.
  /// Refused changes are in the result.
  ///
  /// - Parameter writer: `nil` for a dry run.
  package func run(through writer: JobWriter?) async throws -> SessionClosingResult {
    let now = try await container.clock.certainTime()
    let moment = try await container.clock.certainTime(before: endedBefore)
    guard let sessions = try await ActiveSessions.read(from: container, endedBefore: moment) else {
      throw CommandFailure.noLiveSessions(LiveSessionRecordType.session)
    }
    let participants = try await activeParticipants()
    let unused = try await unused(sessions, participants, at: now)
    var result = SessionClosingResult(
      sessions: sessions, unused: idle.map { _ in unused.count }, isDryRun: writer == nil)
    let planned = (sessions.ended + unused).compactMap(\.closing)
    let earlier = try await closedBefore(participants, sessions)
    var over = earlier.over
    result.isUnread = !earlier.refusals.isEmpty
    result.add(ChangeReport(results: participants.compactMap { $0.staying(earlier.refusals, at: now) }))
    guard let writer else {
      over.formUnion(planned.map(\.recordName))
      result.left = participants.count { $0.isIn(over) }
      return result
    }
    // Counts come before participants leave: without active ones, the run after a stopped one would not find a session.
    result.add(try await writer.apply(counts(of: over, []), policy: .reapply))
    guard !result.isInterrupted else { return result }
    let closing = try await writer.apply(planned, policy: .refuse)
    result.closed = result.add(closing)
    over.formUnion(closing.written)
    guard !result.isInterrupted else { return result }
    let leaving = try await writer.apply(
      participants.filter { $0.isIn(over) }.compactMap { $0.leaving(at: now) }, policy: .refuse)
    result.left = result.add(leaving)
    guard !result.isInterrupted else { return result }
    let gone = leaving.written
    let remaining = participants.filter { $0.isIn(over) && !gone.contains($0.recordName) }
    result.add(try await writer.apply(counts(of: over, remaining), policy: .reapply))
    return result
  }

  private func unused(
    _ sessions: ActiveSessions, _ participants: [Record], at now: Timestamp
  ) async throws -> [Record] {
    guard let idle else { return [] }
    let moment = now - settle - idle
    // Who comes back does not create a record.
    let visited = Set(
      participants.filter { $0.isTouched(since: moment) }.compactMap { $0["sessionId"]?.string })
    let quiet = sessions.withoutEnd.filter { session in
      !visited.contains(session.recordName) && !session.isTouched(since: moment)
        && (session["startTime"]?.timestamp).map { $0 < moment } ?? true
    }
    let used = try await used(among: quiet.map(\.recordName).sorted(), since: moment)
    return quiet.filter { !used.contains($0.recordName) }
  }

  /// The sessions that are marked as over, and still have active participants; and why others may not be read. Users may
  /// write any name.
  private func closedBefore(
    _ participants: [Record], _ sessions: ActiveSessions
  ) async throws -> (over: Set<String>, refusals: [String: ServerError]) {
    let names = Set(participants.compactMap { $0["sessionId"]?.string }).subtracting(sessions.names)
      .filter(Record.isName).sorted()
    let outcomes = zip(names, try await container.lookupAll(names, desiredKeys: ["isActive"]))
    let refusals = Dictionary(
      uniqueKeysWithValues: outcomes.filter { $1.error?.code == .accessDenied }.map { ($0, $1.error) }
    ).compactMapValues(\.self)
    let found = try outcomes.filter { refusals[$0.0] == nil }.compactMap { try $1.found }
    let over = found.filter { $0.recordType == Types.session && $0["isActive"]?.flag == false }
    return (Set(over.map(\.recordName)), refusals)
  }

  /// The changes that give sessions the number of their participants.
  private func counts(of names: Set<String>, _ participants: [Record]) async throws -> [RecordChange] {
    let number = Dictionary(grouping: participants) { $0["sessionId"]?.string ?? "" }.mapValues(\.count)
    return try await container.lookupAll(names.sorted(), desiredKeys: ["currentParticipants"])
      .compactMap { try $0.found }.compactMap { session in
        .toward(
          ["currentParticipants": FieldValue.int64(Int64(number[session.recordName] ?? 0))], of: session)
      }
  }

  private typealias Types = LiveSessionRecordType

  /// The participants that are marked active. A container without the type has none.
  private func activeParticipants() async throws -> [Record] {
    let active = Query(Types.participant, filters: [Filter("isActive", equals: .flag(true))])
    do {
      return try await container.allRecords(active, desiredKeys: ["sessionId", "isActive", "leftAt"])
        .keyed(by: \.recordName).values.sorted { $0.recordName < $1.recordName }
    } catch let refusal as ServerError where refusal.code == .notFound { return [] }
  }

  /// The sessions that a person joined, or wrote a message in, at or after a moment.
  ///
  /// A request is for 100 sessions, and each request after it proves that at least one more of them was used: so a busy
  /// session costs no more than a quiet one.
  private func used(among names: [String], since moment: Timestamp) async throws -> Set<String> {
    var used: Set<String> = []
    for type in [Types.participant, Types.message] {
      for some in names.filter({ !used.contains($0) }).chunks(of: ContainerLimits.namesPerQuery) {
        var asked = Set(some)
        var found: Set<String>
        repeat {
          found = []
          let query = Query(
            type,
            filters: [
              Filter("sessionId", .in, .strings(asked.sorted())),
              Filter(.system(.createdTimestamp), .greaterThanOrEquals, .timestamp(moment)),
            ])
          do {
            try await container.walkPages(of: QueryRequest(query, desiredKeys: ["sessionId"])) { page in
              found = asked.intersection(page.records.compactMap { $0["sessionId"]?.string })
              return found.isEmpty
            }
          } catch let refusal as ServerError where refusal.code == .notFound {}
          used.formUnion(found)
          asked.subtract(found)
        } while !found.isEmpty && !asked.isEmpty
      }
    }
    return used
  }
}

extension Record {
  fileprivate func isIn(_ sessions: Set<String>) -> Bool {
    (self["sessionId"]?.string).map(sessions.contains) ?? false
  }

  fileprivate func isTouched(since moment: Timestamp) -> Bool {
    [created, modified].contains { ($0?.timestamp).map { $0 >= moment } ?? false }
  }

  fileprivate var closing: RecordChange? {
    .toward(["isActive": FieldValue.flag(false), "currentParticipants": .int64(0)], of: self)
  }

  fileprivate func leaving(at time: Timestamp) -> RecordChange? {
    .toward(["isActive": FieldValue.flag(false), "leftAt": .timestamp(time)], of: self)
  }

  /// The change that is not made because the participant's session may not be read.
  fileprivate func staying(
    _ refusals: [String: ServerError], at time: Timestamp
  ) -> (change: RecordChange, outcome: ChangeReport.Outcome)? {
    guard let session = self["sessionId"]?.string, var refusal = refusals[session],
      let change = leaving(at: time)
    else { return nil }
    refusal.reason += " (session \(session.nameWithoutPerson))"
    return (change, .failed(refusal))
  }
}

extension ChangeReport {
  fileprivate var written: Set<String> {
    Set(
      results.filter { $0.outcome == .applied || $0.outcome == .alreadyApplied }.map(\.change.recordName))
  }
}

package struct SessionClosingResult: Report {
  let sessions: ActiveSessions
  /// How many sessions without an end are unused; `nil` if these were not looked at.
  let unused: Int?
  let isDryRun: Bool
  var closed = 0
  /// Participants that left, or would leave in a dry run.
  var left = 0
  /// Whether sessions of participants may not be read.
  var isUnread = false
  var report = WriteSummary()

  /// Adds a report, and returns how many of its changes are in the container.
  @discardableResult mutating func add(_ changes: ChangeReport) -> Int {
    report.add(changes)
    return changes.applied + changes.alreadyApplied
  }

  var isInterrupted: Bool { report.interruption != nil }
  private var idle: Int { unused ?? 0 }
  private var over: Int { sessions.ended.count + idle }
  private var withoutEnd: Int { sessions.withoutEnd.count - idle }

  package var failure: CommandFailure? {
    var failure = report.failure
    failure?.status = report.status(leavingMore: isUnread)
    return failure
  }
  package var isConfirmation: Bool { report.isComplete && !isDryRun }
  package var urgent: ReportBody? { isDryRun ? nil : ReportBody() }
  package var tally: Tally? { "\(closed, "session") closed\(report.unknownPart)" }

  package var metrics: [Metric] {
    [
      Metric(
        MetricFamily("sessions_ended", "Active sessions past their end that the last run found"),
        sessions.ended.count),
      Metric(
        MetricFamily("sessions_idle", "Sessions that the last run found to be unused"), idle),
      Metric(MetricFamily("sessions_closed", "Sessions that the last run closed"), closed),
      Metric(
        MetricFamily("sessions_participants_left", "Participants that the last run marked as left"),
        isDryRun ? 0 : left),
    ]
  }

  package var json: JSONValue {
    .object([
      "active": sessions.total.json, "ended": sessions.ended.count.json, "idle": idle.json,
      "closed": closed.json, "left": left.json, "withoutEnd": withoutEnd.json,
      "complete": report.isComplete.json, "dryRun": isDryRun.json,
      "remaining": report.isComplete ? nil : report.remainingJSON,
    ])
  }

  package var body: ReportBody {
    let found = counted(over, "session") + (idle > 0 ? ", \(idle) of them without a visitor for long" : "")
    let participants = counted(left, "participant")
    isDryRun ? "would close \(found)" : "closed \(closed) of \(found)\(report.unknownPart)"
    if left > 0 { isDryRun ? "\(participants) would leave" : "\(participants) left" }
    if withoutEnd > 0 {
      "\(counted(withoutEnd, "active session")) without endTime: "
        + (unused == nil ? "the host's app closes them, or --idle" : "used lately")
    }
  }
}

extension CommandFailure {
  fileprivate static func noLiveSessions(_ recordType: String) -> CommandFailure {
    CommandFailure(
      "the container has no record type \(recordType)", code: "missing-record-type",
      hint:
        "'celestra-admin schema init live-sessions.ckdb --template sessions' writes a schema that declares it. For types of your own there are 'records update' and 'records delete TYPE --before'."
    )
  }
}

/// Deletes messages of live sessions whose time is over. Those with a report that no moderator has decided about stay.
package struct MessagePurge: Purge {
  private let container: any Container
  private let moment: TimeOrAge
  private let reports: ModerationDeclaration.Reports

  package init(
    container: any Container, createdBefore moment: TimeOrAge, reports: ModerationDeclaration.Reports
  ) {
    self.container = container
    self.moment = moment
    self.reports = reports
  }

  package func check() async throws { _ = try await container.clock.certainTime(before: moment) }

  /// Deletes the messages, also of sessions that are over. Also throws `UncertainServiceTime`, and a usage error for a
  /// moment in the future.
  package func run(through writer: JobWriter?, limit: Int?) async throws -> PurgeResult {
    let cutoff = try await container.clock.certainTime(before: moment)
    var purge = RecordPurge("message", in: container, limit: limit, through: writer)
    let old = Query(
      LiveSessionRecordType.message,
      filters: [Filter(.system(.createdTimestamp), .lessThan, .timestamp(cutoff))])
    let reported: Set<String>
    do {
      reported = try await reports.waitingTargets(in: container)
    } catch let refusal as ServerError where refusal.code == .notFound { reported = [] }
    do { try await purge.deleteAll(old, desiredKeys: []) { _ in reported } } catch let refusal as ServerError
      where refusal.code == .notFound
    {
      throw CommandFailure.noLiveSessions(LiveSessionRecordType.message)
    }
    return purge.result
  }
}
