internal import Catalog
package import CloudKitModel

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
  /// The record names of all of them.
  private(set) var names: Set<String> = []

  /// Those that are not over.
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
    let active = Query(
      LiveSessionRecordType.session, filters: [Filter("isActive", equals: .flag(true))])
    let keys = ["isActive", "startTime", "endTime", "currentParticipants", "maxParticipants"]
    var sessions = ActiveSessions()
    do {
      try await container.forEachPage(of: active, desiredKeys: keys) { page in
        for record in page.records { sessions.add(record, at: moment) }
      }
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
