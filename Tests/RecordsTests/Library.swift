import CloudKitModel
import LocalContainer
import SchemaLanguage

/// A container in memory with one record type.
enum Library {
  static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Book (
        "___createTime" TIMESTAMP QUERYABLE SORTABLE,
        "___recordID" REFERENCE QUERYABLE,
        added TIMESTAMP QUERYABLE SORTABLE,
        pages INT64 QUERYABLE SORTABLE,
        tags LIST<STRING>,
        title STRING QUERYABLE SORTABLE,
        GRANT READ, CREATE, WRITE TO "_world"
    );
    RECORD TYPE Author (
        name STRING,
        GRANT READ, CREATE, WRITE TO "_world"
    );
    """

  /// At noon of 2026-01-31.
  static let now = Timestamp(milliseconds: 1_769_860_800_000)

  static func parsed() throws -> Schema { try Schema(parsing: schema, name: "library.ckdb") }

  static func container(_ titles: [String] = []) async throws -> LocalContainer {
    let container = try LocalContainer.open(
      .memory, environment: .development, access: .readWriteOrNew,
      settings: LocalContainerSettings(now: { now }))
    try await container.importSchema(schema)
    for title in titles {
      _ = try await container.modify([
        RecordOperation(
          .create, recordType: "Book", recordName: title,
          fields: ["title": .string(title), "pages": .int64(Int64(title.count))])
      ])
    }
    return container
  }
}
