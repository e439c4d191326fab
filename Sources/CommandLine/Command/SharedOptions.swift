public import ArgumentParser
public import Diagnostics

/// The heading of the shared options in help texts.
public let sharedOptionsTitle = "Shared options"

/// The options that all commands share. The help of a command lists only its own formats, and `--container` only if
/// the command uses one. Hidden options are still accepted.
///
/// Options have no default values, so that an omitted option does not override the environment or a file.
public struct SharedOptions<Command: AdminCommand>: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Where the records are: local:PATH, memory: or cloudkit:CONTAINER-ID. Default: the configuration, else "
        + "local:.celestra/container.sqlite.",
      valueName: "spec", visibility: containerVisibility))
  public var container: String?

  @Option(
    help: ArgumentHelp(
      "Environment; default development.", valueName: "name", visibility: containerVisibility))
  public var environment: EnvironmentOption?

  @Option(
    help: ArgumentHelp("Output format: \(formats).", valueName: "format"),
    completion: .list(Command.formats.map(\.rawValue)), transform: EnumOption.parse)
  public var format: OutputFormat?

  @Option(
    help: ArgumentHelp(
      "Write the result to this file. A name such as plan.json chooses the format.", valueName: "file"),
    completion: .file())
  public var output: String?

  @Option(
    help: ArgumentHelp(
      "Project file. Default: celestra-admin.json here or in a parent folder.", valueName: "file"),
    completion: .file())
  public var config: String?

  @Option(help: ArgumentHelp("When to color the output.", valueName: "when"))
  public var color: ColorChoice = .auto

  @Flag(name: .shortAndLong, help: "Print nothing on success.")
  public var quiet = false

  @Flag(name: .shortAndLong, help: "Log each request and decision to standard error.")
  var verbose = false

  @Option(help: ArgumentHelp("Format of log lines.", valueName: "format"))
  public var logFormat: LogFormat = .text

  @Option(
    help: ArgumentHelp(
      "Route to a CloudKit container's schema; cktool needs Xcode. Default: web.",
      valueName: "route", visibility: containerVisibility))
  public var via: SchemaAccessMethod?

  @Flag(help: "Never prompt; fail where an answer is required, unless --yes is given.")
  public var noInput = false

  public init() {}

  private static var containerVisibility: ArgumentVisibility { Command.usesContainer ? .default : .hidden }

  /// `text (the default), json or markdown`.
  private static var formats: String {
    var names = Command.formats.map(\.rawValue)
    guard names.count > 1 else { return names.joined() }
    names[0] += " (the default)"
    let last = names.removeLast()
    return names.joined(separator: ", ") + " or \(last)"
  }

  public var values: SharedOptionValues {
    var values = SharedOptionValues()
    values.container = container
    values.environment = environment
    values.format = format
    values.output = output
    values.config = config
    values.color = color
    values.quiet = quiet
    values.verbose = verbose
    values.logFormat = logFormat
    values.via = via
    values.noInput = noInput
    return values
  }
}
