/// The record types of the live-session schema, by their names in it
/// (Documentation/reference/catalog.md#session-roles).
public enum LiveSessionRecordType {
  public static let session = "LiveSession"
  public static let participant = "LiveSessionParticipant"
  public static let message = "ChatMessage"
}
