/// What a run knew of its lease and of those that overlap, kept in a checkpoint: the run that continues it takes the
/// lease over without waiting, and learns whether another run has written since.
public struct LeaseClaim: Sendable, Hashable {
  public var holder: String
  /// The holders of the other records of the job, by record name.
  public var others: [String: String]

  public init(holder: String, others: [String: String] = [:]) {
    self.holder = holder
    self.others = others
  }
}
