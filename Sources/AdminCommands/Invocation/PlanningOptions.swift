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

  /// Writes the plan that is also printed, so that both come from one reading of the container.
  func save(_ report: some Report, as envelope: JSONEnvelope) throws {
    guard let save else { return }
    try OutputFile.write(envelope.document(of: report).text(.pretty) + "\n", to: save)
  }
}
