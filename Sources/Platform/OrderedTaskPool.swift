/// Processes several inputs at the same time and returns the results in the order of the inputs. The memory for
/// waiting results is bounded, for any number of inputs.
package struct OrderedTaskPool: Sendable {
  /// The maximum number of inputs processed at the same time.
  private let width: Int
  /// The maximum number of results that wait for an earlier one.
  private let maxWaiting: Int
  /// The maximum total size in bytes of running inputs and waiting results. A larger input is processed alone.
  private let maxWeight: Int
  /// The assumed size in bytes of an input with unknown size, until the first result gives an estimate.
  private let unknownWeight: Int

  package init(
    width: Int = 16, maxWaiting: Int = 1024, maxWeight: Int = 24 << 20, unknownWeight: Int = 10 << 20
  ) {
    self.width = max(1, width)
    self.maxWaiting = maxWaiting
    self.maxWeight = maxWeight
    self.unknownWeight = unknownWeight
  }

  /// - Parameters:
  ///   - weight: the size of an input in bytes; `nil` if unknown. Then the size of the largest such result so far is
  ///     assumed.
  ///   - resultWeight: the approximate size of a result in bytes.
  /// - Throws: errors of `work` and `take`, and `CancellationError`. All cancel running work.
  package func run<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], weight: (Input) -> Int? = { _ in 0 }, resultWeight: (Output) -> Int = { _ in 0 },
    _ work: @escaping @Sendable (Input) async throws -> Output, take: (Output) throws -> Void = { _ in }
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var load = PoolLoad(unknown: unknownWeight)
      var waiting: [Int: Output] = [:]
      var begun = 0
      var taken = 0
      while taken < inputs.count {
        while begun < inputs.count, load.inputs.count < width, waiting.count < maxWaiting,
          load.begin(begun, weight(inputs[begun]), limit: maxWeight)
        {
          group.addTask { [begun] in (begun, try await work(inputs[begun])) }
          begun += 1
        }
        guard let (index, output) = try await group.next() else { return }
        try Task.checkCancellation()
        load.end(index, resultWeight(output))
        waiting[index] = output
        while let next = waiting.removeValue(forKey: taken) {
          try take(next)
          load.total -= resultWeight(next)
          taken += 1
        }
      }
    }
  }
}

private struct PoolLoad {
  /// The running inputs, with their assumed sizes.
  var inputs: [Int: (weight: Int, isKnown: Bool)] = [:]
  var total = 0
  var heaviestUnknown: Int?
  let unknown: Int

  /// Adds an input; false if the limit would be exceeded.
  mutating func begin(_ input: Int, _ known: Int?, limit: Int) -> Bool {
    let weight = known ?? heaviestUnknown ?? unknown
    guard total == 0 || total + weight <= limit else { return false }
    inputs[input] = (weight, known != nil)
    total += weight
    return true
  }

  mutating func end(_ input: Int, _ weight: Int) {
    guard let expected = inputs.removeValue(forKey: input) else { return }
    total += weight - expected.weight
    if !expected.isKnown { heaviestUnknown = max(heaviestUnknown ?? 0, weight) }
  }
}
