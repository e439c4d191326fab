internal import CloudKitModel
internal import Cryptography
public import Diagnostics
// For the atomic write and the file manager; Foundation would be much larger.
internal import FoundationEssentials
internal import Platform
internal import RecordChanges

/// The state of a scan: the groups it has counted, its position, and the units still to be read.
struct ScanCheckpoint: Sendable, Hashable {
  /// The state of a query that has not ended.
  struct Partial: Sendable, Hashable {
    /// The marker of the next page; `nil` for the first page.
    var marker: String?
    var tally = GroupTally()
  }

  /// A hash of the aggregate's name, container and shard, so that a checkpoint is never used for another job.
  var job: String
  /// A hash of all that the tallies depend on: the job and the aggregate's declaration.
  var fingerprint: String
  /// Milliseconds since 1970, by this machine's clock.
  var startedAt: Int64
  /// The time for which the counts hold, in milliseconds since 1970, by the service's clock.
  var asOf: Int64
  var strategy: ScanStrategy
  /// The groups that existed when the scan began, then those that were made before it was continued. Tallies refer to
  /// them by index.
  var groups: [String]
  var units: [ScanQuery]
  var done: Set<Int> = []
  /// The tally of the units that are done.
  var tally = GroupTally()
  var partials: [Int: Partial] = [:]
  /// The lease claim of the last run; `nil` without leases.
  var savedLease: SavedLease?

  var isComplete: Bool { done.count == units.count }
  var remaining: [Int] { units.indices.filter { !done.contains($0) } }

  mutating func finish(_ unit: Int, _ part: GroupTally, _ operation: AggregateDeclaration.Operation) {
    done.insert(unit)
    partials[unit] = nil
    var part = part
    if strategy == .sweep, units[unit].groups != nil {
      // The sweep, which did not cover these groups, has counted their sources as orphans.
      (part.orphans, part.sources) = (0 - part.sources, 0)
      part.names = NameTally()
    }
    tally.merge(part, operation)
  }

  /// Takes up the targets that were made since the scan began, with queries for just them: the sources of the pages
  /// that were read before did not count toward them.
  mutating func extend(to table: RecountTargets, _ planner: ScanPlanner) {
    let late = groups.count..<table.groups.count
    guard !late.isEmpty else { return }
    groups = table.groups
    units += planner.queries(for: late)
  }

  /// For each group, whether all sources that count toward it were read.
  var completeGroups: [Bool] {
    guard !isComplete else { return Array(repeating: true, count: groups.count) }
    var complete = Array(repeating: false, count: groups.count)
    for unit in done {
      for group in units[unit].groups ?? Array(units[unit].covered) { complete[group] = true }
    }
    return complete
  }

  static func job(_ declaration: AggregateDeclaration, container: String, shard: RecountShard) -> String {
    SHA256.hex("\(declaration.name)\n\(container)\n\(shard)")
  }

  static func fingerprint(
    _ declaration: AggregateDeclaration, container: String, shard: RecountShard,
    names: RecountOptions.Names = .all
  ) -> String {
    var counted = declaration
    // Decides what is published, not what is counted.
    counted.maxDrop = AggregateDeclaration.usualMaxDrop
    return SHA256.hex("\(counted)\n\(container)\n\(shard)" + (names == .all ? "" : "\n\(names)"))
  }
}

// MARK: - As JSON

extension ScanCheckpoint {
  static let version: Int64 = 1

  var json: JSONValue {
    [
      "version": .integer(Self.version), "fingerprint": .string(fingerprint),
      "job": .string(job),
      "startedAt": .integer(startedAt), "asOf": .integer(asOf),
      "claim": savedLease?.json ?? .null, "strategy": .string(strategy.rawValue),
      "groups": .array(groups.map(JSONValue.string)),
      "units": .array(units.map(\.json)), "done": .array(done.sorted().map { JSONValue($0) }),
      "tally": tally.json,
      "partials": .array(
        partials.sorted { $0.key < $1.key }.map { unit, partial in
          [
            "unit": JSONValue(unit), "marker": partial.marker.map(JSONValue.string) ?? .null,
            "tally": partial.tally.json,
          ]
        }),
    ]
  }

