package import CloudKitModel
package import Cryptography
internal import Diagnostics
internal import RecordChanges

/// What moderators decided about one record, as a record of the type ModerationDecision.
package struct ModerationDecision: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case hide, restore, remove
    /// About the author of the record.
    case block
    /// Takes back a decision to block.
    case unblock
    case uphold
    case dismiss
    /// Takes back a decision about reports, which wait again.
    case reopen

    /// Whether it holds until it is taken back.
    package var stands: Bool { [.hide, .block, .uphold, .dismiss].contains(self) }

    /// What finds the decisions of this kind that hold.
    var standing: [Filter] {
      [Filter("kind", equals: .string(rawValue)), Filter("isStanding", equals: .flag(true))]
    }
  }

  /// The record name.
  package let id: String
  package let kind: Kind
  package let target: String
  package let targetType: String
  package internal(set) var reason: String?
  /// Whether it holds: it is of a kind that ``Kind/stands``, and was not taken back or replaced.
  package internal(set) var isStanding: Bool
  /// Whether it held, and does no longer.
  package var isEnded: Bool { kind.stands && !isStanding }
  /// When the container stored it; `nil` before that.
  package let decided: Timestamp?
  /// The fields that it changed, with their values before it; `nil` where the record had none.
  var formerValues: [String: Int64?] = [:]
  /// The decision to block that it belongs to.
  var block: String?
  /// Of a decision to block: the name of the BlockedUser. Personal data, never to be shown.
  var blockedUser: String?
  /// The decision that it takes back.
  var undoes: String?
  private var changeTag: String?
  var order: (Int64, String) { (decided?.milliseconds ?? 0, id) }

  init(_ kind: Kind, id: String, target: String, targetType: String, reason: String?) {
    self.kind = kind
    self.id = id
    self.target = target
    self.targetType = targetType
    self.reason = reason?.withoutUserRecordNames
    isStanding = kind.stands
    decided = nil
  }

  /// `nil` for a record that this version does not know.
  init?(_ record: Record) {
    guard let kind = record["kind"]?.string.flatMap(Kind.init), let target = record["target"]?.string else {
      return nil
    }
    self.kind = kind
    self.target = target
    id = record.recordName
    targetType = record["targetType"]?.string?.withoutUserRecordNames ?? ""
    reason = record["reason"]?.string?.withoutUserRecordNames
    isStanding = record["isStanding"]?.flag ?? false
    decided = record.created?.timestamp
    formerValues = Self.values(record["formerValues"]?.string)
    block = record["block"]?.string
    blockedUser = record["blockedUser"]?.string
    undoes = record["undoes"]?.string
    changeTag = record.changeTag
  }

  /// The name of a block's decision to hide a record: the same when the block is carried out again, so that it is found
  /// without an index, and another one for a record that its author deleted and made again.
  static func id(of block: String, hiding record: Record) -> String {
    let created = record.created?.timestamp.milliseconds ?? 0
    return "\(block)-\(SHA256.hex("\(record.recordName)|\(created)").prefix(16))"
  }

  private static func values(_ text: String?) -> [String: Int64?] {
    guard let text, let object = try? JSONValue(parsing: Array(text.utf8)).object else { return [:] }
    return object.members.reduce(into: [:]) { $0[$1.key] = .some($1.value.integer) }
  }

  private var formerText: String? {
    formerValues.isEmpty ? nil : formerValues.mapValues { $0?.json ?? .null }.json.text()
  }

  var creation: RecordChange {
    let values: [(String, FieldValue?)] = [
      ("kind", .string(kind.rawValue)), ("target", .string(target)), ("targetType", .string(targetType)),
      ("reason", reason.map(FieldValue.string)), ("isStanding", .flag(isStanding)),
      ("formerValues", formerText.map(FieldValue.string)), ("block", block.map(FieldValue.string)),
      ("blockedUser", blockedUser.map(FieldValue.string)), ("undoes", undoes.map(FieldValue.string)),
    ]
    return RecordChange(
      .create, recordType: ModerationRecordType.decision, recordName: id,
      fields: values.reduce(into: [:]) { $0.note(FieldChange(to: $1.1), of: $1.0) })
  }

  /// The change after which the decision also restores these values.
  func remembering(_ values: [String: Int64?]) -> RecordChange {
    var amended = self
    amended.formerValues.merge(values) { old, _ in old }
    return RecordChange(
      .update, recordType: ModerationRecordType.decision, recordName: id, changeTag: changeTag,
      fields: [
        "formerValues": FieldChange(
          from: formerText.map(FieldValue.string), to: amended.formerText.map(FieldValue.string))
      ])
  }

  /// The change after which the decision no longer holds.
  var ending: RecordChange {
    RecordChange(
      .update, recordType: ModerationRecordType.decision, recordName: id, changeTag: changeTag,
      fields: ["isStanding": FieldChange(from: .flag(true), to: .flag(false))])
  }

  var json: JSONValue {
    .object([
      "decision": id.json, "kind": kind.rawValue.json, "target": target.nameWithoutPerson.json,
      "targetType": targetType.json,
      "decided": decided?.iso8601.json, "reason": reason?.json, "standing": isStanding.json,
      "block": block?.json, "undoes": undoes?.json,
    ])
  }
}

