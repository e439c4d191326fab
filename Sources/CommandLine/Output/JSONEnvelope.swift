public import Diagnostics

/// The JSON document around every result and every failure.
public struct JSONEnvelope: Sendable {
  public static let schemaVersion: Int64 = 1

  public let command: String
  public let container: String?
  public let environment: String?

  /// - Parameters:
  /// - container: the container of the result, as `--container` names it.
  ///   - environment: `development` or `production`.
  public init(command: String, container: String? = nil, environment: String? = nil) {
    self.command = command
    self.container = container
    self.environment = environment
  }

  public func document(of report: some Report) -> JSONValue {
    document(result: report.json, failure: report.failure, diagnostics: report.findings + report.notes)
  }

  public func text(result: JSONValue? = nil, failure: CommandFailure?) -> String {
    document(result: result, failure: failure, diagnostics: []).text(.pretty) + "\n"
  }

  private func document(
    result: JSONValue?, failure: CommandFailure?, diagnostics: [Diagnostic]
  ) -> JSONValue {
    var object: JSONObject = [
      "schemaVersion": .integer(JSONEnvelope.schemaVersion), "command": .string(command),
    ]
    object["container"] = container.map(JSONValue.string)
    object["environment"] = environment.map(JSONValue.string)
    object["result"] = result
    object["error"] = failure?.json
    object["diagnostics"] = .array((diagnostics + (failure?.diagnostics ?? [])).map(\.json))
    return .object(object)
  }
}
