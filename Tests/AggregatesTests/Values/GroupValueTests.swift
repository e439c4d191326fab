import CloudKitModel
import Cryptography
import Testing

@testable import Aggregates

@Suite("Values of groups") struct GroupValueTests {
  @Test(
    "a number or a time has a value, anything else none",
    arguments: [
      (.int64(3), .integer(3)), (.double(0.5), .real(0.5)),
      (.timestamp(Timestamp(milliseconds: 7)), .integer(7)),
      (.string("3"), nil), (nil, nil),
    ] as [(FieldValue?, GroupValue?)])
  func reading(field: FieldValue?, value: GroupValue?) { #expect(GroupValue(field) == value) }

  @Test(
    "a value is written in the type of the target's field",
    arguments: [
      (.integer(5), .int64, .int64(5)), (.integer(5), .double, .double(5)),
      (.integer(5), .timestamp, .timestamp(Timestamp(milliseconds: 5))), (.real(2.5), .double, .double(2.5)),
      (.real(2.4), .int64, .int64(2)), (.real(2.5), .timestamp, .timestamp(Timestamp(milliseconds: 3))),
    ] as [(GroupValue, ScalarType, FieldValue)])
  func writing(value: GroupValue, type: ScalarType, field: FieldValue) {
    #expect(value.fieldValue(as: type) == field)
  }

  @Test(
    "a number becomes the nearest whole number in range",
    arguments: [
      (.nan, 0), (.infinity, .max), (-.infinity, .min), (0, 0), (0.4, 0), (0.5, 1), (-0.5, -1), (-1.4, -1),
      (9.3e18, .max), (-9.3e18, .min), (4_503_599_627_370_496, 4_503_599_627_370_496),
    ] as [(Double, Int64)])
  func clamping(number: Double, whole: Int64) { #expect(Int64(clamping: number) == whole) }

  @Test("sums add, whole ones without overflow, and a maximum keeps the larger value or the first")
  func combining() {
    let (sum, max) = (AggregateDeclaration.Operation.sum("f"), AggregateDeclaration.Operation.max("f"))
    for operation in [sum, max, .count] { #expect(operation.combine(nil, .integer(-7)) == .integer(-7)) }
    #expect(sum.combine(.integer(2), .integer(3)) == .integer(5))
    #expect(sum.combine(.integer(.max), .integer(1)) == .integer(.max))
    #expect(sum.combine(.integer(2), .real(0.5)) == .real(2.5) && sum.combine(.real(1), .real(2)) == .real(3))
    #expect(AggregateDeclaration.Operation.count.combine(.integer(2), .integer(3)) == .integer(5))
    #expect(max.combine(.integer(2), .integer(3)) == .integer(3))
    #expect(max.combine(.integer(3), .integer(2)) == .integer(3))
    #expect(
      max.combine(.integer(2), .real(2)) == .integer(2) && max.combine(.real(2), .integer(2)) == .real(2))
    #expect(
      sum.empty == .integer(0) && max.empty == nil
        && AggregateDeclaration.Operation.count.empty == .integer(0))
  }

  // MARK: Counting

  /// The feeds `a` and `b`, and the copy of a feed that does not exist.
  private var table: RecountTargets {
    var table = RecountTargets()
    let targets = AggregateDeclaration.subscribers.targets
    for name in ["a", "b"] {
      table.add(RecountTarget(recordName: name, group: name, current: nil), of: targets[0], number: 0)
    }
    table.add(RecountTarget(recordName: "m", group: "gone", current: .int64(9)), of: targets[2], number: 2)
    return table
  }

  private func counter(excludesMadeUp: Bool = false, checked: Bool = true) -> SourceCounter {
    SourceCounter(
      declaration: .subscribers, table: table, shard: .whole,
      names: checked ? CreatorNames(ownKeys: []) : nil, excludesMadeUp: excludesMadeUp)
  }

  private func source(_ feed: String, by user: String, name: String? = nil) -> Record {
    Record(
      recordType: "FeedSubscription", recordName: name ?? SHA256.hex("\(feed)-\(user)"),
      fields: ["feedRecordName": .string(feed)], created: Fixtures.stamp(user))
  }

  private var sources: [Record] {
    [
      source("a", by: "_u1"), source("a", by: "_u2"), source("b", by: "_u1"), source("gone", by: "_u1"),
      source("nowhere", by: "_u1"), source("a", by: "_u3", name: SHA256.hex("invented")),
      source("nowhere", by: "_u3", name: SHA256.hex("invented, too")),
      source("a", by: "_u4", name: "no digest"),
    ]
  }

  @Test(
    "each source counts for its group; one of a group without a target is an orphan",
    arguments: [true, false])
  func counting(excludesMadeUp: Bool) {
    var tally = GroupTally()
    counter(excludesMadeUp: excludesMadeUp).count(sources, among: 0..<3, into: &tally)
    #expect(
      tally.measures == [0: .integer(excludesMadeUp ? 2 : 3), 1: .integer(1), 2: .integer(1)])
    #expect(tally.sources == (excludesMadeUp ? 5 : 7) && tally.orphans == (excludesMadeUp ? 2 : 3))
    #expect(
      tally.invalidNames == 1 && tally.names == NameTally(verified: 5, madeUp: 2) && tally.madeUp == [0: 1])
  }

  @Test("names are checked only when asked, and groups that a query does not cover are orphans")
  func covered() {
    var tally = GroupTally()
    counter(checked: false).count(sources, among: 1..<3, into: &tally)
    #expect(tally.measures == [1: .integer(1), 2: .integer(1)] && tally.names == NameTally())
    #expect(tally.sources == 7 && tally.orphans == 6 && tally.madeUp.isEmpty)
  }

  @Test("groups that the container counted are added without their made-up names, when these do not count")
  func groupCounts() {
    func tally(_ counts: [GroupCount], excludesMadeUp: Bool) -> GroupTally {
      counts.reduce(into: GroupTally()) { counter(excludesMadeUp: excludesMadeUp).add($1, into: &$0) }
    }
    let counts = [
      GroupCount(group: "a", names: NameTally(verified: 3, madeUp: 2)),
      GroupCount(group: "b", names: NameTally(madeUp: 4)),
      GroupCount(group: "gone", records: 6), GroupCount(group: "nowhere", records: 0),
    ]
    let all = tally(counts, excludesMadeUp: false)
    #expect(all.measures == [0: .integer(5), 1: .integer(4), 2: .integer(6)])
    #expect(all.sources == 15 && all.orphans == 6 && all.madeUp == [0: 2, 1: 4])
    let some = tally(counts, excludesMadeUp: true)
    #expect(some.measures == [0: .integer(3), 2: .integer(6)])
    #expect(some.sources == 9 && some.orphans == 6 && some.names == NameTally(verified: 3, madeUp: 6))
    #expect(
      tally([GroupCount(group: "a", names: NameTally(verified: 1))], excludesMadeUp: true).madeUp.isEmpty)
  }

  @Test("tallies add up")
  func merging() {
    var tally = GroupTally(
      measures: [0: .integer(1), 1: .integer(2)], sources: 3, orphans: 1, invalidNames: 2,
      names: NameTally(verified: 3), madeUp: [0: 1])
    tally.merge(
      GroupTally(
        measures: [1: .integer(5), 2: .integer(7)], sources: 12, orphans: 4, invalidNames: 8,
        names: NameTally(own: 2), madeUp: [0: 2, 2: 1]), .count)
    #expect(
      tally
        == GroupTally(
          measures: [0: .integer(1), 1: .integer(7), 2: .integer(7)], sources: 15, orphans: 5,
          invalidNames: 10,
          names: NameTally(verified: 3, own: 2), madeUp: [0: 3, 2: 1]))
  }

  @Test("a table has each group once, and counts for planning up to 2 to the power of 32")
  func targets() {
    var table = RecountTargets(groups: ["z", "a", "z"])
    let target = AggregateDeclaration.subscribers.targets[0]
    let counts: [(String, FieldValue?)] = [
      ("a", .int64(4)), ("a", .int64(3)), ("b", .int64(4_294_967_296)), ("c", .int64(4_294_967_297)),
      ("d", .int64(-1)), ("e", .string("9")), ("f", nil),
    ]
    for (group, count) in counts {
      table.add(RecountTarget(recordName: "r", group: group, current: count), of: target, number: 0)
    }
    #expect(table.groups == ["z", "a", "b", "c", "d", "e", "f"])
    #expect(table.expected == [0, 4, 4_294_967_296, 4_294_967_296, 0, 0, 0])
    #expect(table.exists == [false, true, true, true, true, true, true])
    #expect(table.index(of: "z") == 0 && table.index(of: "f") == 6 && table.index(of: "x") == nil)
    let copy = self.table
    #expect(copy.exists == [true, true, false] && copy.expected == [0, 0, 0] && copy.rows.count == 3)
  }

  @Test("imaginary targets share the sources evenly")
  func imaginary() {
    func expected(_ sources: Int64, _ groups: Int) -> [Int64] {
      RecountTargets(made: .init(sources: sources, groups: groups)).expected
    }
    #expect(expected(7, 3) == [3, 2, 2] && expected(6, 3) == [2, 2, 2] && expected(8, 3) == [3, 3, 2])
    #expect(expected(0, 2) == [0, 0] && expected(-5, 0) == [0] && expected(5, -1) == [5])
  }

  @Test("the targets with the most made-up names are shown, at least 5 sources each, at most 20")
  func madeUpTargets() {
    func shown(_ counts: [(counted: Int64, madeUp: Int64)], excluded: Bool) -> [String] {
      var scan = Fixtures.scan(groups: counts.indices.map { "g\($0)" })
      for (index, count) in counts.enumerated() {
        scan.tally.measures[index] = .integer(count.counted)
        scan.tally.madeUp[index] = count.madeUp
      }
      return MadeUpTarget.largest(in: scan, excluded: excluded)
        .map { "\($0.recordName) \($0.madeUp) of \($0.sources)" }
    }
    let counts: [(Int64, Int64)] = [(4, 2), (5, 1), (6, 3), (9, 3), (3, 1)]
    #expect(shown(counts, excluded: false) == ["g2 3 of 6", "g3 3 of 9", "g1 1 of 5"])
    #expect(shown(counts, excluded: true) == ["g2 3 of 9", "g3 3 of 12", "g0 2 of 6", "g1 1 of 6"])
    #expect(shown(Array(repeating: (5, 1), count: 21), excluded: false).count == 20)
  }
}
