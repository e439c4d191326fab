extension Duration {
  /// Whole milliseconds, rounded towards zero and clamped to the range of `Int64`.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflow || isOver ? (seconds < 0 ? .min : .max) : sum
  }
}

extension FixedWidthInteger where Self: SignedInteger {
  /// The sum, or the limit of the type that it would pass: for numbers of records and files, which can be any.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Sequence<Int64?> {
  /// The sum of the numbers that are known, with `addingClamped`; `nil` if none is.
  package var knownSum: Int64? {
    let known = compactMap(\.self)
    return known.isEmpty ? nil : known.reduce(0) { $0.addingClamped($1) }
  }
}
