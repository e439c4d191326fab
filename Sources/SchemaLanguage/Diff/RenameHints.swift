import Diagnostics

/// Guesses which removed name was renamed to which added one. Only a hint, because CloudKit cannot rename fields and
/// types.
struct RenameHints {
  private var newNames: [String: String] = [:]
  private var oldNames: [String: String] = [:]

  func newName(of name: String) -> String? { newNames[name] }
  func oldName(of name: String) -> String? { oldNames[name] }

  /// Pairs a removed field with an added one of the same type if it is the only such pair, or if the names are
  /// similar or one contains the other.
  init(removed: [Field], added: [Field]) {
    guard !removed.isEmpty, !added.isEmpty, removed.count * added.count <= 10_000 else { return }
    var free = added.sorted { byteOrder($0.name, $1.name) }
    for old in removed.sorted(by: { byteOrder($0.name, $1.name) }) {
      let sameType = free.filter { $0.type == old.type }
      guard
        let new = Self.likeliest(
          old.name, sameType.map(\.name), isOnlyPair: removed.count == 1 && added.count == 1)
      else { continue }
      newNames[old.name] = new
      oldNames[new] = old.name
      free.removeAll { $0.name == new }
    }
  }

  private static func likeliest(_ old: String, _ candidates: [String], isOnlyPair: Bool) -> String? {
    if isOnlyPair { return candidates.first }
    if let near = SpellingSuggestion.nearest(to: old, among: candidates) { return near }
    let lower = old.lowercased()
    return candidates.first { candidate in
      let other = candidate.lowercased()
      return min(other.count, lower.count) >= 4
        && (other.hasSuffix(lower) || lower.hasSuffix(other)
          || other.hasPrefix(lower) || lower.hasPrefix(other))
    }
  }

  /// Pairs a removed type with the added one that has most of its fields, or the same fields and a similar name.
  init(from old: Schema, to new: Schema) {
    let (before, after) = (Set(old.recordTypes.map(\.name)), Set(new.recordTypes.map(\.name)))
    let removed = old.recordTypes.filter { !after.contains($0.name) && !SystemNames.isManaged($0.name) }
    var free = new.recordTypes.filter { !before.contains($0.name) && !SystemNames.isManaged($0.name) }
    guard !removed.isEmpty, !free.isEmpty, removed.count * free.count <= 10_000 else { return }
    for old in removed.sorted(by: { byteOrder($0.name, $1.name) }) {
      let ranked = free.map { (type: $0, share: old.sharedFields(with: $0)) }
      guard let best = ranked.max(by: { ($0.share, $1.type.name) < ($1.share, $0.type.name) }),
        best.share > Self.leastShare
      else { continue }
      newNames[old.name] = best.type.name
      oldNames[best.type.name] = old.name
      free.removeAll { $0.name == best.type.name }
    }
  }

  /// Types of different things often share a few fields, such as a title.
  private static let leastShare = 0.6
}

extension RecordType {
  /// The share of the larger type's own fields that both have with the same type.
  fileprivate func sharedFields(with other: RecordType) -> Double {
    let (own, others) = (fields.filter { !$0.isSystem }, other.fields.filter { !$0.isSystem })
    guard !own.isEmpty, !others.isEmpty else { return 0 }
    let types = Dictionary(own.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    let shared = others.count { types[$0.name] == $0.type }
    return Double(shared) / Double(max(own.count, others.count))
  }
}
