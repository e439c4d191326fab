public import Diagnostics

/// The named risks of changes, and the readers whom they affect.
public struct ChangeRisks: Sendable, Hashable {
  /// As `--accept-risk` takes them.
  public var names: Set<String>
  /// The readers of the records that are deleted or that lead to another publisher, by record name.
  public let readers: [String: ReaderCount]

  public init(names: Set<String> = [], readers: [String: ReaderCount] = [:]) {
    self.names = names
    self.readers = readers
  }

  /// The lines of a plan of updates: the readers who will read another address, and the options that applying it needs.
  public func text(_ style: TerminalStyle) -> PrintableText {
    let affected = readers.filter(\.value.mayHaveReaders).sorted { $0.key < $1.key }
    let shown = affected.prefix(RecordChangeText.maxShown).map { name, count -> PrintableText in
      "· \(SanitizedText.line(name)): \(count.words) will read another address\n"
    }
    let hidden = affected.count - shown.count
    return shown.joined() + (hidden > 0 ? "… and \(hidden) more\n" : "") + options(style)
  }

  /// The line about the options that applying the plan needs; empty without risks.
  public func options(_ style: TerminalStyle) -> PrintableText { RiskOptions(names).text(style) }

  /// For the JSON of a plan; `nil` without risks.
  public var json: JSONValue? {
    names.isEmpty ? nil : .array(names.sorted().map(JSONValue.string))
  }
}
