import CloudKitModel
import GRDB
import Testing

@testable import LocalContainer

@Suite("What a failure of storage advises")
struct StorageFailureTests {
  @Test(
    "damage and trouble with the disk point to the command that checks the file",
    arguments: [
      DatabaseError(resultCode: .SQLITE_IOERR) as any Error, DatabaseError(resultCode: .SQLITE_CORRUPT),
      StorageFailure.damaged("a page is missing"),
    ])
  func check(error: any Error) throws {
    let failure = try #require(StorageFailure.failure(error, container: "c") as? ContainerFailure)
    #expect(failure.hint?.contains("container info --check --container local:c") == true)
    #expect(failure.hint?.contains("container verify") == false)
  }

  @Test("an interrupted statement is a cancelled task, not trouble with the disk")
  func interrupted() {
    let error = DatabaseError(resultCode: .SQLITE_INTERRUPT)
    #expect(StorageFailure.failure(error, container: "c") is CancellationError)
  }
}
