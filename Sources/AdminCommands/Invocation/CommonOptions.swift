internal import ArgumentParser
internal import SchemaLanguage

/// The options every command takes. None has a default of its own: an option that was not given must not hide
/// what the environment or a file says.
struct CommonOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Where the records are: local:PATH, memory: or cloudkit:CONTAINER-ID.",
      discussion: "Default: the configuration, else local:.celestra/container.sqlite.", valueName: "spec"))
  var container: String?

  @Option(help: ArgumentHelp("development (the default) or production.", valueName: "name"))
  var environment: EnvironmentName?

  @Option(
    help: ArgumentHelp(
      "How to write the result. A command asked for a form it does not have names its own.",
      valueName: "format"))
  var format: OutputFormat?

  @Option(
    help: ArgumentHelp(
      "Write the result to this file instead of standard output. A name such as plan.json chooses the format.",
      valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp("The project file. Default: celestra-admin.json, found upwards.", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("When to use colours.", valueName: "when"))
  var color: ColorChoice = .auto

  @Flag(name: .shortAndLong, help: "Say nothing when all is well.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say more about what is done.")
  var verbose = false

  @Option(help: ArgumentHelp("How log lines are written to standard error.", valueName: "format"))
  var logFormat: LogFormat = .text

  @Option(
    help: ArgumentHelp(
      "How a CloudKit container's schema is reached: web (the default), or cktool, which is Apple's and needs Xcode.",
      valueName: "route"))
  var via: SchemaRoute?

  @Flag(help: "Never prompt. What would be asked in production then needs --yes.")
  var noInput = false
}

extension CommonOptions {
  /// The file that takes the place of standard output.
  var outputFile: String? { output == "-" ? nil : output }

  /// How the result is coloured.
  func outputStyle(in world: World) -> Style {
    let isTerminal = output == nil && world.console.output.isTerminal
    return .resolve(color, isTerminal: isTerminal, environment: world.environment)
  }

  /// As when no option was given. ArgumentParser's options hold no value until they are parsed or set.
  static var none: CommonOptions {
    var options = CommonOptions()
    options.container = nil
    options.environment = nil
    options.format = nil
    options.output = nil
    options.config = nil
    options.color = .auto
    options.quiet = false
    options.verbose = false
    options.logFormat = .text
    options.noInput = false
    options.via = nil
    return options
  }
}

/// The options of a command that changes something.
struct MutationOptions: ParsableArguments, Sendable {
  @Flag(help: "Show what would be done, through a handle that cannot write.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do it without asking, in production too.")
  var yes = false

  @Option(help: ArgumentHelp("Accept a risk the plan names. May be repeated.", valueName: "name"))
  var acceptRisk: [String] = []

  func validate() throws {
    let named = SchemaChange.Risk.named.map(\.rawValue)
    if let unknown = acceptRisk.first(where: { !named.contains($0) }) {
      throw ValidationError("'\(unknown)' is no risk; the named risks are \(named.joined(separator: ", "))")
    }
  }
}

enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument { case auto, always, never }
enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument { case text, json }
enum SchemaRoute: String, Sendable, CaseIterable, ExpressibleByArgument { case web, cktool }
enum EnvironmentName: String, Sendable, CaseIterable, ExpressibleByArgument { case development, production }
