package import CloudKitModel
internal import Cryptography
package import Diagnostics
// For the file manager; Foundation would be much larger.
internal import FoundationEssentials
internal import Platform
internal import RecordChanges

/// The state of a scan: the groups it has counted, its position, and the units still to be read.
struct ScanCheckpoint: Sendable, Hashable {
  struct Partial: Sendable, Hashable {
    /// The marker of the next page; `nil` for the first page.
    var marker: String?
    var tally = GroupTally()
  }

  /// A hash of the aggregate's name, container and shard, so that a checkpoint is never used for another job.
  var job: String
  /// A hash of all that the tallies depend on: the job and the aggregate's declaration.
  var fingerprint: String
  /// By this machine's clock.
  var startedAt: Timestamp
  /// The time for which the counts hold, by the service's clock.
  var asOf: Timestamp
  var strategy: ScanStrategy
  /// The groups that existed when the scan began, then those that were made before it was continued. Tallies refer to
  /// them by index.
  var groups: [String]
  var units: [ScanQuery]
  var done: Set<Int> = []
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

  /// What was read by now, also by the queries that have not ended.
  func tallyOfRead(_ operation: AggregateDeclaration.Operation) -> GroupTally {
    partials.reduce(into: self) { $0.finish($1.key, $1.value.tally, operation) }.tally
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
      for group in units[unit].groups ?? Array(0..<units[unit].covered) { complete[group] = true }
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

// MARK: - In the file

extension ScanCheckpoint: FileRecord {
  static let form = FileForm("a checkpoint", kind: "celestra-admin checkpoint")

  init() {
    let start = Timestamp(milliseconds: 0)
    self.init(
      job: "", fingerprint: "", startedAt: start, asOf: start, strategy: .sweep, groups: [], units: [])
  }

  /// The first ones say whose a damaged file is.
  static let members: [FileMember<Self>] = [
    FileMember("job", \.job), FileMember("fingerprint", \.fingerprint), FileMember("startedAt", \.startedAt),
    FileMember("asOf", \.asOf), FileMember("lease", optional: \.savedLease),
    FileMember("strategy", \.strategy),
    FileMember("groups", \.groups), FileMember("units", \.units), FileMember("done", \.done),
    FileMember("tally", \.tally), FileMember("partials", \.partials),
  ]

  func check() throws {
    guard done.union(partials.keys).allSatisfy(units.indices.contains),
      units.allSatisfy({ $0.isPossible(groups.indices) }),
      ([tally] + partials.values.map(\.tally)).allSatisfy({ $0.isPossible(groups.indices) })
    else { throw FileFormError("it contradicts itself") }
  }
}

extension ScanStrategy: FileValue {}

extension ScanCheckpoint.Partial: FileRecord {
  static let members: [FileMember<Self>] = [
    FileMember("marker", optional: \.marker), FileMember("tally", \.tally),
  ]
}

extension ScanQuery: FileRecord {
  init() { self.init(groups: nil, covered: 0, expectedRows: 0) }

  static let members: [FileMember<Self>] = [
    FileMember("groups", optional: \.groups), FileMember("covered", \.covered),
    FileMember("expectedRows", \.expectedRows),
  ]

  fileprivate func isPossible(_ indexes: Range<Int>) -> Bool {
    (groups ?? []).allSatisfy(indexes.contains) && (0...indexes.upperBound).contains(covered)
      && (0...Int64.max / 2).contains(expectedRows)
  }
}

extension GroupTally: FileRecord {
  static let members: [FileMember<Self>] = [
    FileMember("sources", \.sources), FileMember("orphans", \.orphans),
    FileMember("invalidNames", \.invalidNames), FileMember("measures", \.measures),
    FileMember("names", \.names), FileMember("madeUp", orEmpty: \.madeUp),
  ]

  fileprivate func isPossible(_ indexes: Range<Int>) -> Bool {
    // Larger than any container, and far from an overflow.
    let limit: Int64 = 1 << 53
    let counts =
      [sources, invalidNames, names.verified, names.own, names.madeUp, names.unknown] + madeUp.values
    return counts.allSatisfy((0...limit).contains) && (-limit...limit).contains(orphans)
      && measures.keys.allSatisfy(indexes.contains) && madeUp.keys.allSatisfy(indexes.contains)
  }
}

extension NameTally: FileRecord {
  package init() { self.init(verified: 0) }
  package static let members: [FileMember<Self>] = [
    FileMember("verified", \.verified), FileMember("own", \.own), FileMember("madeUp", \.madeUp),
    FileMember("unknown", \.unknown),
  ]
}

extension GroupValue: FileValue {
  var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): value.isFinite ? .double(value) : .string(value.description)
    }
  }

  init(json: JSONValue) throws {
    switch json {
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string("inf"): self = .real(.infinity)
    case .string("-inf"): self = .real(-.infinity)
    case .string("nan"): self = .real(.nan)
    default: throw FileFormError("a number was expected, but it is \(json.kindName)")
    }
  }
}

