package import Diagnostics
internal import FeedState

/// The results of several recounts in one run. A failed recount does not stop the others, because each has its own
/// lease and targets.
package struct RecountsReport: Report {
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
      if let failure = part.failure, failure.message != printed?.message || failure.hint != printed?.hint {
        ListItem(
          .bad, "\(part.aggregate): \(failure.message)",
          details: failure.hint.map { ["\("hint:", .dim) \($0)"] } ?? [])
      }
    }
  }
}

extension AggregateCatalog {
  /// The recounts that a container offers, in the order of `all`: what `recount --list` prints.
  package var list: PlainReport {
    get throws {
      var entries: [JSONValue] = []
      var table = Table([.init("aggregate"), .init("counts"), .init("in")])
      for subject in try ordered() {
        let source: String
        let targets: [String]
        var operation: JSONValue?
        var suffix = ""
        switch subject {
        case .count(let declaration):
          source = declaration.source.recordType
          targets = declaration.targets.map { "\($0.recordType).\($0.field)" }
          switch declaration.operation {
          case .count: operation = "count"
          case .sum(let field): (operation, suffix) = (["sum": field.json], " (sum of \(field))")
          case .max(let field): (operation, suffix) = (["max": field.json], " (maximum of \(field))")
          }
        case .quality(let feeds, _):
          source = feeds.stateType ?? feeds.recordType
          targets = ["\(feeds.recordType).\(feeds.scoreField)"]
        }
        entries.append(
          .object([
            "name": subject.name.json, "source": source.json, "targets": targets.json,
            "operation": operation,
          ]))
        table.add(
          "\(subject.name, .strong)", "\(source)\(suffix)", "\(targets.joined(separator: ", "))")
      }
      return PlainReport(json: ["aggregates": .array(entries)]) {
        if entries.isEmpty { "the container's schema has nothing to recount" }
        table
      }
    }
  }
}
