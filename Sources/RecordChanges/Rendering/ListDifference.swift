internal import CloudKitModel

/// The difference between two lists: elements added, removed, and the smallest set of elements that moved.
struct ListDifference: Hashable {
  /// An element that is in both lists, at another position.
  struct Move: Hashable {
    let element: String
    /// Position in the old list, from 1.
    let from: Int
    /// Position in the new list, from 1.
    let to: Int
  }

  var added: [String] = []
  var removed: [String] = []
  /// In the new list's order.
  var moved: [Move] = []

  /// A repeated element counts at its first position.
  init(from old: [String], to new: [String]) {
    let oldPositions = ListDifference.positions(old)
    let newPositions = ListDifference.positions(new)
    added = new.enumerated().filter {
      oldPositions[BytewiseText($1)] == nil && newPositions[BytewiseText($1)] == $0
    }.map(\.element)
    removed = old.enumerated().filter {
      newPositions[BytewiseText($1)] == nil && oldPositions[BytewiseText($1)] == $0
    }.map(\.element)
    let common = new.enumerated().compactMap { index, element -> Move? in
      guard newPositions[BytewiseText(element)] == index,
        let old = oldPositions[BytewiseText(element)]
      else { return nil }
      return Move(element: element, from: old + 1, to: index + 1)
    }
    let staying = ListDifference.longestIncreasing(common.map(\.from))
    moved = common.indices.filter { !staying.contains($0) }.map { common[$0] }
  }

  private static func positions(_ list: [String]) -> [BytewiseText: Int] {
    Dictionary(list.enumerated().map { (BytewiseText($1), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Indices of a longest increasing subsequence, by patience sorting: n log n.
  static func longestIncreasing(_ values: [Int]) -> Set<Int> {
    var tops: [Int] = []
    var before = [Int?](repeating: nil, count: values.count)
    for index in values.indices {
      let pile = tops.firstIndex(byBisecting: { values[$0] >= values[index] })
      before[index] = pile > 0 ? tops[pile - 1] : nil
      if pile == tops.count { tops.append(index) } else { tops[pile] = index }
    }
    var result: Set<Int> = []
    var next = tops.last
    while let index = next {
      result.insert(index)
      next = before[index]
    }
    return result
  }
}

extension [Int] {
  /// The first index whose element matches, in a list whose matching elements all come last.
  fileprivate func firstIndex(byBisecting matches: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if matches(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
