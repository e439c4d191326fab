internal import CloudKitModel
internal import Diagnostics

/// The text of a field's change, in words for editors.
public struct FieldChangeText: Sendable {
  /// The readable names of records, by record name.
  private let labels: [String: String]

  public init(labels: [String: String] = [:]) { self.labels = labels }

  /// `title: "Old" → "New"`; for a list, the elements that were added, removed or moved.
  public func line(_ field: String, _ change: FieldChange) -> String {
    if let old = strings(change.from), let new = strings(change.to), !(old.isEmpty && new.isEmpty) {
      return "\(field): " + (listChange(from: old, to: new).joined(separator: "; "))
    }
    if let old = change.from?.string, let new = change.to?.string {
      guard old != new else {
        // The two texts look the same on a screen.
        return
          "\(field): \(SanitizedText.quoted(SanitizedText.excerpt(old))) with other code points for the same characters"
          + " (Unicode normalization)"
      }
      let (from, to) = SanitizedText.excerpts(old, new)
      return "\(field): \(SanitizedText.quoted(from)) → \(SanitizedText.quoted(to))"
    }
    return "\(field): \(value(change.from, of: field)) → \(value(change.to, of: field))"
  }

  /// `order changed: daring-fireball moved from 7 to 2`, when the order is all that changed.
  public func orderOnly(_ change: FieldChange) -> String? {
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
    return parts.isEmpty ? ["repeated elements changed"] : parts
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
    case .reference(let reference): SanitizedText.line(labels[reference.recordName] ?? reference.recordName)
    case .string(let text): SanitizedText.line(text)
    case .timestamp(let moment): moment.iso8601
    default: value.plainJSON.text()
    }
  }

  private func value(_ value: FieldValue?, of field: String) -> String {
    switch value {
    case nil: "none"
    case .string(let text)?: SanitizedText.quoted(SanitizedText.excerpt(text))
    case .int64(let number)? where field.hasPrefix("is"): number == 0 ? "no" : "yes"
    case let value?: name(value)
    }
  }
}
