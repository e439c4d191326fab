extension Tool {
  /// The moment that every run of these tests takes to be now, so that two runs write the same stamps.
  static let clock = "2026-02-03T04:05:06Z"
  /// More than a lease's life later.
  static let laterClock = "2026-02-03T05:05:06Z"

  init(in directory: String, clock: String = Tool.clock) {
    self.init(directory: directory, environment: ["CELESTRA_ADMIN_CLOCK": clock])
  }

  /// The same tool an hour later.
  var later: Tool { with("CELESTRA_ADMIN_CLOCK", Tool.laterClock) }

  /// The same tool working on a container file without any emulator.
  func on(file: String) -> Tool { with("CELESTRA_ADMIN_CONTAINER", "local:\(file)") }

  private func with(_ name: String, _ value: String) -> Tool {
    var tool = self
    tool.environment[name] = value
    return tool
  }

  /// Runs the tool and insists on its success.
  @discardableResult
  func succeed(_ words: String...) async throws -> Outcome {
    let outcome = try await run(words)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    return outcome
  }

  struct Failed: Error, CustomStringConvertible {
    let words: [String]
    let outcome: Outcome
    var description: String { "\(words.joined(separator: " ")) ended with \(outcome.status)\n\(outcome.err)" }
  }

  /// Every record but the locks of jobs, which have a random name and the time in them.
  func export() async throws -> [String] {
    try await succeed("records", "export").lines.filter { !$0.contains(#""AdminLease""#) }.sorted()
  }
}

extension Tool.Outcome {
  var lines: [String] { out.split(separator: "\n").map(String.init) }
}
