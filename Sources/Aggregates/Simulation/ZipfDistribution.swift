internal import Platform
internal import SeededRandom

/// Picks items by Zipf's law: the probability of rank r is proportional to 1 / r to the power of the skew.
struct ZipfDistribution: Sendable {
  /// Cumulative weights.
  let sums: [Double]

  /// - Parameter skew: 0 makes all items equally likely; 1 is typical for feeds and words.
  init(count: Int, skew: Double) {
    var sum = 0.0
    sums = (0..<count).map { rank in
      sum += pow(Double(rank + 1), -skew)
      return sum
    }
  }

  /// A rank, from 0. There must be at least one item.
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
