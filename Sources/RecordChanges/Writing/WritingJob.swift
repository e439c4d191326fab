/// The job that writes, as recorded in the history and in the lease.
public struct WritingJob: Sendable {
  /// The words of the command: `seed apply`.
  public var command: String
  public var kind: RunRecord.Kind
  /// `nil` for jobs without a lease: single records, simulation.
  public var lease: LeaseName?
  /// The run that this one undoes.
  public var undoes: String?

  public init(
    _ command: String, kind: RunRecord.Kind = .person, lease: LeaseName? = nil, undoes: String? = nil
  ) {
    self.command = command
    self.kind = kind
    self.lease = lease
    self.undoes = undoes
  }
}
