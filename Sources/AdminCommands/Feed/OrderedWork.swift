/// Something held until its turn comes.
protocol Weighing: Sendable {
  /// Roughly, in bytes.
  var weight: Int { get }
}

/// Works on several inputs at once and hands over the results in the inputs' order, each as soon as it and all before
/// it are there. What is held at any time is bounded, however many the inputs are and however late the first.
struct OrderedWork {
  /// Inputs worked on at once.
  var width = 16
  /// Results that may wait for an earlier one.
  var mostWaiting = 1024
  /// Their weight in all, from which on nothing more is begun.
  var mostWeight = 8 << 20

  /// Throws what `take` throws, and `CancellationError`; either ends the work that is going on.
  func run<Input: Sendable, Output: Weighing>(
    _ inputs: [Input], _ work: @escaping @Sendable (Input) async -> Output, take: (Output) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var waiting: [Int: Output] = [:]
      var weight = 0
      var begun = 0
      var taken = 0
      while taken < inputs.count {
        while begun < inputs.count, begun - taken - waiting.count < width, waiting.count < mostWaiting,
          weight < mostWeight
        {
          group.addTask { [begun] in (begun, await work(inputs[begun])) }
          begun += 1
        }
        guard let (index, output) = try await group.next() else { return }
        try Task.checkCancellation()
        waiting[index] = output
        weight += output.weight
        while let next = waiting.removeValue(forKey: taken) {
          try take(next)
          weight -= next.weight
          taken += 1
        }
      }
    }
  }
}
