internal import Catalog
package import CloudKitModel
internal import Cryptography
package import Diagnostics
internal import Platform
package import SchemaLanguage

/// Simulated live sessions with participants, messages and reports. The same seed gives the same records at the same
/// time, session by session.
///
/// Of ten sessions, six are running, one of them full; one is active after its end, one is active without an end and
/// silent, and two are over. In the first ones each kind of trouble occurs, in a tenth of the others some. What is abusive
/// is so in form only: its words are harmless. A local container stamps each record with the time of what it stands for.
package struct SessionSimulation: RecordSimulation {
  private typealias Types = LiveSessionRecordType

  package let sessions: Int
  package let users: Int
  package let types: [(name: String, fields: [String])]
  private let seed: UInt64
  private let now: Timestamp
  private let fields: [String: Set<String>]
  private var numbers: [String: Int] = [:]

  /// Throws ``CommandFailure`` when the schema has no live sessions. Types and fields that it lacks are left out.
  ///
  /// - Parameter users: from whom hosts and participants are chosen, at least 1.
  package init(_ schema: Schema, sessions: Int, users: Int, seed: UInt64, now: Timestamp) throws {
    let order = [Types.session, Types.participant, Types.message, Types.report]
    let present = order.compactMap { schema[recordType: $0] }
    guard present.first?.name == Types.session else {
      throw CommandFailure.schemaLacks("no record type LiveSession")
    }
    fields = Dictionary(uniqueKeysWithValues: present.map { ($0.name, Set($0.fields.map(\.name))) })
    types = present.map { type in (type.name, type.fields.filter { !$0.isSystem }.map(\.name)) }
    self.sessions = sessions
    self.users = users
    self.seed = seed
    self.now = now
    for record in self { numbers[record.recordType, default: 0] += 1 }
  }

  package var count: Int { numbers.values.reduce(0, +) }
  package var noun: String { "record" }
  package var origin: String {
    "\(counted(sessions, "session")): \(counted(numbers[Types.participant] ?? 0, "participant")), "
      + "\(counted(numbers[Types.message] ?? 0, "message")), \(counted(numbers[Types.report] ?? 0, "report"))"
  }

  package func json(present: Int) -> JSONObject {
    [
      "records": present.json, "users": users.json, "sessions": sessions.json,
      "participants": JSONValue(numbers[Types.participant] ?? 0),
      "messages": JSONValue(numbers[Types.message] ?? 0), "reports": JSONValue(numbers[Types.report] ?? 0),
    ]
  }

  package func makeIterator() -> AnyIterator<Record> {
    var number = 0
    var waiting: [Record] = []
    return AnyIterator {
      while waiting.isEmpty, number < sessions {
        var session = SimulatedSession(number, seed: seed, users: users, now: now)
        waiting = session.records().reversed().filter { fields[$0.recordType] != nil }
        number += 1
      }
      return waiting.popLast().map(known)
    }
  }

  private func known(_ record: Record) -> Record {
    var record = record
    record.fields = record.fields.filter { fields[record.recordType]?.contains($0.key) ?? false }
    return record
  }
}

private struct SimulatedSession {
  private typealias Types = LiveSessionRecordType

  private enum State { case running, full, stale, silent, over }
  private enum Trouble: CaseIterable { case none, advertising, insult, flood, grudge, name, title, gone }

  private static let states: [State] = [
    .running, .full, .running, .stale, .running, .over, .silent, .running, .over, .running,
  ]
  private static let topics = [
    ("Morning Prayer", "prayer"), ("Evening Reading", "study"), ("Psalms for Beginners", "study"),
    ("Parents at Noon", "family"), ("Choir Practice", "music"), ("Quiet Hour", "prayer"),
    ("Letters to the Romans", "study"), ("Young Adults", "community"),
  ]
  private static let names = [
    "Ada", "Ben", "Chiara", "Dmitri", "Emeka", "Fatima", "Grace", "Hiro", "Ines", "Jonas", "Keiko", "Luis",
    "Maja", "Noor", "Olu", "Priya",
  ]
  private static let talk = [
    "Good morning everyone!", "I am here for the first time.", "Welcome!", "Which chapter are we on?",
    "Chapter 3, from verse 12.", "Thank you, that helped me.", "Could you repeat that?",
    "My connection is slow today.", "That is how I read it, too.", "I see it differently, and here is why.",
    "Amen.", "Same time next week?", "See you all.", "Sorry, I have to leave early.",
  ]

  private let number: Int
  private let seed: UInt64
  private let users: Int
  private let state: State
  private let start: Timestamp
  private let now: Timestamp
  private let name: String
  private let end: Timestamp?
  private var random: SeededGenerator
  private var made: [Record] = []

