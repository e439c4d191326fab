internal import CloudKitModel
internal import Diagnostics
internal import GRDB
internal import Platform

enum StorageFailure: Error {
  case damaged(String)

  /// - Parameter reading: the file was opened for reading only.
  static func failure(_ error: any Error, container: String, reading: Bool = false) -> any Error {
    switch error {
    case StorageFailure.damaged(let what):
      damage(container, what)
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
        hint: "Wait until the other run has finished and try again.")
    case .SQLITE_FULL:
      ContainerFailure(
        .storage, "the disk that holds \(container) is full",
        hint: "Free some space and run the command again.")
    case _ where error.isDamage: damage(container, error.damage)
    case .SQLITE_NOTADB: notContainer(container, "another program's, encrypted, or overwritten")
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
        hint: "Check the disk. \(checking(container)) says whether the file is damaged.")
    }
  }

  /// The failure of a file with the header of a container and damaged content: the same in each command.
  static func damage(_ container: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .storage, "\(container) is damaged: \(what)",
      hint: "\(checking(container)) says what can still be read, and what to do.")
  }

  /// The failure of a file without the header of a container, which may have been one.
  static func notContainer(_ container: String, _ what: String) -> ContainerFailure {
    ContainerFailure(
      .notContainer, "\(container) is not a container file: it is \(what)",
      hint: "Give another path. If it was a container, none of it can be read: \(replacing(container))")
  }

  /// How a container takes the place of a file that cannot be read, as words within a sentence.
  static func replacing(_ container: String) -> String {
    "move it and the files beside it (-wal, -shm) away, and run celestra-admin container restore BACKUP --container "
      + "\(spec(container).shellWord); if it was a mirror, run the 'container backup' that made it"
  }

  private static func checking(_ container: String) -> String {
    "'celestra-admin container info --check --container \(spec(container).shellWord)'"
  }

  private static func spec(_ container: String) -> String {
    ["local:", "memory:"].contains(where: container.hasPrefix) ? container : "local:\(container)"
  }

  static func isDamage(_ error: any Error) -> Bool {
    if case StorageFailure.damaged = error { return true }
    return (error as? DatabaseError)?.isDamage ?? false
  }

  /// What is damaged, in the words of SQLite or of the check that found it.
  static func reason(of damage: any Error) -> String {
    if case StorageFailure.damaged(let what) = damage { return what }
    return (damage as? DatabaseError)?.damage ?? "\(damage)"
  }
}

extension DatabaseError {
  /// A container has all of its tables and columns; without one, its file was damaged or changed by another program.
  fileprivate var isDamage: Bool {
    resultCode == .SQLITE_CORRUPT
      || resultCode == .SQLITE_ERROR && (message ?? "").hasPrefix("no such ")
  }

  fileprivate var damage: String { message ?? "its content is inconsistent" }
}
