public import Diagnostics

/// A change as a dry run shows it to a person: a new record by its number of fields, any other field by field.
public struct ChangeText: Sendable, Hashable {
  /// `+`, `~` or `-`.
  public let mark: String
  public let subject: String
  /// What becomes of each field, a line each.
  public let fields: [String]

  public init(_ change: RecordChange) {
    let name = "\(change.recordType) \(PlainText.line(change.label ?? change.recordName))"
    switch change.action {
    case .create:
      mark = "+"
      subject = "\(name) (\(change.fields.count == 1 ? "1 field" : "\(change.fields.count) fields"))"
    case .update:
      mark = "~"
      subject = name
    case .delete:
      mark = "-"
      subject = name
    }
    let text = FieldChangeText()
    let shown = change.action == .update ? change.fields.sorted { $0.key < $1.key } : []
    fields = shown.map { text.line($0.key, $0.value) }
  }

  /// The subject after its mark, and each field on a line below it.
  public var lines: PrintableText { "\(mark) \(subject)\n" + PrintableText(lines: fields, indent: "    ") }

  /// The first of the changes, and how many more there are.
  ///
  /// - Parameter total: when not all of them were kept.
  public static func lines(of changes: [RecordChange], total: Int? = nil) -> PrintableText {
    let shown = changes.prefix(200).map { ChangeText($0).lines }
    let hidden = (total ?? changes.count) - shown.count
    return shown.joined() + (hidden > 0 ? "… and \(hidden) more\n" : "")
  }
}
