internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import GRDB
internal import Platform
internal import SQLiteShim

extension LocalStore {
  /// Writes a consistent copy of the container with both environments, while other processes may keep reading and
  /// writing.
  ///
  /// Throws `ContainerFailure` if a file exists at the path or it cannot be written, and if this container is
  /// damaged, because the copy would hide the damage. The copy gets its name only once it is complete, and only its
  /// owner can read it.
  public func backup(to path: String) async throws {
    let files = FileManager.default
    guard try LocalStore.isMissing(path) else {
      throw ContainerFailure(.storage, "\(path) already exists", hint: "Give the path of a new file.")
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

  /// Replaces both environments of this container by those of a backup, in one transaction.
  ///
  /// Throws `ContainerFailure` if the backup is not a container or is damaged; this container is unchanged then.
  public func restore(from path: String) async throws {
    let backup = try LocalStore(.file(path), access: .readOnly, settings: LocalContainerSettings())
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
      hint: "Nothing was copied. `container info --check` lists the damage. Restore an earlier backup."
    )
  }
}

extension Database {
  /// Runs VACUUM INTO, which attaches the copy as a database while it is written.
  fileprivate func vacuum(into path: String) throws {
    SQLiteShim_allowAttached(sqliteConnection, 1)
    defer { SQLiteShim_allowAttached(sqliteConnection, 0) }
    try execute(sql: "VACUUM INTO ?", arguments: [path])
  }
}
