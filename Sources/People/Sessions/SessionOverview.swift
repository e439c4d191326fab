internal import Catalog
package import CloudKitModel
package import Diagnostics

/// How the live sessions of a container are doing.
package struct SessionOverview: Sendable {
  private let active: ActiveSessions
  /// Records with a report that waits for a decision, and the sessions that they are or belong to; `nil` when this key
  /// may not read reports, or the container has none.
  private let reported: (records: Int, sessions: Int)?
  private var unread: UnreadType?

  /// Reads the active sessions and the open reports; `nil` if the container has no live sessions.
  ///
  /// Throws the container's errors.
  ///
  /// - Parameter moment: sessions with an earlier end are over.
  package static func read(from container: any Container, endedBefore moment: Timestamp) async throws
    -> SessionOverview?
  {
    guard let active = try await ActiveSessions.read(from: container, endedBefore: moment) else { return nil }
    do {
      let targets = try await ModerationDeclaration.Reports().waitingTargets(in: container)
      let records = try await container.lookupAll(targets.sorted(), desiredKeys: ["sessionId"])
      let sessions = records.compactMap(\.record).compactMap {
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
      "running": JSONValue(active.running), "full": JSONValue(active.full),
      "stale": JSONValue(active.ended.count), "oldestEnd": active.oldestEnd.map { .string($0.iso8601) },
      "reported": reported.map { JSONValue($0.sessions) },
      "reportedRecords": reported.map { JSONValue($0.records) }, "unread": unread.map { .array([$0.json]) },
    ])
  }

  /// `Live sessions: 3 running, 1 of them full.`
  package var summary: String {
    let full = active.full > 0 ? ", \(active.full) of them full" : ""
    return
      "Live sessions: \(active.running) running\(full)\(unread.map { "; reported: unknown, because \($0.clause)" } ?? "")."
  }

  /// What to do, a sentence each.
  package var advice: [String] {
    var advice: [String] = []
    if let end = active.oldestEnd {
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
  /// The names of the records about which reports wait. Throws the container's errors: `notFound` without the type of
  /// reports, and `accessDenied` for a key that may not read them.
  package func waitingTargets(in container: any Container) async throws -> Set<String> {
    var targets: Set<String> = []
    try await container.forEachPage(of: open, desiredKeys: [target]) { page in
      targets.formUnion(page.records.compactMap { $0[target]?.string }.filter { !$0.isEmpty })
    }
    return targets
  }
}
