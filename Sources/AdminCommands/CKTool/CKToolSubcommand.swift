internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// A subcommand of `cktool` with Apple's options, which are mapped to this tool's settings.
protocol CKToolSubcommand: RunnableCommand {
  var place: CKToolSettings { get }
}

/// Apple's options converted to this tool's settings.
struct CKToolSettings {
  var containerID: String?
  var environment: EnvironmentOption?
  var output: String?
  /// Values of options, as environment variables that override those of the process.
  var variables: [String: String] = [:]
}

extension CKToolSubcommand {
  static var formats: [OutputFormat] { [.text] }

  var common: SharedOptionValues {
    var options = SharedOptionValues()
    options.container = place.containerID.map { "cloudkit:\($0)" }
    options.environment = place.environment
    options.output = place.output
    return options
  }

  func run() async throws {
    var process = ProcessContext.current
    process.environment.merge(place.variables) { $1 }
    let status = await CommandRunner(command: self, process: process).run()
    switch status {
    case .done: return
    case .usage, .interrupted, .terminated: throw ExitCode(status.rawValue)
    default: throw ExitCode(ExitStatus.failed.rawValue)
    }
  }
}

extension CommandContext {
  /// Asks the user to confirm, as Apple's tool does; scripts pass `--yes`.
  func confirmLikeCKTool(_ question: PrintableText, yes: Bool, flag: String = "--yes") throws {
    if yes { return }
    guard let readLine = process.console.readLine else {
      throw CommandFailure(
        "cannot prompt: standard input is not a terminal", code: "not-confirmed", hint: "Add \(flag).")
    }
    try process.console.errors.write("\(question) (y/n): ")
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw CommandFailure.cancelled
    }
  }
}

struct CKToolTokenOption: ParsableArguments, Sendable {
  @Option(
    name: [.customShort("t"), .long],
    help: "The token. Other users of this machine can see it: prefer a variable or a saved token.")
  var token: String?

  func validate() throws {
    if let token, !TokenFormat.isToken(token) {
      throw ValidationError("--token takes one word of visible ASCII characters")
    }
  }
}

struct CKToolContainerOptions: ParsableArguments, Sendable {
  @OptionGroup var token: CKToolTokenOption
  @Option(help: "The developer team's ten characters.") var teamId: String
  @Option(help: "The container: iCloud.com.example.App.") var containerId: String

  func validate() throws {
    guard TeamID.isOne(teamId) else {
      throw ValidationError("--team-id takes the id of a developer team: \(TeamID.form)")
    }
  }

  func place(_ environment: EnvironmentOption, output: String? = nil) -> CKToolSettings {
    var variables = ["CLOUDKIT_TEAM_ID": teamId]
    variables["CLOUDKIT_MANAGEMENT_TOKEN"] = token.token
    return CKToolSettings(
      containerID: containerId, environment: environment, output: output, variables: variables)
  }
}

/// The options that confirm what Apple's tool does without asking: it deletes data that nothing restores.
struct CKToolConfirmation: ParsableArguments, ConfirmationOptions {
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
  @Option("Accept the risk data-loss: data is deleted that nothing restores.", value: "name")
  var acceptRisk: [String] = []

  func validate() throws {
    guard acceptRisk.allSatisfy({ $0 == DeletionLoss.risk }) else {
      throw ValidationError("--accept-risk takes \(DeletionLoss.risk) here")
    }
  }
}

/// The option `--environment`, also accepted in upper case
/// (Documentation/reference/schema-language.md#cktool-commands).
struct CKToolEnvironmentOption: ParsableArguments, Sendable {
  @Option(
    help: "development or production.", completion: EnumOption.words(EnvironmentOption.self),
    transform: { try EnumOption.parse($0.lowercased()) })
  var environment: EnvironmentOption
}
