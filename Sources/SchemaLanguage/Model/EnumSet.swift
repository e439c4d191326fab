/// A case that a ``EnumSet`` can hold.
public protocol EnumSetElement: CaseIterable, Hashable, Sendable {
  /// One bit, another for each case.
  var bit: UInt8 { get }
}

/// A set of the cases of a small enumeration, held in one byte: a schema has one for each field and grant, and
/// reading and comparing hundreds of thousands of them needs no hashing. Iterates in the order of `allCases`.
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
