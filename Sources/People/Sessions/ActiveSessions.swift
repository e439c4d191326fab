internal import Catalog
package import CloudKitModel

/// The live sessions that are marked active, as one reading of a container found them.
package struct ActiveSessions: Sendable {
  /// Sessions that are active after their end, as their hosts' apps leave them when they are closed or crash.
  package struct Stale: Sendable {
    package let count: Int
    /// When the first of them ended; `nil` without any.
    package let oldestEnd: Timestamp?
  }

  /// Active sessions that have an end before the moment of the reading.
  let ended: [Record]
  /// Active sessions without an end, which only their hosts can close.
  package let withoutEnd: Int
  package let total: Int

  package var stale: Stale {
    Stale(count: ended.count, oldestEnd: ended.compactMap { $0["endTime"]?.timestamp }.min())
  }

  /// Reads the active sessions; `nil` if the container has no live sessions.
  ///
  /// Throws the container's errors.
  ///
  /// - Parameter moment: sessions with an earlier end are stale.
  package static func read(from container: any Container, endedBefore moment: Timestamp) async throws
    -> ActiveSessions?
  {
    let active = Query(
      LiveSessionRecordType.session, filters: [Filter("isActive", equals: .flag(true))])
    var ended: [Record] = []
    var (withoutEnd, total) = (0, 0)
    do {
      try await container.forEachPage(of: active, desiredKeys: ["isActive", "endTime"]) { page in
        total += page.records.count
        withoutEnd += page.records.count { $0["endTime"]?.timestamp == nil }
        ended += page.records.filter { ($0["endTime"]?.timestamp).map { $0 < moment } ?? false }
      }
    } catch let refusal as ServerError where refusal.code == .notFound {
      return nil
    }
    return ActiveSessions(ended: ended, withoutEnd: withoutEnd, total: total)
  }
}
