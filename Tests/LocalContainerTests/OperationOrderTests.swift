import CloudKitModel
import Testing

@testable import LocalContainer

@Suite("The order of operations") struct OperationOrderTests {
  /// Operations on the records `0`, `1` and so on, each referring to others.
  private func order(_ targets: [[Int]], _ action: Reference.Action = .validate) -> [Int] {
    OperationOrder(
      targets.enumerated().map { index, targets in
        RecordOperation(
          .create, recordType: "T", recordName: "\(index)",
          fields: [
            "list": .list(of: .reference, targets.map { .reference(Reference("\($0)", action: action)) }),
            "none": nil,
          ])
      }
    ).indices
  }

  @Test(
    "a record comes after those that its VALIDATE references need, and the order stays otherwise",
    arguments: [
      ([], []), ([[]], [0]), ([[], [], []], [0, 1, 2]), ([[1], []], [1, 0]), ([[], [0]], [0, 1]),
      ([[2], [], []], [2, 0, 1]),
      ([[1], [2], []], [2, 1, 0]), ([[2, 1], [], []], [1, 2, 0]), ([[0], []], [0, 1]), ([[1], [0]], [1, 0]),
      ([[1], [2], [0]], [2, 1, 0]), ([[9], []], [0, 1]), ([[3], [3], [], []], [3, 0, 1, 2]),
      ([[1, 2], [2], []], [2, 1, 0]),
    ])
  func order(targets: [[Int]], indices: [Int]) { #expect(order(targets) == indices) }

  @Test("only VALIDATE references decide", arguments: [Reference.Action.none, .deleteSelf])
  func otherActions(action: Reference.Action) { #expect(order([[1], []], action) == [0, 1]) }

  @Test("an operation without a name is applied in its place")
  func unnamed() {
    let operations = (0..<2).map { _ in RecordOperation(.create, recordType: "T") }
    #expect(OperationOrder(operations).indices == [0, 1])
  }

  @Test("references without an action do nothing")
  func acting() {
    let references = [Reference("a"), Reference("b", action: .deleteSelf), Reference("c", action: .validate)]
    let list = FieldValue.list(of: .reference, references.map(FieldValue.reference))
    #expect(list.actingReferences.map(\.recordName) == ["b", "c"])
    #expect(references.map { FieldValue.reference($0).actingReferences.count } == [0, 1, 1])
    #expect(FieldValue.string("b").actingReferences.isEmpty)
  }
}
