internal import CloudKitModel
internal import Diagnostics

/// The JSON document around every result and every failure.
struct Envelope {
  static let schemaVersion: Int64 = 1

  let command: String
  let container: String?
  let environment: String?

  func document(of report: some Report) -> JSONValue {
    document(result: report.json, failure: report.failure, diagnostics: report.findings + report.notes)
  }

  func text(result: JSONValue? = nil, failure: CommandFailure?) -> String {
    document(result: result, failure: failure, diagnostics: []).text(.pretty) + "\n"
  }

  private func document(
    result: JSONValue?, failure: CommandFailure?, diagnostics: [Diagnostic]
  ) -> JSONValue {
    var object: JSONObject = ["schemaVersion": .integer(Envelope.schemaVersion), "command": .string(command)]
    object["container"] = container.map(JSONValue.string)
    object["environment"] = environment.map(JSONValue.string)
    object["result"] = result
    object["error"] = failure?.json
    object["diagnostics"] = .array((diagnostics + (failure?.diagnostics ?? [])).map(\.json))
    return .object(object)
  }
}

extension Envelope {
  init(command: String, target: ContainerIdentity?) {
    self.init(command: command, container: target?.name, environment: target?.environment.rawValue)
  }
}
