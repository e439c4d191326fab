internal import ArgumentParser
internal import CommandLine
internal import RecordChanges

/// The options for a job when another run of it is in progress.
struct LeaseOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("Wait up to this long for another run of this job to end.", valueName: "time"),
    transform: DurationParser.parse)
  var wait: Duration?
  @Flag(help: "Take over the lease immediately. Only if the other run has certainly ended.")
  var breakLease = false

  func terms(_ context: CommandContext) throws -> LeaseDurations {
    var terms = try context.leaseTerms()
    terms.wait = wait
    terms.breaksOthers = breakLease
    return terms
  }
}