  init(_ number: Int, seed: UInt64, users: Int, now: Timestamp) {
    self.number = number
    self.seed = seed
    self.users = users
    self.now = now
    state = Self.states[number % Self.states.count]
    name = SHA256.digest("\(seed)/session/\(number)").prefix(16).hexadecimal
    random = SeededGenerator(
      seed: SHA256.digest("\(seed)/random/\(number)").prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    let minutes =
      switch state {
      case .running, .full: Int.random(in: 5...90, using: &random)
      case .stale: Int.random(in: 180...1_000, using: &random)
      case .silent: Int.random(in: 400...3_000, using: &random)
      case .over: Int.random(in: 1_000...20_000, using: &random)
      }
    start = now - .seconds(60 * minutes)
    end = state == .stale || state == .over || number % 4 == 0 ? start + .seconds(7200) : nil
  }

  /// The session, its participants, messages and reports, in this order.
  mutating func records() -> [Record] {
    let trouble = trouble
    let topic = Self.topics[Int.random(in: 0..<Self.topics.count, using: &random)]
    let members = members()
    let isOver = state == .over
    add(
      Types.session, name, by: members[0],
      [
        "title": .string(trouble == .title ? "FREE MONEY every evening" : topic.0),
        "details": .string("Everybody is welcome. We begin on time."),
        "category": .string(topic.1), "tags": .strings([topic.1]), "hostId": .string(pseudonym(members[0])),
        "isActive": .flag(!isOver), "isHidden": .flag(false), "isPrivate": .flag(false),
        "createdAt": .timestamp(start), "startTime": .timestamp(start),
        "maxParticipants": .int64(state == .full ? Int64(members.count) : 50),
        "currentParticipants": .int64(isOver ? 0 : Int64(members.count)),
      ].merging(end.map { ["endTime": FieldValue.timestamp($0)] } ?? [:]) { first, _ in first })
    for (place, member) in members.enumerated() { join(member, place, trouble) }
    talk(members)
    cause(trouble, members)
    return made
  }

  private var trouble: Trouble {
    mutating get {
      if number < 2 * Trouble.allCases.count { return Trouble.allCases[number % Trouble.allCases.count] }
      return random.unit() < 0.1 ? Trouble.allCases.randomElement(using: &random) ?? .none : .none
    }
  }

  /// Different users, the host first.
  private mutating func members() -> [Int] {
    var members: [Int] = []
    for _ in 0..<Int.random(in: 3...9, using: &random) {
      let user = Int.random(in: 0..<users, using: &random)
      if !members.contains(user) { members.append(user) }
    }
    return members
  }

  private mutating func join(_ member: Int, _ place: Int, _ trouble: Trouble) {
    let isImpostor = trouble == .name && place == 1
    var fields: [String: FieldValue] = [
      "sessionId": .string(name), "userId": .string(pseudonym(member)),
      "userName": .string(isImpostor ? "Official Support, send me your password" : userName(member)),
      "isHost": .flag(place == 0), "isActive": .flag(state != .over),
      "joinedAt": .timestamp(start + .seconds(40 * place)),
    ]
    if state == .over { fields["leftAt"] = end.map(FieldValue.timestamp) }
    let record = add(Types.participant, "\(name)-\(place)", by: member, fields)
    if isImpostor { report(record, Types.participant, "impersonation", by: 1) }
  }

  private mutating func talk(_ members: [Int]) {
    for index in 0..<Int.random(in: 4...18, using: &random) {
      let member = members[Int.random(in: 0..<members.count, using: &random)]
      say(Self.talk[Int.random(in: 0..<Self.talk.count, using: &random)], by: member, after: 12 * (index + 1))
    }
  }

  private mutating func cause(_ trouble: Trouble, _ members: [Int]) {
    let member = members[members.count - 1]
    switch trouble {
    case .none, .name: break
    case .advertising:
      report(
        say("FREE MONEY for everyone, no scam! Write to me today.", by: member, after: 250), Types.message,
        "spam", by: 4)
    case .insult:
      report(
        say("You are a boiled potato, and so is your soup. Go away.", by: member, after: 251), Types.message,
        "harassment", by: 2, note: "This is about me.")
    case .flood:
      var last = ""
      for index in 0..<35 { last = say("HELLO HELLO HELLO", by: member, after: 252 + index) }
      report(last, Types.message, "spam", by: 3)
    case .grudge:
      report(
        say("I think the second verse is the better one.", by: member, after: 253), Types.message, "other",
        by: 1, note: "I do not agree.")
    case .title: report(name, Types.session, "spam", by: 3)
    case .gone: report("\(name)-deleted", Types.message, "harassment", by: 1)
    }
  }

  @discardableResult private mutating func say(_ text: String, by member: Int, after seconds: Int) -> String {
    add(
      Types.message, "\(name)-m\(made.count)", by: member,
      [
        "sessionId": .string(name), "userId": .string(pseudonym(member)),
        "userName": .string(userName(member)), "message": .string(text), "messageType": .string("text"),
        "timestamp": .timestamp(start + .seconds(seconds)), "isHidden": .flag(false),
      ])
  }

  private mutating func report(
    _ target: String, _ type: String, _ reason: String, by people: Int, note: String? = nil
  ) {
    for _ in 0..<people {
      var fields: [String: FieldValue] = [
        "target": .string(target), "targetType": .string(type), "reason": .string(reason),
        "isOpen": .flag(true),
      ]
      fields["note"] = note.map(FieldValue.string)
      add(
        Types.report, "\(name)-r\(made.count)", by: Int.random(in: 0..<users, using: &random), fields)
    }
  }

  @discardableResult private mutating func add(
    _ type: String, _ recordName: String, by user: Int, _ fields: [String: FieldValue]
  ) -> String {
    let creator = "_" + SHA256.digest("\(seed)/user/\(user)").prefix(16).hexadecimal
    let time = (fields["timestamp"] ?? fields["joinedAt"] ?? fields["createdAt"])?.timestamp
    // A report follows what it is about.
    let created = time ?? (made.last?.created?.timestamp ?? start) + .seconds(20)
    made.append(
      Record(
        recordType: type, recordName: recordName, fields: fields,
        created: RecordStamp(timestamp: min(created, now), userRecordName: creator, deviceID: "")))
    return recordName
  }

  private func pseudonym(_ user: Int) -> String {
    SHA256.digest("\(seed)/\(number)/\(user)").prefix(8).hexadecimal
  }

  private func userName(_ user: Int) -> String { Self.names[user % Self.names.count] }
}
