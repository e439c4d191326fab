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
  public var isConfirmation: Bool {
    parts.allSatisfy { part in
      if case .success(let report) = part.result { report.isConfirmation } else { false }
    }
  }
  public var notes: [Diagnostic] {
    parts.flatMap { part -> [Diagnostic] in
      if case .success(let report) = part.result { report.notes } else { part.failure?.diagnostics ?? [] }
    }
  }

  public var metrics: [Metric] {
    parts.flatMap { part -> [Metric] in
      if case .success(let report) = part.result { report.metrics } else { [] }
    }
  }
  public var tally: String? {
    let tallies = parts.compactMap { part -> String? in
      if case .success(let report) = part.result { report.tally } else { nil }
    }
    return tallies.joined(separator: "; ")
  }

  /// Each with its `error`, because an envelope has a place for one only.
  public var json: JSONValue {
    let objects = parts.map { part -> JSONValue in
      var object: JSONObject = ["aggregate": .string(part.aggregate)]
      if case .success(let report) = part.result { object = report.json.object ?? object }
      object["error"] = part.failure?.json
      return .object(object)
    }
    return ["aggregates": .array(objects)]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    parts.map { part -> PrintableText in
      if case .success(let report) = part.result { return report.text(style) }
      guard let failure = part.failure else { return "" }
      let hint: PrintableText = failure.hint.map { "  \(style.dim("hint:")) \($0)\n" } ?? ""
      return "\(style.bold("\(part.aggregate)")): \(style.red("error:")) \(failure.message)\n" + hint
    }.joined()
  }
}

extension RecountsReport.Part {
  fileprivate var status: ExitStatus {
    switch result {
    case .success(let report): report.status
    case .failure(let error): CommandFailure(error).status
    }
  }

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
    var entries = catalog.declarations.map { declaration -> JSONValue in
      [
        "name": .string(declaration.name), "source": .string(declaration.source.recordType),
        "targets": .array(declaration.targets.map { .string("\($0.recordType).\($0.field)") }),
      ]
    }
    if let quality = catalog.quality {
      entries.append([
        "name": "quality", "source": .string(quality.metadataType ?? quality.feedType),
        "targets": [.string("\(quality.feedType).\(quality.scoreField)")],
      ])
    }
    return ["aggregates": .array(entries)]
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    var text = catalog.declarations.map { declaration -> PrintableText in
      let targets = declaration.targets.map { "\($0.recordType).\($0.field)" }.joined(separator: ", ")
      return "\(style.bold("\(declaration.name)"))  \(declaration.source.recordType) → \(targets)\n"
    }.joined()
    if let quality = catalog.quality {
      let source = quality.metadataType ?? quality.feedType
      text += "\(style.bold("quality"))  \(source) → \(quality.feedType).\(quality.scoreField)\n"
    }
    return text.isEmpty ? "the container's schema has nothing to recount\n" : text
  }
}
