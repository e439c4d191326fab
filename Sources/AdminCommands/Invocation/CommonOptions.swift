internal import ArgumentParser
internal import Catalog
internal import Diagnostics
internal import SchemaLanguage

/// The values of the options every command takes; as when no option was given, unless set.
struct CommonOptions: Sendable {
  var container: String?
  var environment: EnvironmentName?
  var format: OutputFormat?
  var output: String?
  var config: String?
  var color: ColorChoice = .auto
  var quiet = false
  var verbose = false
  var logFormat: LogFormat = .text
  var via: SchemaRoute?
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
}

/// The options of a command that changes something.
struct MutationOptions: ParsableArguments, Sendable {
  @Flag(help: "Show what would change. Nothing is written.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation, in production too.")
  var yes = false

  @Option(
    help: ArgumentHelp("Accept a risk the plan names. May be repeated.", valueName: "name"),
    completion: CompletionValues.risks)
  var acceptRisk: [String] = []

  /// Every risk that a plan of any kind can name.
  static let namedRisks =
    SchemaChange.Risk.named.map(\.rawValue)
    + SeedRisk.allCases.map(\.rawValue).filter { SchemaChange.Risk(rawValue: $0) == nil }

  func validate() throws {
    let named = MutationOptions.namedRisks
    if let unknown = acceptRisk.first(where: { !named.contains($0) }) {
      throw ValidationError("unknown risk '\(unknown)'; expected one of: \(named.joined(separator: ", "))")
    }
  }
}

enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument { case auto, always, never }
enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument { case text, json }
enum SchemaRoute: String, Sendable, CaseIterable, ExpressibleByArgument { case web, cktool }
enum EnvironmentName: String, Sendable, CaseIterable, ExpressibleByArgument { case development, production }
