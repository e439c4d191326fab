import CloudKitModel
import LocalContainer
import SchemaLanguage

/// A schema with leases, editorial records and records of users.
enum LeaseSchema {
  static let text = """
    DEFINE SCHEMA
      CREATE ROLE CatalogAdmin;
      RECORD TYPE AdminLease (
        "___recordID" REFERENCE QUERYABLE, expiresAt TIMESTAMP, finishedAt TIMESTAMP, holder STRING, parts INT64,
        purpose STRING, result STRING, revision STRING, GRANT READ, CREATE, WRITE TO CatalogAdmin);
      RECORD TYPE Feed (
        "___recordID" REFERENCE QUERYABLE, note STRING, score INT64, title STRING, category REFERENCE QUERYABLE,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO CatalogAdmin);
      RECORD TYPE Vote (
        "___recordID" REFERENCE QUERYABLE, feed STRING QUERYABLE,
        GRANT CREATE TO "_icloud", GRANT READ, WRITE TO CatalogAdmin);
    """

  /// A schema without the fields that were added later.
  static let oldText = text.replacing("finishedAt TIMESTAMP, ", with: "").replacing("parts INT64,", with: "")
    .replacing("result STRING, revision STRING, ", with: "")

  /// `nil` for a text that does not parse, which ``container(_:)`` refuses with the reason.
  static let schema = try? Schema(parsing: text)

  static func container(_ text: String = text) async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    return container
  }
}
