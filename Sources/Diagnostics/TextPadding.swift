extension String {
  /// The text with blanks after it, at least `width` characters long.
  public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// The text with blanks before it, at least `width` characters long.
  public func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
