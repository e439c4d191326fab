public import Diagnostics

/// The text of a change for a dry run. A new record is shown with its number of fields, any other change field by
/// field.
public struct RecordChangeText: Sendable, Hashable {
  /// `+`, `~` or `-`.
  public let mark: String
  public let subject: String
  /// One line for each changed field.
  public let fields: [String]

  public init(_ change: RecordChange) {
    let name = "\(change.recordType) \(SanitizedText.line(change.label ?? change.recordName))"
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

  /// The record after its mark, and each field on a line below.
  public var lines: PrintableText { "\(mark) \(subject)\n" + PrintableText(lines: fields, indent: "    ") }

  /// The text of the first changes, and the number of the others.
  ///
  /// - Parameter total: when not all of them were kept.
  public static func lines(of changes: [RecordChange], total: Int? = nil) -> PrintableText {
    let shown = changes.prefix(200).map { RecordChangeText($0).lines }
    let hidden = (total ?? changes.count) - shown.count
    return shown.joined() + (hidden > 0 ? "… and \(hidden) more\n" : "")
  }
}
