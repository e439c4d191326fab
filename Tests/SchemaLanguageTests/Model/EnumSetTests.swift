import SchemaLanguage
import Testing

@Suite("Sets of cases") struct EnumSetTests {
  private static let all: [EnumSet<Index>] = (0..<8).map { bits in
    EnumSet(Index.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element))
  }

  @Test("they do what Set does, for every pair there is")
  func algebra() {
    for one in Self.all {
      for other in Self.all {
        let (a, b) = (Set(one), Set(other))
        #expect(Set(one.union(other)) == a.union(b))
        #expect(Set(one.intersection(other)) == a.intersection(b))
        #expect(Set(one.subtracting(other)) == a.subtracting(b))
        #expect(Set(one.symmetricDifference(other)) == a.symmetricDifference(b))
        #expect(one.isDisjoint(with: other) == a.isDisjoint(with: b))
        #expect(one.isSubset(of: other) == a.isSubset(of: b))
        #expect((one == other) == (a == b))
        #expect(Array(one).count == a.count && one.isEmpty == a.isEmpty)
      }
    }
  }

  @Test("cases come and go one by one, and are met in their own order")
  func members() {
    var set: EnumSet<Privilege> = [.write, .read]
    #expect(Array(set) == [.read, .write])
    #expect(set.insert(.create).inserted)
    #expect(!set.insert(.create).inserted)
    #expect(set.remove(.read) == .read)
    #expect(set.remove(.read) == nil)
    #expect(set.update(with: .write) == .write)
    #expect(set.update(with: .read) == nil)
    #expect(set == EnumSet(Privilege.allCases))
  }
}
