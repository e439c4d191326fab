/// A result with a known size in memory, for ``OrderedTaskPool``.
protocol SizedResult: Sendable {
  /// The approximate size in bytes.
  var weight: Int { get }
}

/// Processes several inputs at the same time and returns the results in the order of the inputs. The memory for
/// waiting results is bounded, for any number of inputs.
struct OrderedTaskPool {
  /// The maximum number of inputs processed at the same time.
  var width = 16
  /// The maximum number of results that wait for an earlier one.
  var maxWaiting = 1024
  /// The maximum total size in bytes of running inputs and waiting results. A larger input is processed alone.
  var maxWeight = 24 << 20
  /// The assumed size in bytes of an input with unknown size, until the first result gives an estimate.
  var unknownWeight = 10 << 20

  /// - Parameter weight: the size of an input in bytes; `nil` if unknown. Then the size of the largest such result
  ///   so far is assumed.
  /// - Throws: errors of `take`, and `CancellationError`. Both cancel running work.
  func run<Input: Sendable, Output: SizedResult>(
    _ inputs: [Input], weight: (Input) -> Int? = { _ in 0 },
    _ work: @escaping @Sendable (Input) async -> Output, take: (Output) throws -> Void
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
          group.addTask { [begun] in (begun, await work(inputs[begun])) }
          begun += 1
        }
        guard let (index, output) = try await group.next() else { return }
        try Task.checkCancellation()
        load.end(index, output.weight)
        waiting[index] = output
        while let next = waiting.removeValue(forKey: taken) {
          try take(next)
          load.total -= next.weight
          taken += 1
        }
      }
    }
  }
}

/// The sizes of running inputs and waiting results.
private struct PoolLoad {
  /// The running inputs, with their assumed sizes.
  var inputs: [Int: (weight: Int, isKnown: Bool)] = [:]
  var total = 0
  private var heaviestUnknown: Int?
  private let unknown: Int

  init(unknown: Int) { self.unknown = unknown }

  /// Adds an input; false if the limit would be exceeded.
  mutating func begin(_ input: Int, _ known: Int?, limit: Int) -> Bool {
    let weight = known ?? heaviestUnknown ?? unknown
    guard total == 0 || total + weight <= limit else { return false }
    inputs[input] = (weight, known != nil)
    total += weight
    return true
  }

  /// Replaces an input's assumed size by that of its result.
  mutating func end(_ input: Int, _ weight: Int) {
    guard let expected = inputs.removeValue(forKey: input) else { return }
    total += weight - expected.weight
    if !expected.isKnown { heaviestUnknown = max(heaviestUnknown ?? 0, weight) }
  }
}
