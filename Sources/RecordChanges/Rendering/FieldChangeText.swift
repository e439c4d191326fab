internal import CloudKitModel
internal import Diagnostics

package struct FieldChangeText: Sendable {
  private let labels: [String: String]
  private let isForEditors: Bool

  /// - Parameter isForEditors: whether the fields are those of seeds, whose flags are words and not numbers.
  package init(labels: [String: String] = [:], isForEditors: Bool = false) {
    (self.labels, self.isForEditors) = (labels, isForEditors)
  }

  /// `title: "Old" → "New"`; for a list, the elements that were added, removed or moved.
  package func line(_ field: String, _ change: FieldChange) -> String {
    if let old = strings(change.from), let new = strings(change.to), !(old.isEmpty && new.isEmpty) {
      return "\(field): " + (listChange(from: old, to: new).joined(separator: "; "))
    }
    if let old = change.from?.string, let new = change.to?.string {
      guard old != new else {
        // The two texts look the same on a screen.
        return
          "\(field): \(Self.excerpt(old).quoted) with other code points for the same characters"
          + " (Unicode normalization)"
      }
      let (shownOld, shownNew) = (old.withoutSecrets, new.withoutSecrets)
      guard shownOld != shownNew else {
        return "\(field): \(Self.excerpt(shownOld).quoted) with another secret"
      }
      let (from, to) = Self.excerpts(shownOld, shownNew)
      return "\(field): \(from.quoted) → \(to.quoted)"
    }
    return "\(field): \(value(change.from, of: field)) → \(value(change.to, of: field))"
  }

  /// `order changed: daring-fireball moved from 7 to 2`, when the order is all that changed.
  package func orderOnly(_ change: FieldChange) -> String? {
    guard let old = strings(change.from), let new = strings(change.to) else { return nil }
    let difference = ListDifference(from: old, to: new)
    guard difference.added.isEmpty, difference.removed.isEmpty, !difference.moved.isEmpty else { return nil }
    return "order changed: \(moves(difference.moved))"
  }

  private func listChange(from old: [String], to new: [String]) -> [String] {
    let difference = ListDifference(from: old, to: new)
    var parts: [String] = []
    if !difference.added.isEmpty { parts.append("+ " + difference.added.joined(separator: ", ")) }
    if !difference.removed.isEmpty { parts.append("- " + difference.removed.joined(separator: ", ")) }
    if !difference.moved.isEmpty { parts.append(moves(difference.moved)) }
    return parts.isEmpty ? repetitions(from: old, to: new) : parts
  }

  /// `one listed 1 time instead of 2`, when lists differ only in how often they have their elements.
  private func repetitions(from old: [String], to new: [String]) -> [String] {
    let before = Dictionary(old.map { ($0, 1) }, uniquingKeysWith: +)
    let after = Dictionary(new.map { ($0, 1) }, uniquingKeysWith: +)
    let parts = after.keys.sorted().compactMap { element in
      let (was, times) = (before[element] ?? 0, after[element] ?? 0)
      return was == times ? nil : "\(element) listed \(counted(times, "time")) instead of \(was)"
    }
    return parts.isEmpty ? ["order changed"] : parts
  }

  private static let movesShown = 3

  private func moves(_ moves: [ListDifference.Move]) -> String {
    let shown = moves.prefix(Self.movesShown).map { "\($0.element) moved from \($0.from) to \($0.to)" }
    let hidden = moves.count - shown.count
    return shown.joined(separator: ", ") + (hidden > 0 ? " and \(hidden) more" : "")
  }

  /// A list's elements by name; an absent value is an empty list.
  private func strings(_ value: FieldValue?) -> [String]? {
    switch value {
    case nil: []
    case .list(_, let elements)?: elements.map { name($0) }
    default: nil
    }
  }

  private func name(_ value: FieldValue) -> String {
    switch value {
    case .reference(let reference): labels[reference.recordName] ?? reference.recordName
    case .string(let text): text.asListElement
    case .timestamp(let moment): moment.iso8601
    default: value.plainJSON.text()
    }
  }

  private func value(_ value: FieldValue?, of field: String) -> String {
    switch value {
    case nil: "none"
    case .string(let text)?: Self.excerpt(text.withoutSecrets).quoted
    case .int64(let number)? where isForEditors && field.hasPrefix("is") && (0...1).contains(number):
      number == 0 ? "no" : "yes"
    case let value?: name(value)
    }
  }

  private static let maxExcerpt = 80

  /// Two long texts, cut down to where they differ, each at most about ``maxExcerpt`` characters.
  private static func excerpts(_ old: String, _ new: String) -> (String, String) {
    guard old.count > maxExcerpt || new.count > maxExcerpt else { return (old, new) }
    let shared = zip(old, new).prefix { $0 == $1 }.count
    let start = max(0, shared - maxExcerpt / 4)
    return (excerpt(old, from: start), excerpt(new, from: start))
  }

  private static func excerpt(_ text: String, from start: Int = 0) -> String {
    let rest = text.dropFirst(start)
    return (start > 0 ? "…" : "") + rest.prefix(maxExcerpt) + (rest.count > maxExcerpt ? "…" : "")
  }
}

/// The difference between two lists: elements added, removed, and the smallest set of elements that moved.
struct ListDifference: Hashable {
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
      oldPositions[ExactText($1)] == nil && newPositions[ExactText($1)] == $0
    }.map(\.element)
    removed = old.enumerated().filter {
      newPositions[ExactText($1)] == nil && oldPositions[ExactText($1)] == $0
    }.map(\.element)
    let common = new.enumerated().compactMap { index, element -> Move? in
      guard newPositions[ExactText(element)] == index,
        let old = oldPositions[ExactText(element)]
      else { return nil }
      return Move(element: element, from: old + 1, to: index + 1)
    }
    let staying = ListDifference.staying(common)
    moved = common.indices.filter { !staying.contains($0) }.map { common[$0] }
  }

  /// The indices of as many elements as possible that kept their order; of several choices, one with those that kept their
  /// position, so that no element moved from 3 to 3.
  private static func staying(_ common: [Move]) -> Set<Int> {
    let longest = longestIncreasing(common.map(\.from))
    // An element fits to those that kept their position when it is on the same side of each as before.
    var (below, above) = (0, [Int](repeating: .max, count: common.count))
    for index in common.indices.reversed().dropFirst() {
      let next = common[index + 1]
      above[index] = next.from == next.to ? next.from : above[index + 1]
    }
    let fitting = common.indices.filter { index in
      let move = common[index]
      defer { if move.from == move.to { below = move.from } }
      return below < move.from && move.from < above[index]
    }
    let anchored = longestIncreasing(fitting.map { common[$0].from }).map { fitting[$0] }
    return anchored.count < longest.count ? longest : Set(anchored)
  }

  private static func positions(_ list: [String]) -> [ExactText: Int] {
    Dictionary(list.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Indices of a longest increasing subsequence, by patience sorting: n log n.
  static func longestIncreasing(_ values: [Int]) -> Set<Int> {
    var tops: [Int] = []
    var before = [Int?](repeating: nil, count: values.count)
    for index in values.indices {
      let pile = tops.partitioningIndex(where: { values[$0] >= values[index] })
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
