internal import CloudKitModel
internal import FoundationEssentials
internal import LocalContainer

/// An open container and what it offers beyond the protocol every container speaks.
struct ContainerHandle: Sendable {
  var container: any Container
  /// Present when the schema can be reached too: always locally, with a management token on CloudKit.
  var schema: (any SchemaContainer)?
  var grouping: (any GroupCounting)?
  var local: LocalContainer?
}

extension Session {
  /// The container the command is about. Without `writing` the handle cannot write, whatever is done with it.
  func handle(writing: Bool = false, environment: Environment? = nil) async throws -> ContainerHandle {
    let environment = try environment ?? self.environment
    switch try spec {
    case .memory: return try local(.memory, environment, writing: writing)
    case .local(let path): return try local(.file(path), environment, writing: writing)
    case .cloudKit(let id): return try cloudKit(id, environment, writing: writing)
    }
  }

  /// The container, counting the requests made through it.
  func container(writing: Bool = false) async throws -> RequestCounter {
    RequestCounter(try await handle(writing: writing).container)
  }

  /// The local container the command is about; a failure that says so when it is another kind.
  func localContainer(writing: Bool = false) async throws -> LocalContainer {
    guard let local = try await handle(writing: writing).local else {
      throw CommandFailure.usage("this works on a local container only, not on \(try spec)")
    }
    return local
  }

  private func local(
    _ location: LocalStore.Location, _ environment: Environment, writing: Bool
  ) throws -> ContainerHandle {
    if writing, case .file(let path) = location, path == ContainerSpec.defaultPath {
      try makeFolder(of: path)
    }
    let container = try LocalContainer.open(
      location, environment: environment, access: writing ? .readWrite : .readOnlyOrEmpty,
      settings: LocalSettings(now: world.now))
    return ContainerHandle(container: container, schema: container, grouping: container, local: container)
  }

  private func makeFolder(of path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }
}
