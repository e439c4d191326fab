/// The record types of the live-session schema, by their names in it
/// (Documentation/reference/catalog.md#session-roles).
package enum LiveSessionRecordType {
  package static let session = "LiveSession"
  package static let participant = "LiveSessionParticipant"
  package static let message = "ChatMessage"
  /// A report of a user about one of the others.
  package static let report = "AbuseReport"
}
