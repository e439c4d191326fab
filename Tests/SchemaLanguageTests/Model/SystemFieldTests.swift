import Testing

@testable import SchemaLanguage

@Suite("System fields") struct SystemFieldTests {
  @Test(
    "a misspelled system field is found by its name here or elsewhere",
    arguments: [
      ("___recordName", SystemField.recordName), ("createdAt", .createdTimestamp),
      ("_creationDate", .createdTimestamp),
      ("created", .createdTimestamp), ("modified", .modifiedTimestamp), ("ModifiedAt", .modifiedTimestamp),
      ("modificationDate", .modifiedTimestamp), ("recordChangeTag", .etag),
      ("___createTme", .createdTimestamp), ("___etga", .etag),
      ("title", nil), ("", nil),
      // A name of 32 bytes is compared, and a longer one is not.
      ("___modifiedBy€€€€€😀", .modifiedUserRecordName), ("___modifiedBy€€€€😀😀", nil),
    ] as [(String, SystemField?)])
  func systemFields(_ name: String, _ field: SystemField?) { #expect(SystemField.nearest(to: name) == field) }

  @Test("system fields have the types and names of the service")
  func storedNames() {
    let expected: [(SystemField, String, DataType)] = [
      (.recordName, "___recordID", .reference), (.createdTimestamp, "___createTime", .timestamp),
      (.createdUserRecordName, "___createdBy", .reference), (.modifiedTimestamp, "___modTime", .timestamp),
      (.modifiedUserRecordName, "___modifiedBy", .reference), (.etag, "___etag", .string),
    ]
    for (field, name, type) in expected {
      #expect(field.storedName == name && SystemField(storedName: name) == field && field.dataType == type)
      #expect(Field(name, .string).isSystem)
    }
    #expect(!Field("recordID", .string).isSystem)
    #expect(SystemField(storedName: "___recordId") == nil)
  }
}
