internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import GRDB
internal import Platform
internal import SQLiteShim

extension LocalStore {
  /// Writes a copy of the whole container, both environments, as it is at one moment; others may go on using it.
  ///
  /// Throws `ContainerFailure` when the path is taken or cannot be written, and when this container is damaged: a copy
  /// would hide it. The copy appears under its name only when it is complete, and only its owner may read it.
  public func backup(to path: String) async throws {
    let files = FileManager.default
    guard try LocalStore.isMissing(path) else {
      throw ContainerFailure(.storage, "\(path) exists already", hint: "Give the path of a new file.")
    }
    try LocalStore.checkRoom(for: path)
    try await requireSound()
    let partial = path + ".partial"
    do {
      if files.fileExists(atPath: partial) { try files.removeItem(atPath: partial) }
      try PrivateFile.makeIfMissing(partial)
      try await database.writeWithoutTransaction { try $0.vacuum(into: partial) }
      try files.moveItem(atPath: partial, toPath: path)
    } catch {
      if files.fileExists(atPath: partial) { try files.removeItem(atPath: partial) }
      throw StorageFailure.failure(error, container: path)
    }
  }

  /// Replaces everything in this container, both environments, by what a backup holds; others see it change in one step.
  ///
  /// Throws `ContainerFailure` when the file is not a container or is damaged; then nothing has changed.
  public func restore(from path: String) async throws {
    let backup = try LocalStore(.file(path), access: .readOnly, settings: LocalSettings())
    try await backup.requireSound()
    do {
      try backup.database.backup(to: database)
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }

  private func requireSound() async throws {
    let problems = try await integrityProblems()
    guard let first = problems.first else { return }
    throw ContainerFailure(
      .storage, "\(name) is damaged: \(first)",
      hint: "Nothing was copied. `container info --check` lists all that is wrong; restore an earlier backup."
    )
  }
}

extension Database {
  /// SQLite attaches the copy while it writes it.
  fileprivate func vacuum(into path: String) throws {
    SQLiteShim_allowAttached(sqliteConnection, 1)
    defer { SQLiteShim_allowAttached(sqliteConnection, 0) }
    try execute(sql: "VACUUM INTO ?", arguments: [path])
  }
}
