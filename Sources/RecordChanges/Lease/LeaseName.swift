internal import CloudKitModel
package import Diagnostics

/// The name of the job that a lease protects: `recount subscribers`, or one shard of it.
package struct LeaseName: Sendable, Hashable {
  package struct Part: Sendable, Hashable {
    /// 1...count.
    package var index: Int
    package var count: Int

    package init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// Seeds, imports, undo and pruning exclude each other.
  package static let seed = LeaseName("seed")
  package static let health = LeaseName("health")

  /// In words: `recount subscribers`.
  package let job: String
  /// `nil` for the whole job.
  package let part: Part?

  package init(_ job: String, part: Part? = nil) {
    self.job = job
    self.part = part
  }

  /// The record of the whole job: `lease-recount-subscribers`.
  package var wholeRecordName: String { "lease-" + job.map { $0 == " " ? "-" : String($0) }.joined() }

  package var recordName: String { part.map { recordName(of: $0) } ?? wholeRecordName }

  func recordName(of part: Part) -> String { "\(wholeRecordName)-\(part.index)-of-\(part.count)" }

  /// The records of every shard of a division into `count`.
  func partNames(count: Int) -> [String] {
    (1...max(1, count)).map { recordName(of: Part(index: $0, count: count)) }
  }

  /// The whole job of a lease record, whatever shard the record is for; `nil` for a record that no run wrote.
  init?(ofJobIn record: Record) {
    let words = (record["purpose"]?.string ?? "").split(separator: " ")
    guard words.count > 1, words.last?.contains("/") == true else { return nil }
    self.init(words.dropLast().joined(separator: " "))
    guard record.recordName.hasPrefix(wholeRecordName) else { return nil }
  }

  /// In words, with the shard: `recount subscribers 3/8`.
  var purpose: String { part.map { "\(job) \($0.index)/\($0.count)" } ?? "\(job) 1/1" }

  /// The file that the runs of one state folder lock.
  var lockName: String { Self.lockName(ofRecord: recordName) }

  /// The file that the runs of one state folder lock before they write this lease record.
  static func lockName(ofRecord name: String) -> String {
    name == seed.recordName ? lockPrefix : "\(lockPrefix)-\(name.dropFirst("lease-".count))"
  }

  static let lockPrefix = "lock"
}

/// The run that holds a lease, without personal data.
package struct LeaseHolder: Sendable, Hashable {
  /// What it does: `recount subscribers 3/8`.
  package var purpose: String
  /// A random id, never the name of a person or machine.
  package var run: String
}

/// The error of a run that may not start, or may not write any more, because of a lease.
package enum LeaseError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  case held(LeaseHolder)
  /// Another run took over the lease because this one did not renew it. Its values may be newer.
  case overtaken(recordName: String)

  package var description: String {
    switch self {
    case .held(let holder): "another run is in progress (\(holder.purpose), run \(holder.run))"
    case .overtaken(let name):
      "another run took over the lease \(name); this run stopped and did not overwrite its values"
    }
  }

  private var hint: String {
    switch self {
    case .held:
      "Wait until it ends, or give --wait 10m. If you are sure that it no longer runs, take over its lease with --break-lease."
    case .overtaken: "Run the command again."
    }
  }

  package var failure: CommandFailure {
    let code = if case .held = self { "locked" } else { "overtaken" }
    return CommandFailure(description, code: code, hint: hint, status: .locked)
  }
}
