internal import Catalog
package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

/// How the live sessions of a container are doing.
package struct SessionOverview: Sendable {
  /// `nil` when the container is a mirror without sessions.
  private let active: ActiveSessions?
  /// Records with a report that waits for a decision, and the sessions that they are or belong to; `nil` when this key
  /// may not read reports, or the container has none.
  private let reported: (records: Int, sessions: Int)?
  private var unread: UnreadType?

  /// Reads the active sessions and the open reports; `nil` if the container has no live sessions.
  package static func read(from container: any Container, endedBefore moment: Timestamp) async throws
    -> SessionOverview?
  {
    let active: ActiveSessions
    do {
      guard let read = try await ActiveSessions.read(from: container, endedBefore: moment) else { return nil }
      active = read
    } catch let refusal as ServerError where refusal.copying != nil {
      return SessionOverview(
        active: nil, reported: nil, unread: UnreadType(LiveSessionRecordType.session, refusal))
    }
    do {
      let targets = try await ModerationDeclaration.Reports().waitingTargets(in: container)
      let records = try await container.readableRecords(targets, desiredKeys: ["sessionId"]).values
      let sessions = records.compactMap {
        $0.recordType == LiveSessionRecordType.session ? $0.recordName : $0["sessionId"]?.string
      }
      return SessionOverview(active: active, reported: (targets.count, Set(sessions).count))
    } catch let refusal as ServerError where [.accessDenied, .notFound].contains(refusal.code) {
      let type = ModerationDeclaration.Reports().recordType
      return SessionOverview(
        active: active, reported: nil,
        unread: refusal.code == .accessDenied ? UnreadType(type, refusal) : nil)
    }
  }

  package var json: JSONValue {
    .object([
      "running": active?.running.json, "full": active?.full.json, "stale": active?.ended.count.json,
      "oldestEnd": active?.oldestEnd?.iso8601.json, "reported": reported.map { JSONValue($0.sessions) },
      "reportedRecords": reported.map { JSONValue($0.records) }, "unread": unread.map { .array([$0.json]) },
    ])
  }

  /// `Live sessions: 3 running, 1 of them full.`
  package var summary: String {
    guard let active else { return "Live sessions: unknown\(unread.map { ", because \($0.clause)" } ?? "")." }
    let full = active.full > 0 ? ", \(active.full) of them full" : ""
    return
      "Live sessions: \(active.running) running\(full)\(unread.map { "; reported: unknown, because \($0.clause)" } ?? "")."
  }

  package var advice: [String] {
    var advice: [String] = []
    if let active, let end = active.oldestEnd {
      let count = active.ended.count
      let subject = count == 1 ? "1 live session is" : "\(count) live sessions are"
      advice.append(
        "\(subject) active after the end, the first since \(end.iso8601): run 'celestra-admin sessions close'."
      )
    }
    if let reported, reported.records > 0 {
      let verb = reported.records == 1 ? "waits" : "wait"
      let place = reported.sessions > 0 ? ", in \(counted(reported.sessions, "session"))" : ""
      advice.append(
        "\(counted(reported.records, "reported record")) \(verb) for a moderator\(place): run 'celestra-admin moderation list'."
      )
    }
    return advice
  }
}

extension ModerationDeclaration.Reports {
  /// The names of the records about which reports wait, as the queue lists them. Throws the container's errors: `notFound`
  /// without the type of reports, and `accessDenied` for a key that may not read them.
  package func waitingTargets(in container: any Container) async throws -> Set<String> {
    var targets: Set<String> = []
    try await container.forEachPage(of: open, desiredKeys: [target]) { page in
      targets.formUnion(page.records.map(subject))
    }
    return targets
  }
}

/// The live sessions that are marked active, as one reading of a container found them.
package struct ActiveSessions: Sendable {
  /// Active sessions that have an end before the moment of the reading, as their hosts' apps leave them when they are
  /// closed or crash.
  package private(set) var ended: [Record] = []
  /// Active sessions without an end, which only their hosts can close, or their silence.
  private(set) var withoutEnd: [Record] = []
  package private(set) var total = 0
  /// Those that are not over and have as many participants as they allow, by the last count.
  package private(set) var full = 0
  private(set) var names: Set<String> = []

  package var running: Int { total - ended.count }

  /// When the first of the ``ended`` sessions ended; `nil` without any.
  package var oldestEnd: Timestamp? { ended.compactMap { $0["endTime"]?.timestamp }.min() }

  /// Reads the active sessions; `nil` if the container has no live sessions.
  ///
  /// Throws the container's errors.
  ///
  /// - Parameter moment: sessions with an earlier end are over.
  package static func read(from container: any Container, endedBefore moment: Timestamp) async throws
    -> ActiveSessions?
  {
    let active = Query(LiveSessionRecordType.session, filters: [Filter("isActive", equals: .flag(true))])
    let keys = ["isActive", "startTime", "endTime", "currentParticipants", "maxParticipants"]
    var sessions = ActiveSessions()
    do {
      try await container.forEachRecord(of: active, desiredKeys: keys) { sessions.add($0, at: moment) }
    } catch let refusal as ServerError where refusal.code == .notFound {
      return nil
    }
    return sessions
  }

  private mutating func add(_ session: Record, at moment: Timestamp) {
    guard names.insert(session.recordName).inserted else { return }
    total += 1
    let end = session["endTime"]?.timestamp
    if let end, end < moment { return ended.append(session) }
    if end == nil { withoutEnd.append(session) }
    if let limit = session["maxParticipants"]?.int64, limit > 0,
      session["currentParticipants"]?.int64 ?? 0 >= limit
    {
      full += 1
    }
  }
}
