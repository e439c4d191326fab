import CloudKitModel
import Diagnostics

/// Finds sessions that everyone can read although they are private, that end before they begin, that are active after
/// their end, and that have more active participants than they allow. As for the commands of sessions, only isActive 1 is
/// active; another flag than 0 and 1 is reported at the session's end, because no command clears it.
struct LiveSessionRule: VerificationRule {
  private let now: Timestamp
  private var privateSessions: Set<String> = []
  private var messages: [String: Int] = [:]
  private var reversed = RecordNameSample()
  private var reversedParticipants = 0
  /// By isActive.
  private var ended: [Int64: RecordNameSample] = [:]
  private var limits: [String: Int64] = [:]
  private var active: [String: Int64] = [:]

  private typealias Types = LiveSessionRecordType

  init(now: Timestamp) { self.now = now }

  var keys: [String: [String]] {
    [
      Types.session: ["isPrivate", "startTime", "endTime", "isActive", "maxParticipants"],
      Types.participant: ["joinedAt", "leftAt", "sessionId", "isActive"], Types.message: ["sessionId"],
    ]
  }

  mutating func visit(_ record: Record) {
    let name = record.recordName
    let flag = record["isActive"]?.int64 ?? 0
    switch record.recordType {
    case Types.session:
      if record["isPrivate"]?.flag == true { privateSessions.insert(name) }
      if record.isReversed("startTime", "endTime") { reversed.add(name) }
      if flag != 0, let end = record["endTime"]?.timestamp, end < now {
        ended[flag, default: RecordNameSample()].add(name)
      }
      limits[name] = record["maxParticipants"]?.int64
    case Types.participant:
      if record.isReversed("joinedAt", "leftAt") { reversedParticipants += 1 }
      if flag == 1, let session = record["sessionId"]?.string { active[session, default: 0] += 1 }
    case Types.message:
      if let session = record["sessionId"]?.string { messages[session, default: 0] += 1 }
    default: break
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    var found: [Diagnostic] = []
    // `isPrivate` does not keep other users from reading a session.
    for session in privateSessions.sorted() {
      found.report(
        VerificationCode.privateSession,
        "session \(session) is marked private, and everyone signed in can read it",
        help: "keep private sessions in a shared zone of the private database, and delete this one: "
          + VerificationHelp.delete([session]))
      guard let count = messages[session] else { continue }
      found.report(
        VerificationCode.privateMessages,
        "\(counted(count, "\(Types.message) record")) of the private session \(session) can be read by everyone signed in",
        help: "delete them: " + VerificationHelp.delete(Types.message, where: "sessionId", is: session))
    }
    reportTimes(&found)
    for (session, limit) in limits.sorted(by: { $0.key < $1.key }) {
      guard let count = active[session], limit > 0, count > limit else { continue }
      found.report(
        VerificationCode.overCapacity,
        "session \(session) has \(count) active participants; its limit is \(limit)",
        help: "see who is active: "
          + VerificationHelp.query(Types.participant, where: "sessionId", is: session))
    }
    return found
  }

  private func reportTimes(_ found: inout [Diagnostic]) {
    if reversed.count > 0 {
      found.report(
        VerificationCode.impossibleTimes,
        "endTime is before startTime in \(reversed.text(of: Types.session))",
        help: "correct the times: "
          + VerificationHelp.update(Types.session, reversed.examples.first ?? ""))
    }
    if reversedParticipants > 0 {
      found.report(
        VerificationCode.impossibleTimes,
        "leftAt is before joinedAt in \(counted(reversedParticipants, "\(Types.participant) record"))",
        help: "find them, then correct them: \(VerificationHelp.export(Types.participant))")
    }
    for (flag, sessions) in ended.sorted(by: { $0.key < $1.key }) {
      found.report(
        VerificationCode.activePastEnd,
        "isActive is \(flag) after endTime in \(sessions.text(of: Types.session))",
        help: flag == 1
          ? "set isActive to 0: celestra-admin sessions close"
          : "it is neither 0 nor 1, and 'sessions close' closes only 1; set it to 0: "
            + VerificationHelp.set("isActive", to: "0", of: Types.session, sessions.examples.first ?? ""))
    }
  }
}

extension Record {
  fileprivate func isReversed(_ start: String, _ end: String) -> Bool {
    guard let start = self[start]?.timestamp, let end = self[end]?.timestamp else { return false }
    return end < start
  }
}
