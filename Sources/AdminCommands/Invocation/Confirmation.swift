internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges
internal import Records

extension CommandContext {
  /// Asks for confirmation of a job: never in development, and in production as for other commands.
  ///
  /// - Parameter risks: named risks of the job in production.
  func confirmJob(
    _ question: PrintableText, risks: Set<String> = [], options: MutationOptions
  ) async throws {
    guard try target.environment == .production, !options.dryRun else { return }
    try await confirm(question, risks: risks, options: options)
  }

  /// Asks for confirmation of corrections. Deletions among them are a named risk in production.
  func confirm(corrections: [RecordChange], _ options: MutationOptions) async throws {
    let target = try target
    let isRisky = target.environment == .production && corrections.contains { $0.action == .delete }
    try await confirm(
      "Correct \(counted(corrections.count, "record")) in \(target.name).",
      details: RecordChangeText.lines(of: corrections), risks: isRisky ? ["data-loss"] : [], options: options)
  }

  /// Asks for confirmation of deletions with their risks.
  func confirm(_ deletion: RecordDeletion, _ options: MutationOptions) async throws {
    guard !deletion.changes.isEmpty else { return }
    let target = try target
    try await confirm(
      "Delete \(counted(deletion.changes.count, "record")) from \(target.name) (\(target.environment.rawValue)).",
      details: deletion.details, risks: deletion.risks.names, options: options)
  }

  /// Asks for confirmation of a person's erasure: a named risk in production, and anywhere if records of others go with it.
  func confirm(_ erasure: PersonErasureResult, _ options: MutationOptions) async throws {
    guard erasure.foundCount > 0 else { return }
    let target = try target
    let isRisky = target.environment == .production || erasure.hasCascades
    try await confirm(
      "Erase \(counted(erasure.foundCount, "record")) of this person from \(target.name) (\(target.environment.rawValue)). This cannot be undone.",
      details: erasure.text(.plain), risks: isRisky ? ["data-loss"] : [], options: options)
  }

  /// Asks the user to confirm the command, unless an option does.
  ///
  /// Every named risk needs `--accept-risk`. In production the user types the container's name, or passes `--yes`.
  /// In development, a script needs no confirmation.
  ///
  /// - Parameters:
  /// - details: what will be done, shown only with a prompt.
  /// - target: the environment to write to, if it is not the configured one.
  /// - loss: a clause after "the plan" that says what would be lost.
  func confirm(
    _ question: PrintableText, details: @autoclosure () -> PrintableText = "", risks: Set<String> = [],
    loss: String? = nil, options: MutationOptions, target: ContainerIdentity? = nil
  ) async throws {
    let missing = risks.subtracting(options.acceptRisk)
    guard missing.isEmpty else {
      throw CommandFailure(
        "the plan \(loss.map { "\($0), and " } ?? "")carries a risk that was not accepted: "
          + missing.sorted().joined(separator: ", "),
        code: "risk-not-accepted", hint: "Read the plan (--dry-run); to go on, add \(RiskOptions(missing)).")
    }
    if options.yes { return }
    let target = try target ?? self.target
    guard process.console.readLine != nil, !common.noInput, format == .text else {
      if target.environment == .development { return }
      throw CommandFailure(
        "writing to production needs confirmation", code: "not-confirmed",
        hint: "Nothing was written. Add --yes to confirm.")
    }
    let isProduction = target.environment == .production
    let prompt: PrintableText =
      isProduction ? "Type '\(target.name)' to continue: " : "Continue? [y/N] "
    try process.console.errors.write("\(details())\(question)\n" + prompt)
    let answer = try await process.console.answer() ?? ""
    guard isProduction ? answer == target.name : ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure.cancelled
    }
  }
}