  /// `nil` when the JSON is not a checkpoint of this version, or contradicts itself.
  init?(json: JSONValue) {
    guard json["version"]?.integer == Self.version, let job = json["job"]?.string,
      let fingerprint = json["fingerprint"]?.string, let startedAt = json["startedAt"]?.integer,
      UTCTime.years.contains(startedAt),
      let asOf = json["asOf"]?.integer, UTCTime.years.contains(asOf),
      let strategy = json["strategy"]?.string.flatMap(ScanStrategy.init(rawValue:)),
      let groups = json["groups"]?.array?.compactMap(\.string),
      let units = json["units"]?.array?.map({ ScanQuery(json: $0, groupCount: groups.count) }),
      let done = json["done"]?.array?.compactMap({ $0.integer.map(Int.init) }),
      let tally = json["tally"].flatMap({ GroupTally(json: $0, groupCount: groups.count) }),
      let partials = json["partials"]?.array, !units.contains(nil)
    else { return nil }
    self.init(
      job: job, fingerprint: fingerprint, startedAt: startedAt, asOf: asOf,
      strategy: strategy, groups: groups, units: units.compactMap(\.self), done: Set(done), tally: tally,
      savedLease: json["claim"].flatMap(SavedLease.init))
    for partial in partials {
      guard let unit = partial["unit"]?.integer.map(Int.init), self.units.indices.contains(unit),
        let tally = partial["tally"].flatMap({ GroupTally(json: $0, groupCount: groups.count) })
      else { return nil }
      self.partials[unit] = Partial(marker: partial["marker"]?.string, tally: tally)
    }
    guard done.allSatisfy(self.units.indices.contains) else { return nil }
  }
}

extension SavedLease {
  fileprivate var json: JSONValue {
    let members = others.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue.string($0.value)) }
    return ["holder": .string(holder), "others": .object(JSONObject(members))]
  }

  fileprivate init?(json: JSONValue) {
    guard let holder = json["holder"]?.string, let names = json["others"]?.object else { return nil }
    self.init(holder: holder)
    for member in names.members { others[member.key] = member.value.string }
  }
}

extension ScanQuery {
  fileprivate var json: JSONValue {
    [
      "groups": groups.map { .array($0.map { JSONValue($0) }) } ?? .null,
      "covered": groups == nil ? JSONValue(covered.count) : .null, "expectedRows": .integer(expectedRows),
    ]
  }

  fileprivate init?(json: JSONValue, groupCount: Int) {
    // Queries by name have their groups instead.
    let covered = json["covered"]?.integer ?? Int64(groupCount)
    guard let expectedRows = json["expectedRows"]?.integer, (0...Int64.max / 2).contains(expectedRows),
      (0...Int64(groupCount)).contains(covered)
    else { return nil }
    self.init(groups: nil, covered: 0..<Int(covered), expectedRows: expectedRows)
    if let groups = json["groups"]?.array {
      let indexes = groups.compactMap { $0.integer.map(Int.init) }
      guard indexes.count == groups.count, indexes.allSatisfy((0..<groupCount).contains) else { return nil }
      self.groups = indexes
      self.covered = 0..<groupCount
    }
  }
}

extension GroupTally {
  fileprivate var json: JSONValue {
    [
      "sources": .integer(sources), "orphans": .integer(orphans), "invalidNames": .integer(invalidNames),
      "measures": .array(
        measures.sorted { $0.key < $1.key }.map { [JSONValue($0.key), $0.value.json] }),
      "names": .array([names.verified, names.own, names.madeUp, names.unknown].map(JSONValue.integer)),
      "madeUp": .array(madeUp.sorted { $0.key < $1.key }.map { [JSONValue($0.key), .integer($0.value)] }),
    ]
  }

