internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The options of `recount quality`.
struct RecountQualityArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("For quality: signals (the default) or celestra.", valueName: "profile"),
    transform: EnumOption.parse)
  var profile: QualityProfile.Name?
  @Flag(help: "For quality: print the parts of every score.") var explain = false

  var isGiven: Bool { profile != nil || explain }
}

extension RecountRun {
  /// Scores the feeds, or explains their scores.
  func runQuality(_ choices: RecountQualityArguments) async throws -> any Report {
    guard let layout = catalog.quality else {
      throw CommandFailure.usage("the container's schema has no feeds with a quality score")
    }
    if arguments.estimate {
      throw CommandFailure.usage(
        "--estimate does not work with 'recount quality', which reads every feed and its health once")
    }
    let profile = choices.profile.map(QualityProfile.init) ?? file.quality ?? QualityProfile(.signals)
    var options = options
    // `--explain` never writes.
    if choices.explain { options.dryRun = true }
    let recount = QualityRecount(
      profile: profile, layout: layout, schema: schema, container: container, options: options,
      environment: try environment("quality"))
    var explanations: [QualityRecount.Explanation] = []
    let outcome = try await recount.run { if choices.explain { explanations.append($0) } }
    return choices.explain ? QualityScoreReport(outcome, explanations) : outcome
  }
}
