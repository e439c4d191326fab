import CloudKitModel
import Testing

@testable import LocalContainer

@Suite("A full disk")
struct FullDiskTests {
  @Test("nothing of a request is kept when the disk is full, and the container goes on afterwards")
  func full() async throws {
    var settings = fixedSettings()
    settings.maximumPages = 200
    let library = try LocalContainer.open(.memory, settings: settings)
    try await library.importSchema(librarySchema)
    let note = FieldValue.string(String(repeating: "x", count: 900_000))
    let operations = ["small", "large"].map { name in
      RecordOperation(
        .create, recordType: "Book", recordName: name, fields: name == "large" ? ["note": note] : [:])
    }
    await #expect {
      _ = try await library.modify(operations)
    } throws: { error in
      (error as? ContainerFailure)?.kind == .storage
        && (error as? ContainerFailure)?.message.contains("is full") == true
    }
    #expect(try await library.names(Query("Book")) == [])
    #expect(try await library.create("small").error == nil)
  }
}
