internal import Aggregates
internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import RecordChanges
internal import SchemaLanguage

/// The options of a command that changes something.
struct MutationOptions: ParsableArguments, ConfirmationOptions {
  @Flag(help: "Show what would change. Nothing is written.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask for confirmation, in production too.")
  var yes = false

  @Option(
    help: ArgumentHelp("Accept a risk that the plan names. May be repeated.", valueName: "name"),
    completion: CompletionValues.risks)
  var acceptRisk: [String] = []

  var isGiven: Bool { dryRun || yes || !acceptRisk.isEmpty }

  /// The risks of all kinds of plans.
  static let namedRisks =
    SchemaChange.Risk.named.map(\.rawValue)
    + SeedPlanRisk.allCases.map(\.rawValue)
    .filter { SchemaChange.Risk(rawValue: $0) == nil }.sorted() + [RecountOptions.countDropRisk]

  func validate() throws {
    let named = MutationOptions.namedRisks
    if let unknown = acceptRisk.first(where: { !named.contains($0) }) {
      throw ValidationError("unknown risk '\(unknown)'; expected one of: \(named.joined(separator: ", "))")
    }
  }
}

/// The options for a job when another run of it is in progress, under a heading of their own in help.
struct LeaseOptions: ParsableArguments, Sendable {
  private struct Values: ParsableArguments, Sendable {
    @Option(
      help: ArgumentHelp("Wait up to this long for another run of this job to end.", valueName: "time"),
      transform: DurationParser.parse)
    var wait: Duration?
    @Flag(
      help: """
        Do not wait for the lease of another run: the record that keeps two runs of a job apart. Only if that run has \
        certainly ended.
        """)
    var breakLease = false
  }
  @OptionGroup(title: "Other runs of the job") private var values: Values

  func terms(_ context: CommandContext) throws -> LeaseDurations {
    var terms = try context.leaseTerms()
    terms.wait = values.wait
    terms.breaksOthers = values.breakLease
    return terms
  }
}

extension CommandContext {
  /// The durations of leases; tests shorten them.
  func leaseTerms() throws -> LeaseDurations {
    guard let setting = try settings.lookup(.leaseLifetime) else { return LeaseDurations() }
    return LeaseDurations(silence: try setting.duration(mustBe: "a time such as 3m"))
  }
}
