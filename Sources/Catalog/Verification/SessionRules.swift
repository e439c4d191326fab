import CloudKitModel
import Diagnostics

/// Finds private sessions in the public database, where `isPrivate` does not keep other users from reading them.
struct PrivateSessionRule: VerificationRule {
  private var sessions: Set<String> = []
  private var messages: [String: Int] = [:]

  var keys: [String: [String]] {
    [LiveSessionRecordType.session: ["isPrivate"], LiveSessionRecordType.message: ["sessionId"]]
  }

  mutating func visit(_ record: Record) {
    switch record.recordType {
    case LiveSessionRecordType.session where record["isPrivate"]?.flag == true:
      sessions.insert(record.recordName)
    case LiveSessionRecordType.message:
      if let session = record["sessionId"]?.string { messages[session, default: 0] += 1 }
    default: break
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    sessions.sorted().flatMap { session -> [Diagnostic] in
      let row = VerificationCode.privateSession.finding(
        "session \(session) is marked private, and everyone signed in can read it",
        help: "keep private sessions in a shared zone of the private database, and delete this one: "
          + VerificationHelp.delete([session]))
      guard let count = messages[session] else { return [row] }
      let open = VerificationCode.privateMessages.finding(
        "\(LiveSessionRecordType.message.counted(count)) of the private session \(session) can be read by everyone "
          + "signed in",
        help: "delete them: "
          + VerificationHelp.delete(LiveSessionRecordType.message, where: "sessionId", is: session))
      return [row, open]
    }
  }
}

/// Finds sessions that end before they begin.
struct SessionTimesRule: VerificationRule {
  private var sessions = RecordNameSample()
  private var participants = 0

  var keys: [String: [String]] {
    [
      LiveSessionRecordType.session: ["startTime", "endTime"],
      LiveSessionRecordType.participant: ["joinedAt", "leftAt"],
    ]
  }

  mutating func visit(_ record: Record) {
    switch record.recordType {
    case LiveSessionRecordType.session where record.isReversed("startTime", "endTime"):
      sessions.add(record.recordName)
    case LiveSessionRecordType.participant where record.isReversed("joinedAt", "leftAt"): participants += 1
    default: break
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    var found: [Diagnostic] = []
    if sessions.count > 0 {
      let text = sessions.text(of: LiveSessionRecordType.session)
      found.append(
        VerificationCode.impossibleTimes.finding(
          "endTime is before startTime in \(text)",
          help: "correct the times: "
            + VerificationHelp.update(LiveSessionRecordType.session, sessions.examples.first ?? "")))
    }
    if participants > 0 {
      let text = LiveSessionRecordType.participant.counted(participants)
      found.append(
        VerificationCode.impossibleTimes.finding(
          "leftAt is before joinedAt in \(text)",
          help: "find them, then correct them: \(VerificationHelp.export(LiveSessionRecordType.participant))")
      )
    }
    return found
  }
}

/// Finds sessions that are active after their end.
struct SessionEndRule: VerificationRule {
  let now: Timestamp
  private var sessions = RecordNameSample()

  init(now: Timestamp) { self.now = now }

  var keys: [String: [String]] { [LiveSessionRecordType.session: ["endTime", "isActive"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == LiveSessionRecordType.session, record["isActive"]?.flag == true,
      let end = record["endTime"]?.timestamp, end < now
    else { return }
    sessions.add(record.recordName)
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    guard sessions.count > 0 else { return [] }
    let text = sessions.text(of: LiveSessionRecordType.session)
    return [
      VerificationCode.activePastEnd.finding(
        "isActive is 1 after endTime in \(text)",
        help: "set isActive to 0: celestra-admin sessions close")
    ]
  }
}

/// Finds sessions with more active participants than they allow.
struct SessionCapacityRule: VerificationRule {
  private var limits: [String: Int64] = [:]
  private var active: [String: Int64] = [:]

  var keys: [String: [String]] {
    [
      LiveSessionRecordType.session: ["maxParticipants"],
      LiveSessionRecordType.participant: ["sessionId", "isActive"],
    ]
  }

  mutating func visit(_ record: Record) {
    switch record.recordType {
    case LiveSessionRecordType.session: limits[record.recordName] = record["maxParticipants"]?.int64
    case LiveSessionRecordType.participant where record["isActive"]?.flag == true:
      if let session = record["sessionId"]?.string { active[session, default: 0] += 1 }
    default: break
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    limits.sorted { $0.key < $1.key }.compactMap { session, limit in
      guard let count = active[session], limit > 0, count > limit else { return nil }
      return VerificationCode.overCapacity.finding(
        "session \(session) has \(count) active participants; its limit is \(limit)",
        help: "see who is active: "
          + VerificationHelp.query(LiveSessionRecordType.participant, where: "sessionId", is: session))
    }
  }
}

extension Record {
  fileprivate func isReversed(_ start: String, _ end: String) -> Bool {
    guard let start = self[start]?.timestamp, let end = self[end]?.timestamp else { return false }
    return end < start
  }
}
