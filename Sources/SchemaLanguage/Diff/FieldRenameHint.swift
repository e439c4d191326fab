import Diagnostics

/// Guesses which removed field was renamed to which added one. Only a hint, because CloudKit cannot rename fields.
struct FieldRenameHint {
  private var newNames: [String: String] = [:]
  private var oldNames: [String: String] = [:]

  func newName(of field: String) -> String? { newNames[field] }
  func oldName(of field: String) -> String? { oldNames[field] }

  /// Pairs a removed field with an added one of the same type if it is the only such pair, or if the names are
  /// similar or one contains the other.
  static func pairs(removed: [Field], added: [Field]) -> FieldRenameHint {
    var hint = FieldRenameHint()
    guard !removed.isEmpty, !added.isEmpty, removed.count * added.count <= 10_000 else { return hint }
    var free = added.sorted { byteOrder($0.name, $1.name) }
    for old in removed.sorted(by: { byteOrder($0.name, $1.name) }) {
      let sameType = free.filter { $0.type == old.type }
      guard
        let new = likeliest(
          old.name, sameType.map(\.name), isOnlyPair: removed.count == 1 && added.count == 1)
      else { continue }
      hint.newNames[old.name] = new
      hint.oldNames[new] = old.name
      free.removeAll { $0.name == new }
    }
    return hint
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
}
