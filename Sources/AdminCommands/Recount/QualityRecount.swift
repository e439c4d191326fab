internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The options of `recount quality`.
struct QualityArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("For quality: signals (the default) or celestra.", valueName: "profile"),
    transform: Choice.parse)
  var profile: QualityProfile.Name?
  @Flag(help: "For quality: print the parts of every score.") var explain = false

  var isGiven: Bool { profile != nil || explain }
}

/// One run of `recount quality`.
struct QualityRun {
  private let run: RecountRun
  private let arguments: QualityArguments

  init(_ run: RecountRun, _ arguments: QualityArguments) {
    self.run = run
    self.arguments = arguments
  }

  func result() async throws -> any Report {
    guard let layout = run.catalog.quality else {
      throw CommandFailure.usage("the container's schema has no feeds with a quality score")
    }
    if run.arguments.estimate {
      throw CommandFailure.usage("--estimate is for counts; quality reads every feed and its health once")
    }
    let profile = arguments.profile.map(QualityProfile.init) ?? run.file.quality ?? QualityProfile(.signals)
    var options = run.options
    // `--explain` never writes.
    if arguments.explain { options.dryRun = true }
    let recount = QualityRecount(
      profile: profile, layout: layout, schema: run.schema, container: run.container, options: options,
      environment: try run.environment("quality"))
    var explanations: [QualityRecount.Explanation] = []
    let outcome = try await recount.run { if arguments.explain { explanations.append($0) } }
    return arguments.explain ? QualityReport(outcome, explanations) : outcome
  }
}
