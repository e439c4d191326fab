/// The state of a run's lease, saved in a checkpoint. The run that continues the checkpoint takes over the lease
/// without waiting, and finds out whether another run has written since.
public struct SavedLease: Sendable, Hashable {
  public var holder: String
  /// The holders of the other records of the job, by record name.
  public var others: [String: String]

  public init(holder: String, others: [String: String] = [:]) {
    self.holder = holder
    self.others = others
  }
}
