internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import GRDB

extension LocalStore {
  /// Writes a copy of the whole container, both environments, as it is at one moment; others may go on using it.
  ///
  /// Throws `ContainerFailure` when the path is taken or cannot be written. The copy appears under its name only
  /// when it is complete, and only its owner may read it.
  public func backup(to path: String) async throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else {
      throw ContainerFailure(.storage, "\(path) exists already", hint: "Give the path of a new file.")
    }
    let partial = path + ".partial"
    do {
      if files.fileExists(atPath: partial) { try files.removeItem(atPath: partial) }
      try PrivateFile.makeIfMissing(partial)
      try await database.vacuum(into: partial)
      try files.moveItem(atPath: partial, toPath: path)
    } catch {
      if files.fileExists(atPath: partial) { try files.removeItem(atPath: partial) }
      throw StorageFailure.failure(error, container: path)
    }
  }
}
