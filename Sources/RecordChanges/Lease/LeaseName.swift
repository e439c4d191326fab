/// The name of the job that a lease protects: `recount subscribers`, or one shard of it.
public struct LeaseName: Sendable, Hashable {
  /// A shard of a job.
  public struct Part: Sendable, Hashable {
    /// 1...count.
    public var index: Int
    public var count: Int

    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// Seeds, imports, undo and pruning exclude each other.
  public static let seed = LeaseName("seed")
  public static let health = LeaseName("health")

  /// In words: `recount subscribers`.
  public let job: String
  /// `nil` for the whole job.
  public let part: Part?

  public init(_ job: String, part: Part? = nil) {
    self.job = job
    self.part = part
  }

  /// The record of the whole job: `lease-recount-subscribers`.
  public var wholeRecordName: String { "lease-" + job.map { $0 == " " ? "-" : String($0) }.joined() }

  /// The record of this lease.
  public var recordName: String { part.map { recordName(of: $0) } ?? wholeRecordName }

  func recordName(of part: Part) -> String { "\(wholeRecordName)-\(part.index)-of-\(part.count)" }

  /// The records of every shard of a division into `count`.
  func partNames(count: Int) -> [String] {
    (1...max(1, count)).map { recordName(of: Part(index: $0, count: count)) }
  }

  /// In words, with the shard: `recount subscribers 3/8`.
  var purpose: String { part.map { "\(job) \($0.index)/\($0.count)" } ?? "\(job) 1/1" }

  /// The file that the runs of one state folder lock.
  var lockName: String { self == .seed ? "lock" : "lock-\(recordName.dropFirst("lease-".count))" }
}
