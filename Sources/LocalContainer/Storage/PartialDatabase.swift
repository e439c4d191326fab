internal import CloudKitModel
internal import FoundationEssentials
internal import Platform

/// A database that is written under another name beside its own, which it gets when it is complete. A process that is
/// killed meanwhile leaves no half of a database under that name, and no journal beside it.
struct PartialDatabase {
  let path: String
  private let target: String

  /// Creates an empty file that only its owner can read. Throws `ContainerFailure` or `FileFailure` if none can be
  /// created beside `target`.
  init(beside target: String) throws {
    try DatabaseFile.checkRoom(for: target)
    self.target = target
    path = "\(target).\(UUID().uuidString.prefix(8).lowercased()).partial"
    try PrivateFile.create(path, [])
  }

  /// Removes the file after `body`, unless it got its name.
  static func use(beside target: String, _ body: (PartialDatabase) async throws -> Void) async throws {
    let partial = try PartialDatabase(beside: target)
    do {
      try await body(partial)
    } catch {
      try partial.remove()
      throw error
    }
    try partial.remove()
  }

  var identity: FileIdentity? { get throws { try FileStatus.of(path)?.identity } }

  /// Gives the database its name, once no connection uses it.
  ///
  /// - Returns: false if another file had the name first.
  func publish() throws -> Bool {
    guard try FileStatus.of(path + "-wal") == nil else {
      throw ContainerFailure(
        .storage, "\(target) could not be completed", hint: "Nothing was changed. Try again.")
    }
    return try PrivateFile.publish(path, as: target)
  }

  func remove() throws {
    for suffix in ["", "-wal", "-shm", "-journal"] { try PrivateFile.removeIfPresent(path + suffix) }
  }
}
