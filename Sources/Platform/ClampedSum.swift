extension FixedWidthInteger where Self: SignedInteger {
  /// The sum, or the limit of the type that it would pass: for numbers of records and files, which can be any.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
