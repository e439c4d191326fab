/// A finding about the user's input or data, with its place, severity and code. All modules report findings in this
/// form.
package struct Diagnostic: Sendable, Hashable {
  /// How serious a finding is. Comparable, so that `severity >= .warning` includes errors.
  package enum Severity: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    case note, warning, error

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    private var rank: Int { Severity.allCases.firstIndex(of: self) ?? 0 }
  }

  /// An additional place that explains the finding ("first declared here").
  package struct Note: Sendable, Hashable {
    package let message: String
    package let range: SourceRange?

    package init(_ message: String, at range: SourceRange? = nil) {
      self.message = message.printableLine.withoutUserRecordNames
      self.range = range
    }
  }

  package struct Fix: Sendable, Hashable {
    package let range: SourceRange
    package let replacement: String

    package init(replacing range: SourceRange, with replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }

  /// The code of the rule, such as `CK0101`. Codes are documented and never reused.
  package let code: String
  package var severity: Severity
  /// One sentence that says what is wrong, without a full stop. It may quote input; like notes and help, it is
  /// cleaned to one printable line (`String.printableLine`).
  package let message: String
  package let range: SourceRange?
  package var notes: [Note]
  package private(set) var help: String?
  package let fix: Fix?

  package init(
    _ code: String, _ severity: Severity, _ message: String, at range: SourceRange? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.code = code
    self.severity = severity
    self.message = message.printableLine.withoutUserRecordNames
    self.range = range
    self.notes = notes
    self.help = help?.printableLine.withoutUserRecordNames
    self.fix = fix
  }

  package func mappingTexts(_ change: (String) -> String) -> Diagnostic {
    copy(of: self) { $0.help = help.map { change($0).printableLine.withoutUserRecordNames } }
  }
}

extension Sequence where Element == Diagnostic {
  package var hasErrors: Bool { contains { $0.severity == .error } }

  /// The exit status of a command that fails on findings from a severity on.
  package func status(failOn severity: Diagnostic.Severity) -> ExitStatus {
    contains { $0.severity >= severity } ? .findings : .done
  }

  /// The numbers of findings, the most severe first, without those that are 0: `2 errors`, `1 note`.
  var severityCounts: [String] {
    Diagnostic.Severity.allCases.reversed().compactMap { severity in
      let count = count { $0.severity == severity }
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
  }

  package func verdict(beside notices: [Diagnostic] = []) -> String {
    let counts = severityCounts.joined(separator: ", ")
    if notices.isEmpty { return counts.isEmpty ? "no findings" : counts }
    return counts.isEmpty
      ? "no other findings" : "\(counts), and \(counted(notices.count, "notice")) beside them"
  }

  /// The distinct findings, in the order of their places.
  package func sortedForReading() -> [Diagnostic] {
    unique.sorted { $0.readingOrder < $1.readingOrder }
  }
}

extension Diagnostic {
  /// Sorts findings without a place first, then by file, place and code.
  fileprivate var readingOrder: (String, Int, String, String) {
    (range?.source.name ?? "", range?.offsets.lowerBound ?? -1, code, message)
  }
}
