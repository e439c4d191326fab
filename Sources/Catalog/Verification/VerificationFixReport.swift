internal import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The report of `container verify --fix`: the corrections, and the findings that need a decision.
public struct VerificationFixReport: Report {
  private let remaining: FindingsReport
  private let changes: [RecordChange]
  /// `nil` in a dry run.
  private let written: ChangeReport?

  /// - Parameters:
  ///   - remaining: the findings after the correction; in a dry run, all findings.
  ///   - written: `nil` in a dry run.
  public init(_ remaining: FindingsReport, changes: [RecordChange], written: ChangeReport?) {
    self.remaining = remaining
    self.changes = changes
    self.written = written
  }

  public var failure: CommandFailure? { written?.failure ?? remaining.failure }
  public var status: ExitStatus { failure?.status ?? remaining.status }
  public var findings: [Diagnostic] { remaining.findings }
  public var isConfirmation: Bool { remaining.isConfirmation }
  public var metrics: [Metric] { remaining.metrics }
  public var tally: String? { remaining.tally }

  public var json: JSONValue {
    guard case .object(var json) = remaining.json else { return remaining.json }
    json["fixes"] = .array(changes.map { .object($0.planJSON()) })
    json["fixed"] = .integer(Int64(written.map { $0.applied + $0.alreadyApplied } ?? 0))
    json["remaining"] = written?.remainingJSON
    json["dryRun"] = .bool(written == nil)
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText { outcome + remaining.text(style) }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    format == .text ? text(style) : remaining.rendered(as: format, style)
  }

  private var outcome: PrintableText {
    guard !changes.isEmpty else { return "Nothing can be corrected automatically.\n" }
    guard let written else {
      return RecordChangeText.lines(of: changes) + "would correct \(counted(changes.count, "record"))\n"
    }
    return "corrected \(written.applied + written.alreadyApplied) of \(counted(changes.count, "record"))\n"
  }
}
