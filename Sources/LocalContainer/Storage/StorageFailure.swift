internal import CloudKitModel
internal import GRDB
internal import Platform

/// Converts SQLite's errors to messages for the user.
enum StorageFailure: Error {
  /// The file's content is not that of a container.
  case damaged(String)

  /// - Parameter reading: the file was opened for reading only.
  static func failure(_ error: any Error, container: String, reading: Bool = false) -> any Error {
    switch error {
    case StorageFailure.damaged(let what):
      ContainerFailure(
        .storage, "\(container) is damaged: \(what)",
        hint: "'container info --check' lists the damage; restore the file from a backup.")
    case let error as FileFailure: ContainerFailure(.storage, error.message, hint: error.hint)
    // GRDB interrupts the statements of a cancelled task.
    case let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT: CancellationError()
    case let error as DatabaseError: failure(error, container, reading)
    default: error
    }
  }

  private static func failure(
    _ error: DatabaseError, _ container: String, _ reading: Bool
  ) -> ContainerFailure {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      ContainerFailure(
        .busy, "another process is writing to \(container)",
        hint: "Nothing was changed. Wait until the other run has finished and try again.")
    case .SQLITE_FULL:
      ContainerFailure(
        .storage, "the disk that holds \(container) is full",
        hint: "Nothing was changed. Free some space and run the command again.")
    case .SQLITE_CORRUPT:
      ContainerFailure(
        .storage, "\(container) is damaged: \(error.message ?? "its content is inconsistent")",
        hint:
          "Nothing was changed. 'container info --check' lists the damage; restore the file from a backup.")
    case .SQLITE_NOTADB:
      ContainerFailure(
        .storage, "\(container) is not a container file",
        hint: "Give another path, or move the file away. Nothing was changed.")
    case .SQLITE_READONLY where reading, .SQLITE_CANTOPEN where reading:
      ContainerFailure(
        .storage, "\(container) cannot be read, because SQLite cannot create a file beside it (-shm)",
        hint:
          "Copy it, together with the -wal file beside it, to a folder where you may write, and read the copy."
      )
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      ContainerFailure(
        .storage, "\(container) cannot be written", hint: "Check the permissions of the file and its folder.")
    case .SQLITE_CANTOPEN:
      ContainerFailure(
        .storage, "\(container) cannot be opened", hint: "Check that its folder exists and may be written.")
    default:
      ContainerFailure(
        .storage,
        "\(container): \(error.message ?? "input or output error") (SQLite \(error.resultCode.rawValue))",
        hint: "Check the disk. 'container info --check' reports whether the file is damaged.")
    }
  }
}
