import CloudKitModel
import Testing

@Suite("Values of fields") struct FieldValueTests {
  @Test("a value stays small: tables of many thousand records are made of them")
  func size() {
    #expect(MemoryLayout<FieldValue?>.stride <= 24)
  }
}