  fileprivate init?(json: JSONValue, groupCount: Int) {
    // Larger than any container, and far from an overflow.
    let limit: Int64 = 1 << 53
    guard let sources = json["sources"]?.integer, (0...limit).contains(sources),
      let orphans = json["orphans"]?.integer, (-limit...limit).contains(orphans),
      let invalidNames = json["invalidNames"]?.integer, (0...limit).contains(invalidNames),
      let pairs = json["measures"]?.array
    else { return nil }
    self.init(sources: sources, orphans: orphans, invalidNames: invalidNames)
    for pair in pairs {
      guard let pair = pair.array, pair.count == 2, let group = pair[0].integer.map(Int.init),
        (0..<groupCount).contains(group), let measure = GroupValue(json: pair[1])
      else { return nil }
      measures[group] = measure
    }
    let classes = (json["names"]?.array ?? []).compactMap(\.integer)
    guard classes.allSatisfy({ (0...limit).contains($0) }) else { return nil }
    if classes.count == 4 {
      names = NameTally(verified: classes[0], own: classes[1], madeUp: classes[2], unknown: classes[3])
    }
    for pair in json["madeUp"]?.array ?? [] {
      guard let pair = pair.array, pair.count == 2, let group = pair[0].integer.map(Int.init),
        (0..<groupCount).contains(group), let count = pair[1].integer, (0...limit).contains(count)
      else { return nil }
      madeUp[group] = count
    }
  }
}

/// The file that keeps the state of a scan, so that a later run, on any machine, can continue it.
public struct ScanCheckpointFile: Sendable, Hashable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The file of one aggregate, when several share this path.
  public func file(for name: String) -> ScanCheckpointFile { ScanCheckpointFile(path: "\(path).\(name)") }

  /// The error for a file that is not a checkpoint of this job and must not be replaced.
  public struct Unusable: CommandFailureConvertible {
    let path: String
    let reason: String
    /// What to do, when the reason does not show it.
    var hint: String?

    public var failure: CommandFailure {
      CommandFailure("the checkpoint \(path) \(reason)", code: "bad-checkpoint", hint: hint)
    }
  }

  /// What a job finds at the path.
  enum Content: Sendable, Hashable {
    case nothing
    case scan(ScanCheckpoint)
    /// A file of this job that cannot be continued, and why. The job counts from the start and replaces it: otherwise it
    /// would fail each time because of its own file.
    case lost(reason: String)
  }

  /// Throws ``Unusable`` for a file that may belong to another program.
  ///
  /// - Parameter job: the ``ScanCheckpoint/job`` of the run.
  func load(for job: String) throws -> Content {
    guard FileManager.default.fileExists(atPath: path) else { return .nothing }
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      guard isOwnFile else { throw Unusable(path: path, reason: "cannot be read: \(error.cause)") }
      return .lost(reason: "cannot be read")
    }
    // After a power failure a file can be empty or hold zeros.
    if bytes.allSatisfy({ $0 == 0 }) { return .lost(reason: "is empty") }
    if let checkpoint = (try? JSONValue(parsing: bytes)).flatMap(ScanCheckpoint.init(json:)) {
      return .scan(checkpoint)
    }
    return .lost(reason: try Self.reason(toLose: bytes, of: job, path))
  }

  private var isOwnFile: Bool {
    do { return try FileKind(path) == .file && FileOwner(at: path).isUser() } catch { return false }
  }

  /// Why a file that begins as a checkpoint cannot be continued.
  private static func reason(toLose bytes: [UInt8], of job: String, _ path: String) throws -> String {
    let head = String(decoding: bytes.prefix(300), as: UTF8.self)
    guard head.hasPrefix("{\"version\":"), head.contains("\"fingerprint\":\"") else {
      throw Unusable(
        path: path, reason: "is not a checkpoint",
        hint: "Name another file, or delete this one, to count from the start.")
    }
    guard head.contains("\"job\":\"\(job)\"") else {
      throw RecountError.otherCheckpoint
    }
    return head.hasPrefix("{\"version\":\(ScanCheckpoint.version),")
      ? "is damaged" : "was written by another version of this tool"
  }

  /// Replaces the file in one step: a kill leaves the old one or the new one.
  func save(_ checkpoint: ScanCheckpoint) throws {
    do {
      try Data(checkpoint.json.bytes()).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw Unusable(path: path, reason: "cannot be written: \(error.cause)")
    }
  }

  func remove() throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Unusable(path: path, reason: "cannot be removed: \(error.cause)")
    }
  }
}

extension Error {
  /// A short reason for the message.
  fileprivate var cause: String {
    switch (self as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: "the folder does not exist"
    case .fileReadNoPermission?, .fileWriteNoPermission?: "permission denied"
    case .fileWriteOutOfSpace?: "the disk is full"
    default: "it is not a file, or the system refuses it"
    }
  }
}
