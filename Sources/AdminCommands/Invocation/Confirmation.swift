internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges
internal import Records

protocol ConfirmationOptions: Sendable {
  var yes: Bool { get }
  var acceptRisk: [String] { get }
}

extension CommandContext {
  /// Asks for confirmation of a job, in production only.
  func confirmJob(_ question: StyledText, options: MutationOptions) async throws {
    guard !options.dryRun, try target.environment == .production else { return }
    try await confirm(question, options: options)
  }

  /// Asks for confirmation of a job that deletes, unless it finds nothing.
  ///
  /// - Returns: false if it found nothing: what it would find later was not confirmed.
  func confirmPurge(
    _ question: StyledText, _ options: MutationOptions, finds: () async throws -> Bool
  ) async throws -> Bool {
    if options.dryRun || options.yes && options.acceptRisk.contains(DeletionLoss.risk) { return true }
    guard try await finds() else { return false }
    try await confirm(question, deleting: .permanent, options: options)
    return true
  }

  func confirm(
    corrections: [RecordChange], deleting deletion: DeletionLoss, _ options: MutationOptions
  ) async throws {
    guard !corrections.isEmpty else { return }
    try await confirm(
      "Correct \(counted(corrections.count, "record")) in \(target.name).",
      details: .changes(corrections), deleting: deletion, options: options)
  }

  func confirm(
    _ plan: RecordDeletion, deleting deletion: DeletionLoss, _ options: MutationOptions
  ) async throws {
    guard !plan.changes.isEmpty else { return }
    let target = try target
    try await confirm(
      "Delete \(counted(plan.changes.count, "record")) from \(target.name) (\(target.environment.rawValue)).",
      details: plan.details, deleting: deletion, risks: plan.risks.names, options: options)
  }

  func confirm(_ erasure: PersonErasureResult, _ options: MutationOptions) async throws {
    guard erasure.foundCount > 0 else { return }
    let target = try target
    try await confirm(
      "Erase \(counted(erasure.foundCount, "record")) of this person from \(target.name) (\(target.environment.rawValue)). This cannot be undone.",
      details: erasure.body, deleting: .permanent, options: options)
  }

  /// Asks the user to confirm the command, unless an option does.
  ///
  /// Every named risk needs `--accept-risk`, but a person who answers the prompt accepts data-loss, which the prompt
  /// names. In production the user types the container's name, or passes `--yes`. In development, a script needs `--yes`
  /// only for data-loss and, with `--no-input`, for every deletion.
  ///
  /// - Parameters:
  ///   - details: what will be done, shown with a prompt and with the refusal of a risk.
  ///   - deletion: what the command deletes; its risk is added to the others.
  ///   - loss: a clause after "the plan" that says what would be lost.
  ///   - target: the environment to write to, if it is not the configured one.
  /// - Returns: whether a person has seen the details and answered.
  @discardableResult func confirm(
    _ question: StyledText, details: @autoclosure () -> ReportBody = ReportBody(),
    deleting deletion: DeletionLoss = .none, risks: Set<String> = [], loss: String? = nil,
    options: some ConfirmationOptions, target: ContainerIdentity? = nil
  ) async throws -> Bool {
    let target = try target ?? self.target
    let isProduction = target.environment == .production
    let risks = risks.union(deletion.risks(in: target.environment))
    let losesData = risks.contains(DeletionLoss.risk)
    let canAsk = !options.yes && process.console.readLine != nil && !common.noInput && format == .text
    var missing = risks.subtracting(options.acceptRisk)
    let isAskedForLoss = canAsk && missing.remove(DeletionLoss.risk) != nil
    guard missing.isEmpty else {
      // What is refused is what must be read.
      let shown = format == .text ? details() : ReportBody()
      try process.console.errors.write(shown.text(errorStyle))
      let flags = (losesData && !options.yes && !canAsk ? "--yes " : "") + RiskOptions(missing).description
      throw CommandFailure(
        "the plan \(loss.map { "\($0), and " } ?? "")carries a risk that was not accepted: "
          + missing.sorted().joined(separator: ", "),
        details: RiskOptions(missing).lines, code: "risk-not-accepted",
        hint: shown.isEmpty
          ? "Read the plan (--dry-run); to go on, add \(flags)." : "If that is what you want, add \(flags).")
    }
    if options.yes { return false }
    guard canAsk else {
      guard isProduction || losesData || (deletion.isDeletion && common.noInput) else { return false }
      throw CommandFailure(
        "\(isProduction ? "writing to production" : "deleting") needs confirmation", code: "not-confirmed",
        hint: "Nothing was written. Add --yes to confirm.")
    }
    let plan = ReportBody {
      details()
      question
      if isAskedForLoss { "This carries the risk \(DeletionLoss.risk): \(deletion.consequence)." }
    }
    let prompt: PrintableText =
      isProduction ? "Type '\(target.name)' to continue: " : "Continue? [y/N] "
    try process.console.errors.write(plan.text(errorStyle) + prompt)
    let answer = try await process.console.answer() ?? ""
    guard isProduction ? answer == target.name : ["y", "yes"].contains(answer.lowercased()) else {
      throw CommandFailure.cancelled
    }
    return true
  }
}
