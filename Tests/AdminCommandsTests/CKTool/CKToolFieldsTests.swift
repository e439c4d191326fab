import CloudKitModel
import Diagnostics
import Testing

@testable import AdminCommands

@Suite struct CKToolFieldsTests {
  private func read(_ text: String) throws -> [String: FieldValue] {
    try CKToolFields(SourceText(name: "fields", text)).read()
  }

  @Test("Apple's type names and times are understood")
  func appleTypes() throws {
    let fields = try read(
      """
      {"title": {"type": "stringType", "value": "Sea"}, "pages": {"type": "int64Type", "value": 12},
       "published": {"type": "timestampType", "value": "1970-01-01T00:00:01Z"},
       "tags": {"type": "stringListType", "value": ["a", "b"]}}
      """)
    #expect(
      fields == [
        "title": .string("Sea"), "pages": .int64(12),
        "published": .timestamp(Timestamp(milliseconds: 1000)), "tags": .strings(["a", "b"]),
      ])
  }

  @Test("so are the names on the wire")
  func wireTypes() throws {
    #expect(try read(#"{"pages": {"type": "INT64", "value": 12}}"#) == ["pages": .int64(12)])
  }

  @Test("a mistake is shown in its place")
  func syntax() throws {
    let failure = #expect(throws: CommandFailure.self) { try read(#"{"title": "#) }
    #expect(failure?.diagnostics.count == 1)
  }

  @Test("an asset is refused, not dropped")
  func assets() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try read(#"{"cover": {"type": "assetType", "value": "COVER"}}"#)
    }
    #expect(failure?.code == "unsupported")
  }
}