/// A word, a phrase, or the beginning of a word that is looked for in texts, whatever their case and diacritics.
///
/// The words of a text are compared one after another, so the time grows with its length and nothing else.
struct ModerationWord: Sendable {
  let text: String
  private let words: [String]
  private let isBeginning: Bool

  /// `nil` for a text without a word, or with a `*` that is not at the end of one.
  init?(_ text: String) {
    let body = text.hasSuffix("*") ? text.dropLast() : text[...]
    words = SearchWords.of(String(body))
    guard !words.isEmpty, !body.contains("*"), body.last?.isWhitespace != true else { return nil }
    self.text = text
    isBeginning = text.hasSuffix("*")
  }

  func occurs(in others: [String]) -> Bool {
    guard others.count >= words.count else { return false }
    return (0...(others.count - words.count)).contains { start in
      words.indices.allSatisfy { index in
        let other = others[start + index]
        return isBeginning && index == words.count - 1 ? other.hasPrefix(words[index]) : other == words[index]
      }
    }
  }
}

extension Moderation {
  /// The records with their reports and decisions, encrypted for the holder of a certificate: what is left after they are
  /// removed. It is the only output that names authors, because a complaint or a court asks for them.
  ///
  /// Throws the container's errors, ``CertificateError``, and ``CommandFailure`` if a record does not exist.
  package func evidence(
    of names: [String], for certificate: RecipientCertificate, at now: Timestamp
  ) async throws -> [UInt8] {
    let records = try await records(names, keys: nil)
    if let missing = names.first(where: { records[$0] == nil }) {
      throw CommandFailure("no record has the name \(missing); nothing was removed", code: "bad-name")
    }
    let reports = try await self.records(
      declaration.reports.recordType, declaration.reports.target, in: names)
    let decisions = try await self.records(ModerationRecordType.decision, "target", in: names)
    let json: JSONObject = [
      "exported": now.iso8601.json, "container": container.identity.name.json,
      "environment": container.identity.environment.rawValue.json,
      "records": .array(names.compactMap { records[$0]?.evidence }), "reports": reports.map(\.evidence).json,
      "decisions": decisions.map(\.evidence).json,
    ]
    return try certificate.encrypt(JSONValue.object(json).bytes(.pretty))
  }
}

extension Record {
  /// With its author, so only inside an encrypted file.
  fileprivate var evidence: JSONValue {
    portableJSON.adding([
      "created": created?.timestamp.iso8601.json, "createdBy": created?.userRecordName.json,
      "modified": modified?.timestamp.iso8601.json,
    ])
  }
}
