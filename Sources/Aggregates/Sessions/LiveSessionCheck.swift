public import CloudKitModel
public import Diagnostics

/// Looks for live sessions and participants that contradict each other (needs.md statements 97 and 98).
///
/// Reads; never writes. No user's name, id or display name is asked for, so none can be printed.
public struct LiveSessionCheck: Sendable {
  private struct Session {
    var isActive = false
    var participants: Int64 = 0
    var capacity: Int64?
    var isPastEnd = false
    var endsBeforeStart = false
  }

  private let container: any Container
  private let now: Timestamp

  /// `nil` unless the aggregate counts the participants of live sessions.
  public init?(_ declaration: AggregateDeclaration, container: any Container, now: Timestamp) {
    guard declaration.source == AggregateDeclaration.participants.source else { return nil }
    self.init(container: container, now: now)
  }

  public init(container: any Container, now: Timestamp) {
    self.container = container
    self.now = now
  }

  /// The findings, sessions in order of their record names:
  /// `LS0101` active past its end, `LS0102` over capacity, `LS0103` ends before it starts,
  /// `LS0104` participants of no session, `LS0105` participants who left before they joined.
  public func run() async throws -> [Diagnostic] {
    var sessions = try await readSessions()
    let (orphans, reversed) = try await countParticipants(into: &sessions)
    var findings = sessions.sorted { $0.key < $1.key }.flatMap { self.findings(of: $0.value, named: $0.key) }
    if orphans > 0 {
      findings.append(Diagnostic("LS0104", .warning, "\(orphans) participants belong to no session"))
    }
    if reversed > 0 {
      findings.append(Diagnostic("LS0105", .warning, "\(reversed) participants left before they joined"))
    }
    return findings
  }

  private func readSessions() async throws -> [String: Session] {
    var sessions: [String: Session] = [:]
    let keys = ["isActive", "startTime", "endTime", "maxParticipants"]
    try await container.forEachPage(of: Query("LiveSession"), desiredKeys: keys) { page in
      for record in page.records {
        var session = Session(isActive: record["isActive"]?.flag ?? false)
        session.capacity = record["maxParticipants"]?.int64.flatMap { $0 > 0 ? $0 : nil }
        if let end = record["endTime"]?.timestamp {
          session.isPastEnd = end < now
          session.endsBeforeStart = record["startTime"]?.timestamp.map { end < $0 } ?? false
        }
        sessions[record.recordName] = session
      }
    }
    return sessions
  }

  private func countParticipants(
    into sessions: inout [String: Session]
  ) async throws -> (orphans: Int, reversed: Int) {
    var counts: [String: Int64] = [:]
    var orphans = 0
    var reversed = 0
    let known = Set(sessions.keys)
    let keys = ["sessionId", "isActive", "joinedAt", "leftAt"]
    try await container.forEachPage(of: Query("LiveSessionParticipant"), desiredKeys: keys) { page in
      for record in page.records {
        if let joined = record["joinedAt"]?.timestamp, let left = record["leftAt"]?.timestamp, left < joined {
          reversed += 1
        }
        guard let session = record["sessionId"]?.groupName, known.contains(session) else {
          orphans += 1
          continue
        }
        if record["isActive"]?.flag == true { counts[session, default: 0] += 1 }
      }
    }
    for (name, count) in counts { sessions[name]?.participants = count }
    return (orphans, reversed)
  }

  private func findings(of session: Session, named name: String) -> [Diagnostic] {
    var findings: [Diagnostic] = []
    if session.isActive, session.isPastEnd {
      findings.append(Diagnostic("LS0101", .warning, "session \(name) is past its end and still active"))
    }
    if let capacity = session.capacity, session.participants > capacity {
      let message = "session \(name) has \(session.participants) active participants for \(capacity) places"
      findings.append(Diagnostic("LS0102", .warning, message))
    }
    if session.endsBeforeStart {
      findings.append(Diagnostic("LS0103", .warning, "session \(name) ends before it starts"))
    }
    return findings
  }
}
