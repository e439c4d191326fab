public import ArgumentParser

/// How a scheduled run is watched.
public struct MonitoringOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Write Prometheus metrics of the run to this file. A dry run writes none.", valueName: "file"),
    completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "Report start and end to this healthchecks-compatible address. Default: CELESTRA_ADMIN_PING_URL.",
      valueName: "url"))
  var ping: String?

  public init() {}

  public func validate() throws {
    try InputFile.requireNamed(
      metrics, "--metrics", because: "a run without success keeps the time of the last one from it")
    // The message does not repeat the address: whoever knows it can report runs.
    if let ping, PingAddress(ping) == nil {
      throw ValidationError("--ping takes an address such as https://hc-ping.com/UUID")
    }
  }
}

/// A job: a command that runs on a schedule and that people watch.
public protocol MonitoredCommand: AdminCommand {
  var monitoring: MonitoringOptions { get }
  /// True for a run that only shows something: nothing is reported about it.
  var isRehearsal: Bool { get }
  /// The part of the job that this run does, as `3/8`; `nil` for the whole.
  func part(in context: CommandContext) throws -> String?
}

extension MonitoredCommand {
  public func part(in context: CommandContext) throws -> String? { nil }
}
