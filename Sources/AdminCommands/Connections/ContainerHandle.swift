internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import SystemPackage

/// An open container and what it offers beyond the protocol every container speaks.
struct ContainerHandle: Sendable {
  var container: any Container
  /// Present when the schema can be reached too: always locally, with a management token on CloudKit.
  var schema: (any SchemaContainer)?
  var grouping: (any GroupCounting)?
  var local: LocalContainer?
}

extension CommandContext {
  /// The container the command is about. Without `writing` the handle cannot write, whatever is done with it.
  ///
  /// - Parameter canBeNew: a local container that is not there yet is an empty one, and made when written to.
  func handle(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) async throws -> ContainerHandle {
    let environment = try environment ?? self.environment
    if case .cloudKit(let id) = try spec { return try cloudKit(id, environment, writing: writing) }
    let local = try localContainer(writing: writing, canBeNew: canBeNew, environment: environment)
    return ContainerHandle(container: local, schema: local, grouping: local, local: local)
  }

  /// The container, counting the requests made through it.
  func container(writing: Bool = false) async throws -> RequestCounter {
    RequestCounter(try await handle(writing: writing).container)
  }

  /// The local container the command is about; a failure that says so when it is another kind.
  func localContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) throws -> LocalContainer {
    let location: LocalStore.Location
    switch try spec {
    case .memory: location = .memory
    case .local(let path):
      if canBeNew { try checkRoom(for: path, makingFolder: writing) }
      try checkStateFolder(of: path)
      location = .file(path)
    case .cloudKit(let id):
      throw CommandFailure.usage("this works on a local container only, not on cloudkit:\(id)")
    }
    let access: LocalStore.Access =
      writing ? (canBeNew ? .readWriteOrNew : .readWrite) : (canBeNew ? .readOnlyOrEmpty : .readOnly)
    return try LocalContainer.open(
      location, environment: environment ?? self.environment, access: access,
      settings: LocalSettings(now: { now }))
  }

  /// Whether the container is in this process, and not behind the service.
  var hasLocalContainer: Bool {
    get throws { if case .cloudKit = try spec { false } else { true } }
  }

  /// Whether the container has yet to be made.
  var isContainerMissing: Bool {
    get throws {
      guard case .local(let path) = try spec else { return false }
      return try LocalStore.isMissing(path)
    }
  }

  /// Refuses a path where no container can be made. The tool's own folder is made with it; any other must be there,
  /// so that a misspelt path makes none.
  private func checkRoom(for path: String, makingFolder: Bool) throws {
    let folder = FilePath(path).removingLastComponent().string
    guard path == ContainerSpec.defaultPath, try LocalStore.isMissing(folder) else {
      return try LocalStore.checkRoom(for: path)
    }
    try LocalStore.checkRoom(for: folder)
    if makingFolder { _ = try StateFolder.open(folder, making: true) }
  }

  /// Refuses a container in the tool's own folder that somebody else may have put there, or made a link.
  private func checkStateFolder(of path: String) throws {
    let (folder, name) = (FilePath(path).removingLastComponent().string, FilePath(path).lastComponent?.string)
    guard path == ContainerSpec.defaultPath, let name, try !LocalStore.isMissing(folder) else { return }
    try StateFolder.open(folder, making: false).checkFile(name)
  }
}
