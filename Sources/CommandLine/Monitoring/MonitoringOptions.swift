public import ArgumentParser

/// The options for monitoring a scheduled run.
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
      metrics, "--metrics", because: "the time of the last success is read back from it")
    // The message does not repeat the URL, because it is a secret: anyone who knows it can report runs.
    if let ping, MonitoringPingURL(ping) == nil {
      throw ValidationError("--ping takes an address such as https://hc-ping.com/UUID")
    }
  }
}

/// A job: a command that runs on a schedule and is monitored.
public protocol MonitoredCommand: AdminCommand {
  var monitoring: MonitoringOptions { get }
  /// Whether the run is a dry run, which is not reported.
  var isRehearsal: Bool { get }
  /// The shard of the job, such as `3/8`; `nil` for the whole job.
  func part(in context: CommandContext) throws -> String?
}

extension MonitoredCommand {
  public func part(in context: CommandContext) throws -> String? { nil }
}
