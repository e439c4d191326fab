public import Diagnostics

/// What a count over part of the hash space says about the whole.
///
/// A digest spreads records evenly over the buckets, so the records of a part are a sample without replacement:
/// the count of the part is binomial, and the part not read is all that is uncertain.
public struct SampleEstimate: Sendable, Hashable {
  /// The most likely number.
  public let value: Double
  /// The true number lies between these in 95 of 100 cases. The lower one is never below what was counted.
  public let bounds: ClosedRange<Double>

  /// - Parameters:
  ///   - counted: records found in the part, not negative.
  ///   - buckets: buckets of 256 that make the part, 1...256.
  public init?(counted: Int64, buckets: Int) {
    guard counted >= 0, (1...256).contains(buckets) else { return nil }
    let share = Double(buckets) / 256
    let counted = Double(counted)
    value = counted / share
    let margin = 1.96 * (counted * (1 - share)).squareRoot() / share
    // Nothing found says little: three more in the rest would be missed once in twenty times.
    let upper = counted == 0 ? 3 * (1 - share) / share : value + margin
    bounds = max(counted, value - margin)...max(value, upper)
  }
}

extension SampleEstimate: CustomStringConvertible {
  public var description: String {
    let (low, high) = (Int64(clamping: bounds.lowerBound), Int64(clamping: bounds.upperBound))
    return "\(Int64(clamping: value)) sources, between \(low) and \(high) with 95 % certainty"
  }

  /// Whole numbers.
  public var json: JSONValue {
    [
      "value": .integer(Int64(clamping: value)), "low": .integer(Int64(clamping: bounds.lowerBound)),
      "high": .integer(Int64(clamping: bounds.upperBound)),
    ]
  }
}

extension Checkpoint {
  /// From the ranges of the hash space that were read to their end.
  var sample: SampleEstimate? {
    guard strategy == .bucketed, !isComplete else { return nil }
    let buckets = done.reduce(0) { $0 + (units[$1].buckets?.count ?? 0) }
    return SampleEstimate(counted: tally.sources, buckets: buckets)
  }
}
