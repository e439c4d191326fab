import Testing

@testable import Aggregates

@Suite("Sudden drops") struct SuddenDropCheckTests {
  private func drops(_ values: [(Double, Double)], maxDrop: Double = 50) -> [String] {
    let values = values.enumerated().map { index, value in
      SuddenDropCheck.Value(recordType: "T", recordName: "r\(index)", from: value.0, to: value.1)
    }
    return SuddenDropCheck(maxDrop: maxDrop).drops(in: values).map { $0.recordName ?? "all" }
  }

  /// A number beside which no other moves the total far.
  private let rock = (100_000.0, 100_000.0)

  @Test(
    "a single number is watched above 20, and may drop by exactly the limit",
    arguments: [
      (0, -9, false), (20, 0, false), (20.5, 0, true), (21, 0, true), (100, 50, false), (100, 49, true),
      (100, 51, false), (100, 200, false), (100, -50, true),
    ])
  func single(from: Double, to: Double, isDrop: Bool) {
    #expect(drops([(from, to), rock]) == (isDrop ? ["r0"] : []))
  }

  @Test("the total is watched, however small the numbers are")
  func total() {
    #expect(drops([(20, 9), (20, 9), (20, 9)]) == ["all"] && drops([(20, 10), (20, 10)]) == [])
    #expect(drops([(1, 0)]) == ["all"] && drops([(0, 0)]) == [] && drops([]) == [])
    #expect(drops([(-5, -9)]) == [])
  }

  @Test("the total is first, then the largest drops, equal ones by name")
  func order() {
    #expect(drops([(30, 0), (90, 0), (30, 0), (100, 90)]) == ["all", "r1", "r0", "r2"])
  }

  @Test("a limit of 100 percent allows every drop, also below 0", arguments: [100.0, 99.9])
  func limit(maxDrop: Double) {
    #expect(drops([(100, -50), rock], maxDrop: maxDrop) == (maxDrop < 100 ? ["r0"] : []))
  }
}
