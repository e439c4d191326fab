public import Diagnostics

extension RecountEstimate: Report {
  public func text(_ style: TerminalStyle) -> PrintableText {
    let rate = assumptions.requestsPerSecond
    let number = Int(exactly: rate).map(String.init) ?? "\(rate)"
    let limit = rate.isFinite ? "\(number) requests/s (CLOUDKIT_RATE_LIMIT)" : "any rate"
    let unknown: PrintableText =
      "no earlier count is known: give the numbers with --sources and --targets\n"
    let shards = shards.map { counted($0, "shard") } ?? "no number of shards"
    return """
      \(aggregate): \(plan.strategy.rawValue) over about \(plan.expectedSources) \(sourceType) records, \
      \(counted(targets, "target"))
      query requests: \(queries), modify requests: at most \(maxWrites)
      about \(Int64(min(seconds.rounded(.up), 1e15))) s at \(limit) and \
      \(Int(assumptions.latency * 1000)) ms a request; \(shards) to stay below an hour each

      """ + (plan.expectedSources == 0 ? unknown : "")
  }
}
