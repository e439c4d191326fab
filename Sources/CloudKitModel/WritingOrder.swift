/// The order in which records are written: the given order, except that a record comes after those that it needs.
package struct WritingOrder {
  package private(set) var indices: [Int] = []
  /// For a record in a circle, those that it needs and that come after it.
  package private(set) var later: [Int: [Int]] = [:]
  private var isPlaced: [Int: Bool] = [:]

  /// - Parameter needed: the indices of the records that a record needs.
  package init(count: Int, _ needed: (Int) -> [Int]) {
    for index in 0..<count { visit(index, needed) }
  }

  /// A record comes after the targets of its VALIDATE references.
  package init(_ operations: [RecordOperation]) {
    let places = Dictionary(
      operations.enumerated().compactMap { index, operation in operation.recordName.map { ($0, index) } }
    ) { first, _ in first }
    self.init(count: operations.count) { index in
      operations[index].fields.values.flatMap { $0?.validatedTargets ?? [] }.compactMap { places[$0] }
        .sorted()
    }
  }

  private mutating func visit(_ start: Int, _ needed: (Int) -> [Int]) {
    var stack = [start]
    while let index = stack.last {
      let others = isPlaced[index] == nil ? needed(index).filter { $0 != index } : []
      if isPlaced[index] == nil { isPlaced[index] = false }
      let waiting = others.filter { isPlaced[$0] == nil }
      let begun = others.filter { isPlaced[$0] == false }
      if !begun.isEmpty { later[index] = begun }
      guard waiting.isEmpty else {
        stack += waiting.reversed()
        continue
      }
      stack.removeLast()
      if isPlaced.updateValue(true, forKey: index) == false { indices.append(index) }
    }
  }
}

extension FieldValue {
  /// The references that the service acts on when their target is deleted.
  package var actingReferences: [Reference] {
    switch self {
    case .reference(let reference): reference.action == .none ? [] : [reference]
    case .list(_, let values): values.compactMap(\.reference).filter { $0.action != .none }
    default: []
    }
  }

  /// The names of the records without which the service refuses to write this value, and which it keeps while a record has
  /// this value (Documentation/reference/web-services.md#references).
  package var validatedTargets: [String] {
    actingReferences.filter { $0.action == .validate }.map(\.recordName)
  }
}

extension Record {
  /// Whether the record refers to another with the action VALIDATE, so that the container deletes that one only after it.
  package func keeps(_ recordName: String) -> Bool {
    fields.values.contains { $0.validatedTargets.contains(recordName) }
  }
}