/// The file that keeps the state of a scan, so that a later run, on any machine, can continue it.
package struct ScanCheckpointFile: Sendable, Hashable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The file of one aggregate, when several share this path.
  package func file(for name: String) -> ScanCheckpointFile { ScanCheckpointFile(path: "\(path).\(name)") }

  /// The error for a file that is not a checkpoint of this job and must not be replaced.
  package struct Unusable: CommandFailureConvertible {
    let path: String
    let reason: String
    /// What to do, when the reason does not show it.
    var hint: String?

    package var failure: CommandFailure {
      CommandFailure("the checkpoint \(path) \(reason)", code: "bad-checkpoint", hint: hint)
    }
  }

  /// The checkpoint in the file, or why a file of this job cannot be continued; neither without a file. The job counts from
  /// the start and replaces a lost file: otherwise it would fail each time because of its own file.
  ///
  /// Throws ``Unusable`` for a file that may belong to another program.
  func load(for job: String) throws -> (checkpoint: ScanCheckpoint?, lost: String?) {
    guard FileManager.default.fileExists(atPath: path) else { return (nil, nil) }
    let bytes: [UInt8]
    do throws(FileFailure) { bytes = try RegularFile.read(path, upTo: Self.maxSize) } catch {
      throw Unusable(path: path, reason: "cannot be read: \(error.message)")
    }
    // After a power failure a file can be empty or hold zeros.
    if bytes.allSatisfy({ $0 == 0 }) { return (nil, "the checkpoint is empty") }
    do {
      let json = try FileForm.parse(bytes)
      try ScanCheckpoint.form.check(json)
      return (try ScanCheckpoint(json: json), nil)
    } catch let error as FileFormError {
      if error.isNewer {
        throw Unusable(path: path, reason: "cannot be continued: \(error)", hint: Self.otherFile(path))
      }
      let head = String(decoding: bytes.prefix(300), as: UTF8.self)
      let start = JSONValue.object(ScanCheckpoint.form.head).text().dropLast()
      guard head.hasPrefix(start) else {
        throw Unusable(path: path, reason: "is not a checkpoint", hint: Self.otherFile(path))
      }
      // The file may end within the job.
      let own = "\(start),\"job\":\"\(job)\""
      guard head.hasPrefix(own) || own.hasPrefix(head) else { throw CommandFailure.otherCheckpoint(path) }
      return (nil, "the checkpoint is damaged")
    }
  }

  /// In bytes: far more than the counts of a million targets take.
  private static let maxSize = 1 << 28

  /// The way out for a file that may be another program's: no run replaces it.
  static func otherFile(_ path: String) -> String {
    "Each run will end so. Give each job a file of its own, or move \(path.shellWord) away if nothing needs it."
  }

  /// Replaces the file in one step: a kill leaves the old one or the new one.
  func save(_ checkpoint: ScanCheckpoint) throws {
    let bytes = JSONValue.object(checkpoint.json(after: ScanCheckpoint.form.head)).bytes()
    do throws(FileFailure) { try PrivateFile.replace(path, bytes) } catch {
      throw Unusable(path: path, reason: "cannot be written: \(error.message)")
    }
  }

  func remove() throws { try PrivateFile.removeIfPresent(path) }
}
