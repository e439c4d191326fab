package import Diagnostics

/// The named risks of changes, and the readers whom they affect.
package struct ChangeRisks: Sendable, Hashable {
  /// As `--accept-risk` takes them.
  package var names: Set<String>
  /// The readers of the records that are deleted or that lead to another publisher, by record name.
  package let readers: [String: ReaderCount]

  package init(names: Set<String> = [], readers: [String: ReaderCount] = [:]) {
    self.names = names
    self.readers = readers
  }

  /// The lines of a plan of updates: the readers who will read another address, and the options that applying it needs.
  @ReportBodyBuilder package var body: ReportBody {
    let affected = readers.filter(\.value.mayHaveReaders).sorted { $0.key < $1.key }
    ReportBody.first(ReportBody.maxChanges, of: affected) { name, count in
      ListItem(.note, "\(name): \(count.words) will read another address")
    }
    options
  }

  /// What the plan says about the options that applying it needs; empty without risks.
  package var options: [ListItem] { RiskOptions(names).items }

  /// For the JSON of a plan; `nil` without risks.
  package var json: JSONValue? {
    names.isEmpty ? nil : .array(names.sorted().map(JSONValue.string))
  }
}
