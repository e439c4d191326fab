internal import CloudKitModel
internal import FoundationEssentials

/// Everything outside the process that a command may touch, handed in so that tests can replace it.
struct World: Sendable {
  var environment: [String: String]
  var directory: String
  var console: Console
  var now: @Sendable () -> Timestamp
  var wait: @Sendable (Duration) async throws -> Void

  /// The world of the command that is running.
  @TaskLocal static var current = World.system

  static var system: World {
    let environment = ProcessInfo.processInfo.environment
    return World(
      environment: environment, directory: FileManager.default.currentDirectoryPath,
      console: .system(environment), now: { .now }, wait: { try await Task.sleep(for: $0) })
  }
}

extension Timestamp {
  static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
