/// Packs groups into bins of limited membership so that each bin's expected rows come as close as they can,
/// from below, to whole pages.
///
/// A page costs the same full or nearly empty, so the waste of a bin is its last page. The largest group left
/// opens a bin; the bin is then filled with the largest groups that leave the remaining places their share.
struct BinPacking {
  struct Limits: Sendable, Hashable {
    /// Names in one `IN` filter. The service's own limit is not documented for this API; the native one is 250
    /// and failures were reported above 193 (web-services.md section 3.2).
    var members = 100
    /// Rows of a full page (web-services.md section 3.2).
    var page: Int64 = 200
    /// Fewer bins than this leave connections idle.
    var wantedBins = 1
  }

  private let limits: Limits
  private let order: [Int]
  private let sizes: [Int64]
  /// `next[i]` leads to the first unused place at or after `i`.
  private var next: [Int]
  private var rowsLeft: Int64
  private var membersLeft: Int

  /// The bins, each a list of indexes into `expected`; every index is in exactly one.
  static func pack(_ expected: [Int64], limits: Limits = Limits()) -> [[Int]] {
    var packing = BinPacking(expected, limits)
    var bins: [[Int]] = []
    while packing.membersLeft > 0 { bins.append(packing.nextBin(number: bins.count)) }
    return bins
  }

  private init(_ expected: [Int64], _ limits: Limits) {
    self.limits = limits
    order = expected.indices.sorted { (expected[$1], $0) < (expected[$0], $1) }
    sizes = order.map { expected[$0] }
    next = Array(0...expected.count)
    rowsLeft = expected.reduce(0, +)
    membersLeft = expected.count
  }

  private mutating func nextBin(number: Int) -> [Int] {
    let places = placesPerBin(number)
    let binsLeft = Int64((membersLeft + places - 1) / places)
    let first = take(firstUnused(from: 0))
    var room = wholePages(max(rowsLeft + sizes[first], 1) / max(1, binsLeft), atLeast: sizes[first])
    room -= sizes[first]
    var bin = [order[first]]
    while bin.count < places, membersLeft > 0 {
      let share = room / Int64(places - bin.count)
      var place = firstUnused(from: firstIndex(notAbove: share))
      if place == sizes.count { place = firstUnused(from: firstIndex(notAbove: room)) }
      guard place < sizes.count else { break }
      room -= sizes[take(place)]
      bin.append(order[place])
    }
    return bin
  }

  /// Fewer than the filter allows when that would leave too few bins to run side by side.
  private func placesPerBin(_ number: Int) -> Int {
    let wanted = max(1, limits.wantedBins - number)
    return max(1, min(limits.members, (membersLeft + wanted - 1) / wanted))
  }

  private func wholePages(_ rows: Int64, atLeast minimum: Int64) -> Int64 {
    let rows = max(rows, minimum, 1)
    return (rows + limits.page - 1) / limits.page * limits.page
  }

  private mutating func take(_ place: Int) -> Int {
    next[place] = place + 1
    rowsLeft -= sizes[place]
    membersLeft -= 1
    return place
  }

  private mutating func firstUnused(from place: Int) -> Int {
    var end = place
    while next[end] != end { end = next[end] }
    var place = place
    while next[place] != end, place != end { (place, next[place]) = (next[place], end) }
    return end
  }

  /// Sizes fall, so this is a search by halving.
  private func firstIndex(notAbove limit: Int64) -> Int {
    var low = 0
    var high = sizes.count
    while low < high {
      let middle = (low + high) / 2
      if sizes[middle] > limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
