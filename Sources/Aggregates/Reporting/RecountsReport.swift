package import Diagnostics
internal import FeedState

/// The results of several recounts in one run. A failed recount does not stop the others, because each has its own
/// lease and targets.
package struct RecountsReport: Report {
  /// The result of one aggregate: its report, or why its recount failed.
  private struct Part: Sendable {
    let aggregate: String
    var report: (any Report)?
    var error: (any Error)?

    var status: ExitStatus { report?.status ?? failure?.status ?? .failed }
    var failure: CommandFailure? { report?.failure ?? error.map { CommandFailure($0) } }
  }

  private var parts: [Part] = []

  /// Runs the recounts one after the other, until the task is cancelled. Throws the failure that all of them have.
  package init(of recounts: [Recount]) async throws {
    for recount in recounts where !Task.isCancelled {
      do {
        parts.append(Part(aggregate: recount.name, report: try await recount.report()))
      } catch {
        parts.append(Part(aggregate: recount.name, error: error))
      }
    }
    let failures = parts.compactMap(\.error)
    let reasons = Set(failures.map { CommandFailure($0).message })
    if failures.count == parts.count, reasons.count == 1, let first = failures.first { throw first }
  }

  private var worst: Part? { parts.max { $0.status.rawValue < $1.status.rawValue } }

  package var status: ExitStatus { worst?.status ?? .done }
  package var failure: CommandFailure? {
    guard let worst, var failure = worst.failure else { return nil }
    failure.message = "\(worst.aggregate): \(failure.message)"
    failure.diagnostics = []
    return failure
  }
  package var isConfirmation: Bool { parts.allSatisfy { $0.report?.isConfirmation ?? false } }
  package var urgent: ReportBody? {
    parts.contains { $0.report.map { $0.urgent == nil } ?? false } ? nil : body.troubles
  }
  package var notes: [Diagnostic] { parts.flatMap { $0.report?.notes ?? $0.failure?.diagnostics ?? [] } }
  package var metrics: [Metric] { parts.flatMap { $0.report?.metrics ?? [] } }
  package var tally: Tally? { parts.compactMap { $0.report?.tally }.joined(separator: "; ") }

  /// Each with its `error`, because an envelope has a place for one only.
  package var json: JSONValue {
    let objects = parts.map {
      ($0.report?.json ?? ["aggregate": .string($0.aggregate)]).adding(["error": $0.failure?.json])
    }
    return ["aggregates": .array(objects)]
  }

  /// The failures that ``failure`` does not say stand beside their results. Two of the same message may have different
  /// hints.
  package var body: ReportBody {
    let printed = worst?.failure
    for part in parts {
      if let report = part.report { report.body } else { "\(part.aggregate, .strong): nothing was written" }
      if let failure = part.failure,
        failure.message != printed?.message || failure.hint != printed?.hint
      {
        ListItem(
          .bad, "\(part.aggregate): \(failure.message)",
          details: failure.hint.map { ["\("hint:", .dim) \($0)"] } ?? [])
      }
    }
  }
}

extension AggregateDeclaration.Operation {
  /// As `aggregates.json` has it.
  fileprivate var json: JSONValue {
    switch self {
    case .count: "count"
    case .sum(let field): ["sum": field.json]
    case .max(let field): ["max": field.json]
    }
  }

  fileprivate var suffix: String {
    switch self {
    case .count: ""
    case .sum(let field): " (sum of \(field))"
    case .max(let field): " (maximum of \(field))"
    }
  }
}

extension AggregateCatalog {
  /// The recounts that a container offers, in the order of `all`: what `recount --list` prints.
  package var list: PlainReport {
    get throws {
      typealias Row = (
        name: String, source: String, targets: [String], operation: AggregateDeclaration.Operation?
      )
      let rows = try ordered().map { subject -> Row in
        switch subject {
        case .count(let declaration):
          let targets = declaration.targets.map { "\($0.recordType).\($0.field)" }
          return (declaration.name, declaration.source.recordType, targets, declaration.operation)
        case .quality(let feeds, _):
          let target = "\(feeds.recordType).\(feeds.scoreField)"
          return (subject.name, feeds.stateType ?? feeds.recordType, [target], nil)
        }
      }
      let entries = rows.map { row -> JSONValue in
        .object([
          "name": row.name.json, "source": row.source.json, "targets": row.targets.json,
          "operation": row.operation?.json,
        ])
      }
      var table = Table([.init("aggregate"), .init("counts"), .init("in")])
      for row in rows {
        table.add(
          "\(row.name, .strong)", "\(row.source)\(row.operation?.suffix ?? "")",
          "\(row.targets.joined(separator: ", "))")
      }
      return PlainReport(json: ["aggregates": .array(entries)]) {
        if rows.isEmpty { "the container's schema has nothing to recount" }
        table
      }
    }
  }
}
