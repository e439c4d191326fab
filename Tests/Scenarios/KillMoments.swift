import Platform

/// Random moments between a run's start and a little after its end. The same seed gives the same shares of the run.
struct KillMoments {
  /// How many runs of a command are killed.
  static let wanted = 6

  private var generator: SeededGenerator
  private var longest: Duration
  /// Runs that were ended before they ended themselves.
  private(set) var cut = 0

  /// - Parameter longest: about how long a run takes that is left alone; what is seen of the runs corrects it.
  init(seed: UInt64, longest: Duration = .milliseconds(400)) {
    generator = SeededGenerator(seed: seed)
    self.longest = longest
  }

  /// A kill may come after the run has ended by itself: then there are more rounds, until most did cut one off.
  func wantMore(after round: Int) -> Bool { round <= KillMoments.wanted || cut * 2 <= KillMoments.wanted }

  /// Ends the command at a random moment.
  ///
  /// - Returns: whether that cut it off.
  mutating func kill(_ tool: Tool, _ words: [String]) async throws -> Bool {
    let share = Double.random(in: 0.05...0.9, using: &generator)
    let start = ContinuousClock.now
    let wasCut = try await tool.runAndKill(words, after: longest * share)
    if wasCut {
      cut += 1
      // Nothing was learned about the whole run's time: the next one is given a little more.
      longest = longest * 1.1
    } else {
      // A run that only had a rest to do says little about a whole one.
      longest = max((ContinuousClock.now - start) * 0.8, longest * 0.7)
    }
    return wasCut
  }
}
