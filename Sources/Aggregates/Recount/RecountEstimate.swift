public import PositionedJSON

/// What a recount of given size costs, on paper.
public struct RecountEstimate: Sendable, Hashable {
  /// The size of the job.
  public struct Size: Sendable, Hashable {
    public var sources: Int64
    /// Groups to count.
    public var groups: Int64
    /// Target records to read and write, copies included.
    public var targetRecords: Int64
    /// Target records whose value moved.
    public var changed: Int64

    public init(sources: Int64, groups: Int64, targetRecords: Int64, changed: Int64) {
      self.sources = max(0, sources)
      self.groups = max(0, groups)
      self.targetRecords = max(0, targetRecords)
      self.changed = max(0, changed)
    }
  }

  public let size: Size
  public let assumptions: ScanAssumptions
  /// Seconds one process may take.
  public let timeLimit: Double

  public init(_ size: Size, assumptions: ScanAssumptions = ScanAssumptions(), timeLimit: Double = 6 * 3600) {
    self.size = size
    self.assumptions = assumptions
    self.timeLimit = max(1, timeLimit)
  }

  /// Reading the targets, before anything else. Every shard does it.
  public var targetRequests: Int64 { pages(size.targetRecords) }
  public var sweepRequests: Int64 { pages(size.sources) }
  /// Half a page of waste for each bin beside the full pages.
  public var binnedRequests: Int64 { sweepRequests + (size.groups + 99) / 100 / 2 }
  public var writeRequests: Int64 { pages(size.changed) }

  public var sweepSeconds: Double {
    let serial = targetRequests + sweepRequests + writeRequests
    return assumptions.seconds(requests: serial, longest: serial, sideBySide: 1)
  }

  /// Targets and writes go one after the other, bins side by side.
  public var binnedSeconds: Double {
    let serial = targetRequests + writeRequests
    let bins = Int(clamping: max(1, (size.groups + 99) / 100))
    return assumptions.seconds(requests: serial, longest: serial, sideBySide: 1)
      + assumptions.seconds(requests: binnedRequests, longest: 0, sideBySide: bins)
  }

  /// Processes that each finish within the limit, if each has the assumed rate to itself; `nil` when reading the
  /// targets alone takes longer. Where the rate is shared by all, shards shorten nothing.
  public var shards: Int64? {
    let reading = Double(targetRequests) * max(assumptions.latency, 1 / assumptions.requestsPerSecond)
    guard reading < timeLimit else { return nil }
    return max(1, Int64(((binnedSeconds - reading) / (timeLimit - reading)).rounded(.up)))
  }

  public var json: JSONValue {
    [
      "sources": .integer(size.sources), "groups": .integer(size.groups),
      "targets": .integer(size.targetRecords), "changed": .integer(size.changed),
      "requests": [
        "targets": .integer(targetRequests), "sweep": .integer(sweepRequests),
        "binned": .integer(binnedRequests), "modify": .integer(writeRequests),
      ],
      "seconds": [
        "sweep": .double(sweepSeconds.rounded(.up)), "binned": .double(binnedSeconds.rounded(.up)),
      ],
      "requestsPerSecond": .double(assumptions.requestsPerSecond),
      "timeLimitSeconds": .double(timeLimit), "shards": shards.map(JSONValue.integer) ?? .null,
    ]
  }

  private func pages(_ records: Int64) -> Int64 {
    (records + assumptions.pageSize - 1) / assumptions.pageSize
  }
}
