/// An enumeration whose cases an ``EnumSet`` can contain.
public protocol EnumSetElement: CaseIterable, Hashable, Sendable {
  /// A bit that is different for each case.
  var bit: UInt8 { get }
}

/// A set of the cases of a small enumeration, stored in one byte. Fast for large schemas, which have a set for each
/// field and grant, because it needs no hashing. Iterates in the order of `allCases`.
public struct EnumSet<Element: EnumSetElement>: SetAlgebra, Sequence, Hashable, Sendable {
  private var bits: UInt8 = 0

  public init() {}

  private init(bits: UInt8) { self.bits = bits }

  public var count: Int { bits.nonzeroBitCount }

  public func contains(_ member: Element) -> Bool { bits & member.bit != 0 }

  public func makeIterator() -> IndexingIterator<[Element]> {
    Element.allCases.filter { contains($0) }.makeIterator()
  }

  public func union(_ other: Self) -> Self { Self(bits: bits | other.bits) }
  public func intersection(_ other: Self) -> Self { Self(bits: bits & other.bits) }
  public func symmetricDifference(_ other: Self) -> Self { Self(bits: bits ^ other.bits) }

  public mutating func formUnion(_ other: Self) { bits |= other.bits }
  public mutating func formIntersection(_ other: Self) { bits &= other.bits }
  public mutating func formSymmetricDifference(_ other: Self) { bits ^= other.bits }

  @discardableResult
  public mutating func insert(_ member: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    let isNew = !contains(member)
    bits |= member.bit
    return (isNew, member)
  }

  @discardableResult
  public mutating func remove(_ member: Element) -> Element? {
    let isMember = contains(member)
    bits &= ~member.bit
    return isMember ? member : nil
  }

  @discardableResult
  public mutating func update(with member: Element) -> Element? {
    insert(member).inserted ? nil : member
  }
}
