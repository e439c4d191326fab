internal import CloudKitModel

/// How the sources are read.
public enum ScanStrategy: String, Sendable, Hashable, CaseIterable {
  /// The container counts the groups itself. Finds orphans.
  case pushdown
  /// One query for all sources, page after page. Finds orphans.
  case sweep
  /// Many queries in parallel, each for the sources of up to 100 names. Finds no orphans.
  case names

  /// - Parameter word: as on the command line; `binned` is another word for `names`.
  public init?(word: String) { self.init(rawValue: word == "binned" ? "names" : word) }
}

/// One query of a scan. It is read, retried and saved as a whole.
struct ScanQuery: Sendable, Hashable {
  /// Indexes of the groups that this query completes; `nil` for all groups.
  var groups: [Int]?
  var expectedRows: Int64

  /// Requests for the expected rows. An empty result is one page, too.
  func expectedRequests(page: Int64) -> Int64 { max(1, (expectedRows + page - 1) / page) }
}

/// The queries of a scan and their expected cost.
public struct ScanPlan: Sendable, Hashable {
  public var strategy: ScanStrategy
  /// Sources, from the last counts. They may be old; this affects the cost, not the result.
  public var expectedSources: Int64
  public var expectedRequests: Int64
  /// At the assumed latency and rate.
  public var expectedSeconds: Double
  var units: [ScanQuery]

  /// Queries that can run side by side.
  public var queries: Int { units.count }
}

/// The planner's assumptions about the container and the network.
public struct ScanCostAssumptions: Sendable, Hashable {
  /// Seconds from request to reply.
  public var latency: Double
  /// Requests a second over all connections (Documentation/reference/catalog.md#rate-budget).
  public var requestsPerSecond: Double
  /// Queries in flight.
  public var concurrency: Int
  /// Records of a full page.
  public var pageSize: Int64

  public init(
    latency: Double = 0.15, requestsPerSecond: Double = 40, concurrency: Int = 12, pageSize: Int64 = 200
  ) {
    self.latency = latency
    self.requestsPerSecond = requestsPerSecond
    self.concurrency = max(1, concurrency)
    self.pageSize = max(1, pageSize)
  }

  /// Seconds for units that run in parallel, when the longest of them reads `longest` pages one after the other.
  func seconds(requests: Int64, longest: Int64, sideBySide: Int) -> Double {
    let lanes = Double(max(1, min(sideBySide, concurrency)))
    let throughput = min(requestsPerSecond, lanes / latency)
    return max(Double(requests) / throughput, Double(longest) * max(latency, 1 / requestsPerSecond))
  }
}
