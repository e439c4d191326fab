internal import ArgumentParser
internal import CommandLine
internal import RecordChanges

/// What a job does while another run of it is in progress.
struct LeaseArguments: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("Wait so long for another run of this job to end.", valueName: "time"),
    transform: DurationText.parse)
  var wait: Duration?
  @Flag(help: "Take the place of another run at once. Only for one that is certainly dead.")
  var breakLease = false

  func terms(_ context: CommandContext) throws -> LeaseTerms {
    var terms = try context.leaseTerms()
    terms.wait = wait
    terms.breaksOthers = breakLease
    return terms
  }
}
