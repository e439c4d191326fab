internal import Cryptography
// FoundationEssentials has the atomic write and the file manager, and nothing heavier.
public import Diagnostics
internal import FoundationEssentials
internal import RecordChanges

/// The state of a scan: the groups it has counted, its position, and the units still to be read.
struct ScanCheckpoint: Sendable, Hashable {
  /// The state of a query that has not ended.
  struct Partial: Sendable, Hashable {
    /// The marker of the next page; `nil` for the first page.
    var marker: String?
    var tally = GroupTally()
  }

  /// A hash of aggregate, container and shard, so that a checkpoint is never used for another job.
  var fingerprint: String
  /// Milliseconds since 1970.
  var startedAt: Int64
  var strategy: ScanStrategy
  /// The groups that existed when the scan began. Tallies refer to them by index.
  var groups: [String]
  var units: [ScanQuery]
  var done: Set<Int> = []
  /// The tally of the units that are done.
  var tally = GroupTally()
  var partials: [Int: Partial] = [:]
  /// The lease claim of the last run; `nil` without leases.
  var claim: SavedLease?

  var isComplete: Bool { done.count == units.count }
  var remaining: [Int] { units.indices.filter { !done.contains($0) } }

  mutating func finish(_ unit: Int, _ part: GroupTally, _ operation: AggregateDeclaration.Operation) {
    done.insert(unit)
    partials[unit] = nil
    tally.merge(part, operation)
  }

  /// For each group, whether all sources that count toward it were read.
  var completeGroups: [Bool] {
    guard !isComplete else { return Array(repeating: true, count: groups.count) }
    var complete = Array(repeating: false, count: groups.count)
    for unit in done { for group in units[unit].groups ?? [] { complete[group] = true } }
    return complete
  }

  static func fingerprint(_ declaration: AggregateDeclaration, container: String, shard: RecountShard)
    -> String
  {
    SHA256.hex("\(declaration)\n\(container)\n\(shard)")
  }
}

// MARK: - As JSON

extension ScanCheckpoint {
  static let version: Int64 = 4

  var json: JSONValue {
    [
      "version": .integer(Self.version), "fingerprint": .string(fingerprint),
      "startedAt": .integer(startedAt),
      "claim": claim?.json ?? .null, "strategy": .string(strategy.rawValue),
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
    guard json["version"]?.integer == Self.version, let fingerprint = json["fingerprint"]?.string,
      let startedAt = json["startedAt"]?.integer,
      let strategy = json["strategy"]?.string.flatMap(ScanStrategy.init(rawValue:)),
      let groups = json["groups"]?.array?.compactMap(\.string),
      let units = json["units"]?.array?.map({ ScanQuery(json: $0, groupCount: groups.count) }),
      let done = json["done"]?.array?.compactMap({ $0.integer.map(Int.init) }),
      let tally = json["tally"].flatMap({ GroupTally(json: $0, groupCount: groups.count) }),
      let partials = json["partials"]?.array, !units.contains(nil)
    else { return nil }
    self.init(
      fingerprint: fingerprint, startedAt: startedAt, strategy: strategy, groups: groups,
      units: units.compactMap(\.self), done: Set(done), tally: tally,
      claim: json["claim"].flatMap(SavedLease.init))
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
      "expectedRows": .integer(expectedRows),
    ]
  }

  fileprivate init?(json: JSONValue, groupCount: Int) {
    guard let expectedRows = json["expectedRows"]?.integer else { return nil }
    self.init(expectedRows: expectedRows)
    if let groups = json["groups"]?.array {
      let indexes = groups.compactMap { $0.integer.map(Int.init) }
      guard indexes.count == groups.count, indexes.allSatisfy((0..<groupCount).contains) else { return nil }
      self.groups = indexes
    }
  }
}

extension GroupTally {
  fileprivate var json: JSONValue {
    [
      "sources": .integer(sources), "orphans": .integer(orphans), "invalidNames": .integer(invalidNames),
      "measures": .array(
        measures.sorted { $0.key < $1.key }.map { [JSONValue($0.key), $0.value.json] }),
    ]
  }

  fileprivate init?(json: JSONValue, groupCount: Int) {
    guard let sources = json["sources"]?.integer, let orphans = json["orphans"]?.integer,
      let invalidNames = json["invalidNames"]?.integer, let pairs = json["measures"]?.array
    else { return nil }
    self.init(sources: sources, orphans: orphans, invalidNames: invalidNames)
    for pair in pairs {
      guard let pair = pair.array, pair.count == 2, let group = pair[0].integer.map(Int.init),
        (0..<groupCount).contains(group), let measure = GroupValue(json: pair[1])
      else { return nil }
      measures[group] = measure
    }
  }
}

/// The file that keeps the state of a scan, so that a later run, on any machine, can continue it.
public struct ScanCheckpointFile: Sendable, Hashable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The file of one aggregate, when several share this path.
  public func file(for name: String) -> ScanCheckpointFile { ScanCheckpointFile(path: "\(path).\(name)") }

  /// The error for a checkpoint that cannot be used.
  public struct Unusable: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    public let reason: String
    /// What to do, when the reason does not show it.
    public var hint: String?
    public var description: String { "the checkpoint \(path) \(reason)" }
  }

  /// The scan in the file; `nil` when there is no file. Throws ``Unusable``.
  func load() throws -> ScanCheckpoint? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw Unusable(path: path, reason: "cannot be read: \(error.cause)")
    }
    let json = try? JSONValue(parsing: bytes)
    if let checkpoint = json.flatMap(ScanCheckpoint.init(json:)) { return checkpoint }
    if json?["fingerprint"] != nil, json?["version"]?.integer != ScanCheckpoint.version {
      throw Unusable(
        path: path, reason: "was written by another version of this tool",
        hint: "Delete it to count from the start.")
    }
    throw Unusable(
      path: path, reason: "is damaged, or is not a checkpoint",
      hint: "Name another file, or delete this one if it is a checkpoint, to count from the start.")
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

extension ScanCheckpointFile.Unusable: CommandFailureConvertible {
  public var failure: CommandFailure { CommandFailure(description, code: "bad-checkpoint", hint: hint) }
}
