internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform

/// The options of a command that plans.
struct PlanningOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Also save the plan as JSON in this file, whatever --format prints.", valueName: "file"),
    completion: .file())
  var save: String?
  @Flag(help: "End with status 2 if there are changes.") var exitCode = false

  func validate() throws {
    if save == "-" {
      throw ValidationError(
        "--save takes the path of a file; --format json prints the plan to standard output")
    }
  }

  func status(hasChanges: Bool) -> ExitStatus { exitCode && hasChanges ? .differences : .done }

  /// Writes the plan that is also printed, so that both come from one reading of the container. Of a plan that goes into
  /// the file of `--output` and is not printed, it says what takes it.
  func save(
    _ report: some Report, for command: String, in context: CommandContext, as envelope: JSONEnvelope
  ) throws {
    if let output = context.common.outputFile {
      let plan = "the plan goes to \(output)"
      context.note(
        context.format == .json
          ? "\(plan); 'celestra-admin \(command) --plan \(output.shellWord)' applies it"
          : "\(plan) as \(context.format.rawValue), which '\(command)' does not read: --save FILE saves one to apply"
      )
    }
    guard let save else { return }
    try OutputFile.write(envelope.document(of: report).text(.pretty) + "\n", to: save)
  }
}
