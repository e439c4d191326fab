/// One thing worth telling a person about their input: the only form in which any module reports a finding.
public struct Diagnostic: Sendable, Hashable {
  /// Ordered by weight, so that `severity >= .warning` reads as it says.
  public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    case note, warning, error

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    private var rank: Int { Severity.allCases.firstIndex(of: self) ?? 0 }
  }

  /// A second place that explains the first ("first declared here").
  public struct Note: Sendable, Hashable {
    public let message: String
    public let range: SourceRange?

    public init(_ message: String, at range: SourceRange? = nil) {
      self.message = message.withoutUserInfo.printableLine
      self.range = range
    }
  }

  /// A replacement that mends the finding.
  public struct Fix: Sendable, Hashable {
    public let range: SourceRange
    public let replacement: String

    public init(replacing range: SourceRange, with replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }

  /// Stable, documented, never reused: `CK0101`.
  public let code: String
  public let severity: Severity
  /// One sentence saying what is wrong, without a full stop. It quotes input, and is one line that can be shown as it
  /// is (`String.printableLine`), as the messages of the notes and the help are.
  public let message: String
  public let range: SourceRange?
  public let notes: [Note]
  /// What to do about it.
  public let help: String?
  public let fix: Fix?

  public init(
    _ code: String, _ severity: Severity, _ message: String, at range: SourceRange? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.code = code
    self.severity = severity
    self.message = message.withoutUserInfo.printableLine
    self.range = range
    self.notes = notes
    self.help = help?.withoutUserInfo.printableLine
    self.fix = fix
  }
}

extension Sequence where Element == Diagnostic {
  /// True when something makes the input unusable.
  public var hasErrors: Bool { contains { $0.severity == .error } }

  /// In reading order, each finding once.
  public func sortedForReading() -> [Diagnostic] {
    var seen = Set<Diagnostic>()
    return filter { seen.insert($0).inserted }.sorted { $0.readingOrder < $1.readingOrder }
  }
}

extension Diagnostic {
  /// Findings without a place come first; then by file, place and code.
  fileprivate var readingOrder: (String, Int, String, String) {
    (range?.source.name ?? "", range?.offsets.lowerBound ?? -1, code, message)
  }
}
