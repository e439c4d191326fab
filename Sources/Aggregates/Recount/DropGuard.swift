/// Stops a recount that would publish a sudden fall: more often a fault in reading than the truth.
public struct DropGuard: Sendable, Hashable {
  /// Percent of the former value that may disappear, 0...100; 100 lets everything pass.
  public var maximumDrop: Double
  /// A single target is watched when its former value is above this.
  public var smallestWatched: Double

  public init(maximumDrop: Double = 50, smallestWatched: Double = 20) {
    self.maximumDrop = maximumDrop
    self.smallestWatched = smallestWatched
  }

  /// A value that fell too far.
  public struct Fall: Sendable, Hashable {
    /// `nil` for the total of all targets.
    public var recordType: String?
    public var recordName: String?
    public var from: Double
    public var to: Double
  }

  struct Value {
    var recordType: String
    var recordName: String
    var from: Double
    var to: Double
  }

  /// What fell too far: the total first, then the largest falls.
  func falls(in values: [Value]) -> [Fall] {
    let total = Fall(from: values.reduce(0) { $0 + $1.from }, to: values.reduce(0) { $0 + $1.to })
    let single = values.filter { $0.from > smallestWatched && isTooFar(from: $0.from, to: $0.to) }
      .map { Fall(recordType: $0.recordType, recordName: $0.recordName, from: $0.from, to: $0.to) }
      .sorted { ($1.from - $1.to, $0.recordName ?? "") < ($0.from - $0.to, $1.recordName ?? "") }
    return (isTooFar(from: total.from, to: total.to) ? [total] : []) + single
  }

  private func isTooFar(from: Double, to: Double) -> Bool {
    from > 0 && (from - to) / from * 100 > maximumDrop
  }
}
