internal import CloudKitModel
package import Diagnostics

/// The cost of a recount, computed before anything is counted.
package struct RecountEstimate: Sendable, Hashable {
  /// The size of an imaginary job: records to count, not negative, and groups, 1 or more. Each target type has one record
  /// for each group.
  package typealias Size = (sources: Int64, groups: Int)

  var isVerbose = false
  package let aggregate: String
  package let sourceType: String
  package let plan: ScanPlan
  /// Target records, copies included.
  package let targets: Int64
  package let targetRequests: Int64
  /// Modify requests if all values have changed.
  package let maxWrites: Int64
  package let assumptions: ScanCostAssumptions
  /// Whether the number of records to count is known. Without an earlier count, it is taken for 0.
  private let isKnown: Bool
  /// Seconds that one process may take: a common limit for scheduled jobs.
  package static let timeLimit = 3600.0

  init(
    _ declaration: AggregateDeclaration, _ plan: ScanPlan, targets: [Int64],
    _ assumptions: ScanCostAssumptions, isKnown: Bool
  ) {
    self.isKnown = isKnown
    aggregate = declaration.name
    sourceType = declaration.source.recordType
    self.plan = plan
    self.assumptions = assumptions
    self.targets = targets.reduce(0, +)
    targetRequests = targets.reduce(0) { $0 + max(1, ScanCostAssumptions.pages($1)) }
    maxTargetPages = targets.map(ScanCostAssumptions.pages).max() ?? 0
    maxWrites = ScanCostAssumptions.pages(self.targets)
  }

  private let maxTargetPages: Int64

  package var queries: Int64 { targetRequests + plan.expectedRequests }

  /// Target types are read in parallel, each page after page. Writes go one after the other.
  package var seconds: Double { reading + plan.expectedSeconds + writing }

  /// How many shards each finish within the limit, if each of them has the assumed rate for itself. `nil` when
  /// reading the targets, which each shard must do, takes longer than the limit. Shards that share one rate save no
  /// time.
  package var shards: Int? {
    guard reading < Self.timeLimit else { return nil }
    return max(1, Int(((seconds - reading) / (Self.timeLimit - reading)).rounded(.up)))
  }

  private var reading: Double {
    assumptions.seconds(requests: targetRequests, longest: maxTargetPages, sideBySide: .max)
  }
  private var writing: Double { assumptions.seconds(requests: maxWrites, longest: maxWrites, sideBySide: 1) }

  package var json: JSONValue {
    [
      "aggregate": aggregate.json, "strategy": plan.strategy.rawValue.json,
      "expectedSources": plan.expectedSources.json, "targets": targets.json, "expectedRequests": queries.json,
      "requests": ["query": queries.json, "modifyAtMost": maxWrites.json],
      "expectedSeconds": .double((seconds * 10).rounded() / 10),
      "requestsPerSecond": assumptions.requestsPerSecond.json, "latencySeconds": assumptions.latency.json,
      "timeLimitSeconds": Self.timeLimit.json, "shards": shards.map { JSONValue($0) } ?? .null,
    ]
  }
}

extension RecountEstimate: Report {
  package var body: ReportBody {
    let rate = assumptions.requestsPerSecond
    let number = Int(exactly: rate).map(String.init) ?? "\(rate)"
    let limit = rate.isFinite ? "\(number) requests/s (CLOUDKIT_RATE_LIMIT)" : "any rate"
    let shards = shards.map { counted($0, "shard") } ?? "no number of shards"
    let pace =
      "\(Int64(min(seconds.rounded(.up), 1e15))) s at \(limit) and \(Int(assumptions.latency * 1000)) ms a request"
    let strategy = isVerbose ? " (\(plan.strategy.rawValue))" : ""
    if isKnown {
      "\(aggregate): about \(plan.expectedSources) \(sourceType) records to read for \(counted(targets, "number"))\(strategy)"
      "query requests: \(queries), modify requests: at most \(maxWrites)"
      "about \(pace); \(shards) to stay below an hour each"
    } else {
      "\(aggregate): no earlier count of \(sourceType) records is known for \(counted(targets, "number"))\(strategy): give the numbers with --sources and --targets"
      "query requests: at least \(queries), modify requests: at most \(maxWrites)"
      "at least \(pace)"
    }
  }
}

extension RecountTargets {
  /// Imaginary targets of equal size.
  init(made size: RecountEstimate.Size) {
    self.init()
    let (each, rest) = size.sources.quotientAndRemainder(dividingBy: Int64(size.groups))
    for number in 0..<size.groups {
      let count = each + (Int64(number) < rest ? 1 : 0)
      add(Row(target: 0, recordName: "\(number)", current: .int64(count)), group: "\(number)")
    }
  }
}
