public import FoundationEssentials

/// Everything outside the process that a command may touch, handed in so that tests can replace it.
public struct ProcessContext: Sendable {
  public var environment: [String: String]
  public var directory: String
  public var console: Console
  public var now: @Sendable () -> Date
  public var wait: @Sendable (Duration) async throws -> Void

  /// The world of the command that is running.
  @TaskLocal public static var current = ProcessContext.system

  public static var system: ProcessContext {
    let environment = ProcessInfo.processInfo.environment
    return ProcessContext(
      environment: environment, directory: FileManager.default.currentDirectoryPath,
      console: .system(environment), now: { Date() }, wait: { try await Task.sleep(for: $0) })
  }

  /// Hosts of `CELESTRA_ADMIN_HTTP_HOSTS`, separated by commas: services in a network of containers. Only the
  /// environment of the process can name them.
  public var plainHTTPHosts: Set<String> {
    let names = environment[SettingKey.httpHosts.variable]?.split { $0 == "," || $0.isWhitespace } ?? []
    return Set(names.map { $0.lowercased() })
  }

  /// The user's folder for this tool (XDG Base Directory Specification: an empty variable counts as unset); `nil` where
  /// neither XDG_CONFIG_HOME nor HOME is set.
  public var configurationFolder: String? {
    let bases = [
      environment["XDG_CONFIG_HOME"], environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" },
    ]
    return bases.compactMap(\.self).first { !$0.isEmpty }.map { "\($0)/celestra-admin" }
  }
}
