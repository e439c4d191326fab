internal import Diagnostics

/// The results of several recounts in one run. One that fails does not hide what the others did, and does not keep
/// them from being done: each has a lock and targets of its own.
struct RecountParts {
  private var parts: [CommandResult] = []
  private var failures: [any Error] = []

  mutating func add(_ aggregate: String, _ run: () async throws -> CommandResult) async {
    guard !Task.isCancelled else { return }
    do {
      parts.append(try await run())
    } catch {
      failures.append(error)
      parts.append(CommandResult(CommandFailure(error), of: aggregate))
    }
  }

  /// The worst status of all is the command's. Throws the first failure when nothing succeeded.
  func result() throws -> CommandResult {
    if failures.count == parts.count, let first = failures.first { throw first }
    let worst = parts.max { $0.status.rawValue < $1.status.rawValue }
    let json: JSONValue = ["aggregates": .array(parts.map(\.jsonWithError))]
    var result = CommandResult(
      worst?.status ?? .done, isConfirmation: parts.allSatisfy(\.isConfirmation), json: json,
      diagnostics: parts.flatMap(\.diagnostics)
    ) { [parts] format, style in
      parts.map { $0.rendered(as: format, style) }.joined()
    }
    result.failure = worst?.failure
    return result
  }
}

extension CommandResult {
  /// As one of several in an envelope, which has no place of its own for why each failed.
  fileprivate var jsonWithError: JSONValue {
    guard let failure, case .object(var object) = json else { return json }
    object["error"] = failure.json
    return .object(object)
  }

  fileprivate init(_ failure: CommandFailure, of aggregate: String) {
    self.init(
      failure.status, json: ["aggregate": .string(aggregate)], diagnostics: failure.diagnostics
    ) { _, style in
      var text: PrintableText = "\(style.bold("\(aggregate)")): \(style.red("error:")) \(failure.message)\n"
      if let hint = failure.hint { text += "  \(style.dim("hint:")) \(hint)\n" }
      return text
    }
    self.failure = failure
    self.failure?.diagnostics = []
  }
}
