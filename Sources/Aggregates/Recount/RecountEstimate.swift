internal import CloudKitModel
public import Diagnostics

/// What a recount will cost, before anything is counted.
public struct RecountEstimate: Sendable, Hashable {
  /// The size of a job that need not exist.
  public struct Size: Sendable, Hashable {
    /// Records to count, not negative.
    public var sources: Int64
    /// Names they count towards, 1 or more: so many records of each target type.
    public var groups: Int

    public init(sources: Int64, groups: Int) {
      self.sources = max(0, sources)
      self.groups = max(1, groups)
    }
  }

  public let aggregate: String
  public let plan: ScanPlan
  /// Target records, copies included.
  public let targets: Int64
  /// Pages of targets, to be read before and while the sources are.
  public let targetRequests: Int64
  /// When every value has moved; none when none has.
  public let mostWrites: Int64
  public let assumptions: ScanAssumptions
  /// Seconds one process may take: what people grant a job that a scheduler starts.
  public static let timeLimit = 3600.0

  /// - Parameter targets: records of each target type.
  init(_ aggregate: String, _ plan: ScanPlan, targets: [Int64], _ assumptions: ScanAssumptions) {
    func pages(_ records: Int64) -> Int64 { (records + assumptions.pageSize - 1) / assumptions.pageSize }
    self.aggregate = aggregate
    self.plan = plan
    self.assumptions = assumptions
    self.targets = targets.reduce(0, +)
    targetRequests = targets.reduce(0) { $0 + max(1, pages($1)) }
    longestTarget = targets.map(pages).max() ?? 0
    mostWrites = pages(self.targets)
  }

  private let longestTarget: Int64

  /// Queries: of targets and of sources.
  public var queries: Int64 { targetRequests + plan.expectedRequests }

  /// Target types are read side by side, each page after page; writes go one after the other.
  public var seconds: Double { reading + plan.expectedSeconds + writing }

  /// Processes that each finish within the limit, if each has the assumed rate to itself; `nil` when reading the
  /// targets, which every one of them must do, takes longer. Where the rate is shared by all, shards shorten
  /// nothing.
  public var shards: Int? {
    guard reading < Self.timeLimit else { return nil }
    return max(1, Int(((seconds - reading) / (Self.timeLimit - reading)).rounded(.up)))
  }

  private var reading: Double {
    assumptions.seconds(requests: targetRequests, longest: longestTarget, sideBySide: .max)
  }
  private var writing: Double {
    assumptions.seconds(requests: mostWrites, longest: mostWrites, sideBySide: 1)
  }

  public var json: JSONValue {
    [
      "aggregate": .string(aggregate), "strategy": .string(plan.strategy.rawValue),
      "expectedSources": .integer(plan.expectedSources), "targets": .integer(targets),
      "expectedRequests": .integer(queries),
      "requests": ["query": .integer(queries), "modifyAtMost": .integer(mostWrites)],
      "expectedSeconds": .double((seconds * 10).rounded() / 10),
      "requestsPerSecond": .double(assumptions.requestsPerSecond),
      "latencySeconds": .double(assumptions.latency), "timeLimitSeconds": .double(Self.timeLimit),
      "shards": shards.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

extension TargetTable {
  /// Targets that need not exist, alike in size.
  init(made size: RecountEstimate.Size) {
    self.init()
    let target = AggregateDeclaration.Target(recordType: "", field: "count")
    let (each, rest) = size.sources.quotientAndRemainder(dividingBy: Int64(size.groups))
    for number in 0..<size.groups {
      let count = each + (Int64(number) < rest ? 1 : 0)
      let record = TargetRecord(recordName: "\(number)", group: "\(number)", current: .int64(count))
      add(record, of: target, number: 0)
    }
  }
}
