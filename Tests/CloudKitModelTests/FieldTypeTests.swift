import CloudKitModel
import Testing

@Suite struct FieldTypeTests {
  @Test("a type is read by its name on the wire, which only for assets is not that of the schema language")
  func names() {
    let names = [
      "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "REFERENCE", "LOCATION", "ASSETID",
    ]
    #expect(ScalarType.allCases.map(\.wireName) == names)
    for (type, name) in zip(ScalarType.allCases, names) {
      let written = type == .asset ? "ASSET" : name
      #expect(
        FieldType(wireName: name) == .scalar(type) && FieldType(wireName: name + "_LIST") == .list(type))
      #expect(FieldType.scalar(type).wireName == name && FieldType.list(type).wireName == name + "_LIST")
      #expect(
        FieldType.scalar(type).description == written
          && FieldType.list(type).description == "LIST<\(written)>")
    }
  }

  @Test(
    "another name is none",
    arguments: [
      "", "_LIST", "LIST", "ASSET", "ASSET_LIST", "STRINGLIST", "STRING_LISTS", "STRING_LIST_LIST", "string",
    ])
  func unknown(name: String) {
    #expect(FieldType(wireName: name) == nil)
  }
}
