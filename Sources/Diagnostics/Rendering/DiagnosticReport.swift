/// The input of the renderers: the checked inputs, the findings and the rules behind them.
package struct DiagnosticReport: Sendable {
  package var tool: (name: String, version: String)
  package var inputs: [String]
  /// In reading order, each once.
  package let diagnostics: [Diagnostic]
  /// Remarks beside the findings. They are not counted and change no status.
  package var notices: [Diagnostic] = []
  /// The maximum number of annotations in GitHub's format; `nil` for all findings.
  package var maxAnnotations: Int?
  /// The least severity of the findings that fail the command.
  package var failOn = Diagnostic.Severity.error
  /// The rules of the codes, which only some formats print. A finding may have a code without a rule here.
  package let rules: @Sendable () -> [Rule]

  package init(
    tool: (name: String, version: String), inputs: [String], diagnostics: [Diagnostic],
    rules: @autoclosure @escaping @Sendable () -> [Rule] = []
  ) {
    self.tool = tool
    self.inputs = inputs
    self.diagnostics = diagnostics.sortedForReading()
    self.rules = rules
  }

  package func count(_ severity: Diagnostic.Severity) -> Int { diagnostics.count { $0.severity == severity } }
}

extension Diagnostic {
  /// The finding as results and failures carry it; absent parts are left out.
  package var json: JSONValue {
    var object: JSONObject = [
      "code": .string(code), "severity": .string(severity.rawValue), "message": .string(message),
    ]
    if let range {
      object["file"] = .string(range.source.name)
      object["line"] = JSONValue(range.start.line)
      object["column"] = JSONValue(range.start.column)
      object["endLine"] = JSONValue(range.end.line)
      object["endColumn"] = JSONValue(range.end.column)
    }
    object["help"] = help.map(JSONValue.string)
    let related = notes.compactMap { note in note.range.map { note.json(at: $0) } }
    if !related.isEmpty { object["related"] = .array(related) }
    return .object(object)
  }
}

extension Diagnostic.Note {
  fileprivate func json(at range: SourceRange) -> JSONValue {
    [
      "message": .string(message), "file": .string(range.source.name), "line": JSONValue(range.start.line),
      "column": JSONValue(range.start.column),
    ]
  }
}
