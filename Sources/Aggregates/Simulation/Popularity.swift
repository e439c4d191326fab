internal import SeededRandom

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Picks items so that the one of rank r comes up in proportion to 1 / r to the power of the skew (Zipf's law).
struct Popularity: Sendable {
  /// Running sums of the weights.
  let sums: [Double]

  /// - Parameter skew: 0 makes all alike; 1 is what feeds and words show.
  init(count: Int, skew: Double) {
    var sum = 0.0
    sums = (0..<count).map { rank in
      sum += pow(Double(rank + 1), -skew)
      return sum
    }
  }

  /// A rank, from 0. The caller makes sure that there are items.
  func pick(using random: inout SeededGenerator) -> Int {
    let point = random.unit() * (sums.last ?? 0)
    var low = 0
    var high = sums.count - 1
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] <= point { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
