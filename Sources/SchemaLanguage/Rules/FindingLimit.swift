import Diagnostics

/// Limits the number of listed findings of each rule.
enum FindingLimit {
  static let ofOneRule = 100

  static func note(_ omitted: Int, _ code: String, at place: SourceRange?) -> Diagnostic {
    Diagnostic(
      SyntaxCode.tooManyErrors.rawValue, .note,
      "\(omitted) more \(omitted == 1 ? "finding" : "findings") of \(code) \(omitted == 1 ? "is" : "are") not listed",
      at: place)
  }

  /// The first findings of each rule, and a note for each rule that has more.
  static func apply(to found: [Diagnostic]) -> [Diagnostic] {
    guard found.count > ofOneRule else { return found }
    var counts: [String: Int] = [:]
    var last: [String: SourceRange?] = [:]
    let kept = found.filter { diagnostic in
      counts[diagnostic.code, default: 0] += 1
      guard counts[diagnostic.code, default: 0] <= ofOneRule else { return false }
      last[diagnostic.code] = diagnostic.range
      return true
    }
    let notes = counts.sorted { $0.key < $1.key }.filter { $0.value > ofOneRule }
    return kept + notes.map { note($0.value - ofOneRule, $0.key, at: last[$0.key] ?? nil) }
  }
}

extension String {
  /// The text with long words shortened, because a name may be as long as the file.
  var withShortWords: String {
    guard utf8.count > 200 else { return self }
    return split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.utf8.count > 80 ? word.prefix(57) + "..." + word.suffix(1) : word
    }.joined(separator: " ")
  }
}
