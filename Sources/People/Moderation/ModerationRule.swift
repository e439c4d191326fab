package import Diagnostics

/// The codes of findings in `moderation.json`. MO01xx: the file. MO02xx: the file and the schema together.
///
/// An example is the text of the file, checked against `schema/live-sessions.ckdb`.
package enum ModerationRule: String, RuleCode {
  case invalidJSON = "MO0101"
  case unknownKey = "MO0102"
  case missing = "MO0103"
  case wrongType = "MO0104"
  case duplicate = "MO0105"
  case unknownRecordType = "MO0201"
  case unknownField = "MO0202"
  case unusableField = "MO0203"
  case missingIndex = "MO0204"
  case unknownRole = "MO0205"
  case missingGrant = "MO0206"
  case readableReports = "MO0207"

  package var rule: Rule {
    switch self {
    case .invalidJSON:
      rule(
        "moderation-not-json", .error, "The file is not JSON",
        why: "The message points at the first wrong character. The file is not used at all.",
        example: "{\"types\": [,]}", useInstead: Self.file(), source: Self.guide)
    case .unknownKey:
      rule(
        "unknown-moderation-key", .error, "A key is not one of its object's keys",
        why: "A misspelled key would be ignored, and something would not be moderated.",
        example: Self.file(type: #", "text": ["message"]"#), useInstead: Self.file(), source: Self.guide)
    case .missing:
      rule(
        "missing-moderation-key", .error, "A required key is missing",
        why: "A type needs its name, and a field that hides its records or ends them.",
        example: #"{"types": [{"recordType": "ChatMessage"}]}"#, useInstead: Self.file(), source: Self.guide)
    case .wrongType:
      rule(
        "wrong-moderation-type", .error, "A value is not what its key takes",
        why: "Numbers are whole and above 0. A word has a letter or a digit, and a `*` only at its end.",
        example: Self.file(members: #", "words": ["***"]"#),
        useInstead: Self.file(members: #", "words": ["spam*"]"#), source: Self.guide)
    case .duplicate:
      rule(
        "duplicate-moderation-type", .error, "A record type is declared twice",
        why: "Either declaration could be meant.",
        example: "{\"types\": [\(Self.type()),\n\(Self.type())]}", useInstead: Self.file(),
        source: Self.guide)
    case .unknownRecordType:
      rule(
        "unknown-moderated-type", .error, "A record type that moderation needs is not in the schema",
        why: "There is nothing to moderate, or nowhere to write what moderators decide.",
        example: Self.file(name: "ChatMesage"), useInstead: Self.file(), source: Self.guide)
    case .unknownField:
      rule(
        "unknown-moderated-field", .error, "A field that moderation needs is not in its record type",
        why: "In production the service refuses unknown fields.",
        example: Self.file(hidden: "hidden"), useInstead: Self.file(), source: Self.guide)
    case .unusableField:
      rule(
        "unusable-moderated-field", .error, "The type of a field does not fit its use",
        why: "Texts are STRING, and fields that hide or end a record are INT64.",
        example: Self.file(hidden: "message"), useInstead: Self.file(), source: Self.guide)
    case .missingIndex:
      rule(
        "missing-moderation-index", .error, "A field that a query uses lacks the index that the query needs",
        why: "A person's records are found by `___createdBy`, new ones by `___createTime`.",
        example: Self.file(
          type: #", "thread": {"field": "message", "recordType": "LiveSession", "sort": "timestamp"}"#),
        useInstead: Self.file(
          type: #", "thread": {"field": "sessionId", "recordType": "LiveSession", "sort": "timestamp"}"#),
        help: "Add the line that the message shows to the schema, and import the schema.",
        source: Rule.reference("web-services", "comparators-and-indexes"))
    case .unknownRole:
      rule(
        "unknown-moderator-role", .error, "The role of the moderators is not in the schema",
        why: "Without a role, no key may read reports or hide a record.",
        example: Self.file(members: #", "role": "Moderators""#), useInstead: Self.file(), source: Self.guide)
    case .missingGrant:
      rule(
        "missing-moderator-grant", .error, "The role of the moderators lacks a grant that moderation needs",
        why: "Moderators read and change what users wrote, and create decisions.",
        example: Self.file(members: #", "role": "PrivacyOfficer""#), useInstead: Self.file(),
        source: Self.guide)
    case .readableReports:
      rule(
        "readable-reports", .error, "Users can read reports or decisions",
        why: "Who reads a report learns who was reported and for what, and can guess by whom.",
        example: Self.file(members: #", "reports": {"recordType": "ChatMessage"}"#), useInstead: Self.file(),
        source: Self.guide)
    }
  }

  // MARK: Example files

  private static let guide = Rule.reference("catalog", "moderation")

  private static func file(
    name: String = "ChatMessage", hidden: String = "isHidden", type: String = "", members: String = ""
  ) -> String {
    "{\"types\": [\(self.type(name: name, hidden: hidden, type: type))]\(members)}"
  }

  private static func type(
    name: String = "ChatMessage", hidden: String = "isHidden", type: String = ""
  ) -> String {
    "{\"recordType\": \"\(name)\", \"hiddenField\": \"\(hidden)\"\(type)}"
  }
}
