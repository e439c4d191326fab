internal import Diagnostics

/// Makes text from seeds and containers safe to print, so that a title cannot move the cursor or reverse the line
/// around it.
public enum SanitizedText {
  /// Control characters and bidirectional overrides are written as escapes.
  public static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      switch scalar {
      case "\n": line += "\\n"
      case "\t": line += "\\t"
      case _ where scalar.isUnprintable: line += "\\u{\(String(scalar.value, radix: 16))}"
      default: line.unicodeScalars.append(scalar)
      }
    }
  }

  public static func quoted(_ text: String) -> String { "\"\(line(text))\"" }

  /// Two long texts, cut down to where they differ, each at most about `length` characters.
  static func excerpts(_ old: String, _ new: String, length: Int = 80) -> (String, String) {
    guard old.count > length || new.count > length else { return (old, new) }
    let shared = zip(old, new).prefix { $0 == $1 }.count
    let start = max(0, shared - length / 4)
    return (excerpt(old, from: start, length: length), excerpt(new, from: start, length: length))
  }

  static func excerpt(_ text: String, from start: Int = 0, length: Int = 80) -> String {
    let rest = text.dropFirst(start)
    return (start > 0 ? "…" : "") + rest.prefix(length) + (rest.count > length ? "…" : "")
  }
}
