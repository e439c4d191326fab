internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

extension CommandContext {
  /// For jobs that write nothing but what they compute: nobody is asked in development, and production wants a
  /// word as from any other command.
  func confirmJob(_ question: PrintableText, options: MutationOptions) throws {
    guard try target.environment == .production, !options.dryRun else { return }
    try confirm(question, options: options)
  }

  /// Asks the person who runs the command to confirm it, unless the options do.
  ///
  /// Every named risk must be accepted by its name. On production the answer is the container's name, or `--yes`.
  /// In development a script needs no confirmation.
  ///
  /// - Parameters:
  ///   - details: what is about to be done, shown only when a person is asked.
  ///   - target: what is written to, when it is not the environment of the settings.
  ///   - loss: completes "the plan …": what would be lost if the risks were accepted.
  func confirm(
    _ question: PrintableText, details: @autoclosure () -> PrintableText = "", risks: Set<String> = [],
    loss: String? = nil, options: MutationOptions, target: ContainerIdentity? = nil
  ) throws {
    let missing = risks.subtracting(options.acceptRisk)
    guard missing.isEmpty else {
      throw CommandFailure(
        "the plan \(loss.map { "\($0), and " } ?? "")carries a risk that was not accepted: "
          + missing.sorted().joined(separator: ", "),
        code: "risk-not-accepted", hint: "Read the plan (--dry-run); to go on, add \(RiskOptions(missing)).")
    }
    if options.yes { return }
    let target = try target ?? self.target
    guard let readLine = process.console.readLine, !common.noInput, format == .text else {
      if target.environment == .development { return }
      throw CommandFailure(
        "writing to production needs confirmation", code: "not-confirmed",
        hint: "Nothing was written. Add --yes to confirm.")
    }
    let isProduction = target.environment == .production
    let prompt: PrintableText =
      isProduction ? "Type '\(target.name)' to continue: " : "Continue? [y/N] "
    try process.console.errors.write("\(details())\(question)\n" + prompt)
    let answer = readLine() ?? ""
    guard isProduction ? answer == target.name : ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure("Cancelled. Nothing was written.", code: "not-confirmed")
    }
  }
}
