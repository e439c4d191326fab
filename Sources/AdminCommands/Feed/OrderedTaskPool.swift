/// Something held until its turn comes.
protocol MemoryWeighted: Sendable {
  /// Roughly, in bytes.
  var weight: Int { get }
}

/// Works on several inputs at once and hands over the results in the inputs' order, each as soon as it and all before
/// it are there. What is held at any time is bounded, however many the inputs are and however late the first.
struct OrderedTaskPool {
  /// Inputs worked on at once.
  var width = 16
  /// Results that may wait for an earlier one.
  var maxWaiting = 1024
  /// Of the inputs worked on and the results that wait, in all; a heavier input is worked on alone.
  var maxWeight = 24 << 20
  /// Of an input whose weight is not known beforehand, while no result shows what such inputs weigh.
  var unknownWeight = 10 << 20

  /// - Parameter weight: what an input will weigh; `nil` when that is not known. It is then taken for as heavy as the
  ///   heaviest such result so far.
  /// - Throws: what `take` throws, and `CancellationError`; either ends the work that is going on.
  func run<Input: Sendable, Output: MemoryWeighted>(
    _ inputs: [Input], weight: (Input) -> Int? = { _ in 0 },
    _ work: @escaping @Sendable (Input) async -> Output, take: (Output) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var load = Load(unknown: unknownWeight)
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

/// What is held, and of which inputs.
private struct Load {
  /// Those worked on, with what they are taken to weigh.
  var inputs: [Int: (weight: Int, isKnown: Bool)] = [:]
  var total = 0
  private var heaviestUnknown: Int?
  private let unknown: Int

  init(unknown: Int) { self.unknown = unknown }

  /// False when there is no room for it.
  mutating func begin(_ input: Int, _ known: Int?, limit: Int) -> Bool {
    let weight = known ?? heaviestUnknown ?? unknown
    guard total == 0 || total + weight <= limit else { return false }
    inputs[input] = (weight, known != nil)
    total += weight
    return true
  }

  /// From here on it is its result that counts.
  mutating func end(_ input: Int, _ weight: Int) {
    guard let expected = inputs.removeValue(forKey: input) else { return }
    total += weight - expected.weight
    if !expected.isKnown { heaviestUnknown = max(heaviestUnknown ?? 0, weight) }
  }
}
