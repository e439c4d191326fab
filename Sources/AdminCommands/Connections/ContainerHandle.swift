internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import SystemPackage

struct ContainerHandle: Sendable {
  var container: any Container
  /// The schema operations: always available locally, and with a management token on CloudKit.
  var schema: (any SchemaManager)?
  var local: LocalContainer?
}

/// What becomes of a query that shows only the records that the key created, because it may not read the others.
enum OwnRecords {
  case refused
  /// They are what was asked for, with a note.
  case noted
  /// The command finds out by itself what it may read.
  case shown
}

extension CommandContext {
  /// Opens the command's container. Without `writing`, the handle is read-only.
  ///
  /// - Parameter canBeNew: a missing local container is treated as empty, and created by the first write.
  func openContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil,
    ownRecords: OwnRecords = .refused
  ) async throws -> ContainerHandle {
    if case .cloudKit(let id) = try location {
      return try cloudKit(
        id, environment ?? self.environment, writing: writing, ownRecords: ownRecords)
    }
    let local = try localContainer(writing: writing, canBeNew: canBeNew, environment: environment)
    return ContainerHandle(container: local, schema: local, local: local)
  }

  /// The command's container, with a counter of requests.
  func container(
    writing: Bool = false, ownRecords: OwnRecords = .refused
  ) async throws -> RequestCountingContainer {
    RequestCountingContainer(try await openContainer(writing: writing, ownRecords: ownRecords).container)
  }

  /// The command's local container. Throws a usage error for other kinds of container.
  ///
  /// - Parameter environment: `nil` for that of a mirror, or the configured one.
  func localContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) throws -> LocalContainer {
    let location: LocalStore.Location
    switch try self.location {
    case .memory: location = .memory
    case .local(let path):
      if canBeNew { try checkRoom(for: path, makingFolder: writing) }
      try checkStateFolder(of: path)
      location = .file(path)
    case .cloudKit(let id):
      throw CommandFailure.usage("this command needs a local container, not cloudkit:\(id)")
    }
    let access: LocalStore.Access =
      writing ? (canBeNew ? .readWriteOrNew : .readWrite) : (canBeNew ? .readOnlyOrEmpty : .readOnly)
    var settings = LocalContainerSettings(now: { Timestamp(process.now()) })
    settings.waits = waits
    let container = try LocalContainer.open(
      location, environment: environment ?? self.environment, access: access, settings: settings)
    warn(about: container.store)
    guard let mirror = container.store.mirror else { return container }
    let read = ReadMirror(
      of: mirror.source, environment: mirror.environment.rawValue, asOf: mirror.asOf?.iso8601)
    reads(read, mirror.description)
    if writing { try container.store.checkWritable() }
    return LocalContainer(
      store: container.store, environment: environment ?? mirror.environment, identity: .mirrorOwner)
  }

  /// Prints what the user should know about the files of a container.
  func warn(about store: LocalStore) {
    if let warning = store.warning { warn(warning) }
  }

  var hasLocalContainer: Bool {
    get throws { if case .cloudKit = try location { false } else { true } }
  }

  var isContainerMissing: Bool {
    get throws {
      guard case .local(let path) = try location else { return false }
      return try LocalStore.isMissing(path)
    }
  }

  /// Throws if no container can be created at the path. Only the tool's own folder is created; other folders must
  /// exist, so that a misspelled path creates none.
  private func checkRoom(for path: String, makingFolder: Bool) throws {
    let folder = FilePath(path).removingLastComponent().string
    guard path == ContainerLocation.defaultPath, try LocalStore.isMissing(folder) else {
      return try LocalStore.checkRoom(for: path)
    }
    try LocalStore.checkRoom(for: folder)
    if makingFolder { _ = try StateFolder.open(folder, making: true) }
  }

  /// Throws if another user could have placed the container in the tool's own folder, or if it is a link.
  private func checkStateFolder(of path: String) throws {
    let (folder, name) = (FilePath(path).removingLastComponent().string, FilePath(path).lastComponent?.string)
    guard path == ContainerLocation.defaultPath, let name, try !LocalStore.isMissing(folder) else { return }
    try StateFolder.open(folder, making: false).checkFile(name)
  }
}
