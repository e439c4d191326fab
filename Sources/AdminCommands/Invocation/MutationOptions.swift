internal import Aggregates
internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct MutationOptions: ParsableArguments, ConfirmationOptions {
  @Flag(help: "Show what would change. Nothing is written.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation, in production too.")
  var yes = false

  @Option(
    "Accept a risk that the plan names. May be repeated.", value: "name", completion: CompletionValues.risks)
  var acceptRisk: [String] = []

  var isGiven: Bool { dryRun || yes || !acceptRisk.isEmpty }

  static let namedRisks =
    SchemaChange.Risk.named.map(\.rawValue)
    + SeedPlanRisk.allCases.map(\.rawValue)
    .filter { SchemaChange.Risk(rawValue: $0) == nil }.sorted() + [RecountOptions.countDropRisk]

  func validate() throws {
    // A risk that a plan shows, and that needs no acceptance, may be named.
    guard let unknown = acceptRisk.first(where: { RiskOptions.meanings[$0] == nil }) else { return }
    let named = MutationOptions.namedRisks
    let near = SpellingSuggestion.help(unknown, among: named, quote: "'")
    let advice = near ?? "expected one of: \(named.joined(separator: ", "))"
    throw ValidationError("unknown risk '\(unknown)'; \(advice)")
  }
}

/// The options for a job when another run of it is in progress.
struct LeaseOptions: ParsableArguments, Sendable {
  @Option(
    "Wait up to this long for another run of this job to end.", value: "time", transform: DurationParser.parse
  )
  var wait: Duration?
  @Flag(
    help: """
      Do not wait for the lease of another run: the record that keeps two runs of a job apart. Only if that run has \
      certainly ended.
      """)
  var breakLease = false

  func terms(_ context: CommandContext) throws -> LeaseDurations {
    var terms = try context.leaseTerms()
    terms.wait = wait
    terms.breaksOthers = breakLease
    return terms
  }
}

struct JobOptions: ParsableArguments, Sendable {
  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
}

/// A command that writes, of which two runs at once are kept apart.
protocol JobCommand: AdminCommand { var job: JobOptions { get } }

extension JobCommand {
  var mutation: MutationOptions { job.mutation }
  var lease: LeaseOptions { job.lease }
  var isDryRun: Bool { mutation.dryRun }
}

extension CommandContext {
  /// The durations of leases; tests shorten them.
  func leaseTerms() throws -> LeaseDurations {
    try settings.duration(.leaseLifetime).map { LeaseDurations(silence: $0) } ?? LeaseDurations()
  }
}

struct PlanningOptions: ParsableArguments, Sendable {
  @Option(
    "Also save the plan as JSON in this file, whatever --format prints.", value: "file", completion: .file())
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
  func save(
    _ report: some PlanReport, for command: String, in context: CommandContext, as envelope: JSONEnvelope
  ) throws {
    note(report, for: command, in: context)
    guard let save else { return }
    let former = try FileKind(save) == .file ? RegularFile.read(save, upTo: 1 << 28) : []
    guard former.isEmpty || PlanFile.isPlan(former) else {
      throw CommandFailure(
        "\(save) already exists and is not a plan; it was not replaced", code: "foreign-file",
        hint: "Give --save another name, or remove the file.")
    }
    try OutputFile.write(envelope.document(of: report).text(.pretty) + "\n", to: save)
  }

  /// Of a plan that goes into the file of `--output` and is not printed, says what applies it, or the conclusion if
  /// nothing does. A plan for a mirror can be applied nowhere.
  private func note(_ report: some PlanReport, for command: String, in context: CommandContext) {
    let apply = "'celestra-admin \(command)"
    if let mirror = context.mirror {
      let service = "\(apply) --container \(mirror.source) --environment \(mirror.environment)'"
      let advice = report.canBeApplied ? "; \(service) plans and applies for the service" : ""
      context.note("note: this plan is for a mirror and cannot be applied\(advice)")
    } else if let output = context.common.outputFile {
      let isSaved = context.format == .json
      let advice =
        isSaved
        ? "; \(apply) --plan \(output.shellWord)' applies it"
        : ", which '\(command)' does not read: --save FILE saves one to apply"
      let form = isSaved ? "" : " as \(context.format.rawValue)"
      context.note("the plan goes to \(output)\(form)\(report.canBeApplied ? advice : "")")
      if isSaved, !context.common.quiet {
        let rest = ReportBody {
          if report.canBeApplied { report.risks.items } else { report.conclusion }
        }
        context.process.console.writeError(rest.mappingTexts(context.completed).text(context.errorStyle))
      }
    }
  }
}

/// The value of `--before`: `2026-11-01`, `2026-11-01T08:00:00Z`, or `30d` for 30 days ago.
extension TimeOrAge {
  /// Throws a usage error for other text. A number alone could mean either, and is refused.
  static func parse(_ text: String) throws -> TimeOrAge {
    if text.contains(where: { !$0.isNumber && $0 != "." }) {
      if let time = Timestamp(text: text) { return .time(time) }
      if let age = try? DurationParser.parse(text) { return .age(age) }
    }
    throw ValidationError("'\(text)' is neither a time such as 2026-11-01 nor an age such as 30d")
  }
}

protocol ConfirmationOptions: Sendable {
  var yes: Bool { get }
  var acceptRisk: [String] { get }
}

extension CommandContext {
  /// Whether there is a person to ask.
  var canAsk: Bool { process.console.readLine != nil && !common.noInput && format == .text }

  /// Asks for confirmation of a job, in production only.
  func confirmJob(_ question: StyledText, options: MutationOptions) async throws {
    guard !options.dryRun, try target.environment == .production else { return }
    try await confirm(question, options: options)
  }

  /// Asks the user to confirm the command, unless an option does.
  ///
  /// Every named risk needs `--accept-risk`, but a person who answers the prompt accepts data-loss, which the prompt
  /// names. In production the user types the container's name or CloudKit id, or passes `--yes`. In development, a
  /// script needs `--yes` only for data-loss and, with `--no-input`, for every deletion.
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
    let canAsk = !options.yes && self.canAsk
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
    let prompt: PrintableText = isProduction ? "Type \(target.name) to continue: " : "Continue? [y/N] "
    try process.console.errors.write(plan.text(errorStyle) + prompt)
    let answer = (try await process.console.answer() ?? "").trimmingWhitespace
    let isConsent =
      isProduction
      ? [answer, "cloudkit:\(answer)"].contains(target.name) : ["y", "yes"].contains(answer.lowercased())
    guard isConsent else {
      guard isProduction, !["", "n", "no"].contains(answer.lowercased()) else {
        throw CommandFailure.cancelled
      }
      throw CommandFailure("'\(answer)' is not '\(target.name)'; nothing was written", code: "not-confirmed")
    }
    return true
  }
}

extension [RecordChange] {
  /// `Write 3 records`, `Delete 2 records` or `Write 3 records and delete 2`.
  func question(_ verb: String) -> String {
    let deleted = self.count { $0.action == .delete }
    if deleted == count { return "Delete \(counted(deleted, "record"))" }
    return "\(verb) \(counted(count - deleted, "record"))" + (deleted > 0 ? " and delete \(deleted)" : "")
  }
}
