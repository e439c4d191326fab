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
  private let sums: [Double]

  /// - Parameter skew: 0 makes all alike; 1 is what feeds and words show.
  init(count: Int, skew: Double) {
    var sum = 0.0
    sums = (0..<count).map { rank in
      sum += pow(Double(rank + 1), -skew)
      return sum
    }
  }

  /// A rank, from 0. The caller makes sure that there are items.
  func pick(using random: inout SplitMix64) -> Int {
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

/// A small generator whose numbers are the same everywhere and for ever (Steele, Lea and Flood 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
