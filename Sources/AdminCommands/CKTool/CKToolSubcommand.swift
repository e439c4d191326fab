internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command group `cktool`, whose subcommands accept the arguments of Apple's tool.
struct CKToolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cktool", abstract: "Drop-in replacement for Apple's cktool.",
    discussion: """
      Each verb has the options and the exit status (0, 1, 64) of Apple's, on any machine. Schemas are reached with \
      a management token: --token, then CLOUDKIT_MANAGEMENT_TOKEN, then the saved one. Records are reached with a \
      server-to-server key instead of a user token, and therefore in the public database only.
      """,
    subcommands: [
      CKToolExportSchema.self, CKToolImportSchema.self, CKToolValidateSchema.self, CKToolResetSchema.self,
      CKToolSaveToken.self, CKToolRemoveToken.self, CKToolGetTeams.self, CKToolCreateRecord.self,
      CKToolQueryRecords.self, CKToolDeleteRecord.self, CKToolDeleteRecords.self, CKToolVersion.self,
      CKToolHelp.self,
    ])
}

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
