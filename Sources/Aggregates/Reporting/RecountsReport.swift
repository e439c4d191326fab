public import Diagnostics

/// The results of several recounts in one run. A failed recount does not stop the others, because each has its own
/// lease and targets.
public struct RecountsReport: Report {
  /// The result of one aggregate: its report, or why its recount failed.
  fileprivate struct Part: Sendable {
    let aggregate: String
    let result: Result<any Report, any Error>
  }

  private var parts: [Part] = []

  public init() {}

  /// Runs one more recount, unless the task was cancelled.
  public mutating func add(_ aggregate: String, _ run: () async throws -> any Report) async {
    guard !Task.isCancelled else { return }
    do {
      parts.append(Part(aggregate: aggregate, result: .success(try await run())))
    } catch {
      parts.append(Part(aggregate: aggregate, result: .failure(error)))
    }
  }

  /// Throws the first failure when nothing succeeded.
  public func checked() throws -> RecountsReport {
    let failures = parts.compactMap { if case .failure(let error) = $0.result { error } else { nil } }
    if failures.count == parts.count, let first = failures.first { throw first }
    return self
  }

  private var worst: Part? { parts.max { $0.status.rawValue < $1.status.rawValue } }

  /// The worst of all.
  public var status: ExitStatus { worst?.status ?? .done }
  public var failure: CommandFailure? {
    var failure = worst?.failure
    failure?.diagnostics = []
    return failure
  }
  public var isConfirmation: Bool { parts.allSatisfy { $0.report?.isConfirmation ?? false } }
  public var notes: [Diagnostic] { parts.flatMap { $0.report?.notes ?? $0.failure?.diagnostics ?? [] } }
  public var metrics: [Metric] { parts.flatMap { $0.report?.metrics ?? [] } }
  public var tally: String? { parts.compactMap { $0.report?.tally }.joined(separator: "; ") }

  /// Each with its `error`, because an envelope has a place for one only.
  public var json: JSONValue {
    let objects = parts.map { part -> JSONValue in
      var object = part.report?.json.object ?? ["aggregate": .string(part.aggregate)]
      object["error"] = part.failure?.json
      return .object(object)
    }
    return ["aggregates": .array(objects)]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    parts.map { part -> PrintableText in
      if let report = part.report { return report.text(style) }
      guard let failure = part.failure else { return "" }
      let hint: PrintableText = failure.hint.map { "  \(style.dim("hint:")) \($0)\n" } ?? ""
      return "\(style.bold("\(part.aggregate)")): \(style.red("error:")) \(failure.message)\n" + hint
    }.joined()
  }
}

extension RecountsReport.Part {
  fileprivate var report: (any Report)? { try? result.get() }

  fileprivate var status: ExitStatus { report?.status ?? failure?.status ?? .failed }

  fileprivate var failure: CommandFailure? {
    switch result {
    case .success(let report): report.failure
    case .failure(let error): CommandFailure(error)
    }
  }
}

/// The recounts that a container offers: what `recount --list` prints.
public struct AggregateListReport: Report {
  private let catalog: AggregateCatalog

  public init(_ catalog: AggregateCatalog) { self.catalog = catalog }

  public var json: JSONValue {
    let entries = rows.map { row -> JSONValue in
      [
        "name": .string(row.name), "source": .string(row.source),
        "targets": .array(row.targets.map(JSONValue.string)),
      ]
    }
    return ["aggregates": .array(entries)]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    if rows.isEmpty { return "the container's schema has nothing to recount\n" }
    return rows.map { row -> PrintableText in
      "\(style.bold("\(row.name)"))  \(row.source) → \(row.targets.joined(separator: ", "))\n"
    }.joined()
  }

  private var rows: [(name: String, source: String, targets: [String])] {
    let counts = catalog.declarations.map { declaration in
      let targets = declaration.targets.map { "\($0.recordType).\($0.field)" }
      return (declaration.name, declaration.source.recordType, targets)
    }
    let quality = catalog.quality.map { quality in
      ("quality", quality.metadataType ?? quality.feedType, ["\(quality.feedType).\(quality.scoreField)"])
    }
    return counts + [quality].compactMap(\.self)
  }
}
