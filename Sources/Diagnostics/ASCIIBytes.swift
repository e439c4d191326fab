extension UInt8 {
  /// `0` to `9`.
  public var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// `a` to `z` and `A` to `Z`.
  public var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// Of ASCII; `Character.isHexDigit` also takes fullwidth digits.
  public var isHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self | 0x20) }
}
