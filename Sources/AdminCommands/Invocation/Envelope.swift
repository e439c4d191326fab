internal import CloudKitModel
internal import Diagnostics

/// The JSON document around every result and every failure.
struct Envelope {
  static let schemaVersion: Int64 = 1

  let command: String
  let container: String?
  let environment: String?

  func text(_ result: CommandResult) -> String { document(of: result).text(.pretty) + "\n" }

  /// The same text piece by piece.
  func write(_ result: CommandResult, to sink: LineSink) throws {
    try document(of: result).write(.pretty, to: sink.append(json:))
    try sink.append("\n")
  }

  private func document(of result: CommandResult) -> JSONValue {
    var object = head
    object["result"] = result.json
    object["error"] = result.failure?.json
    let diagnostics = result.diagnostics + (result.failure?.diagnostics ?? [])
    object["diagnostics"] = .array(diagnostics.map(\.json))
    return .object(object)
  }

  func text(failure: CommandFailure) -> String {
    var object = head
    object["error"] = failure.json
    object["diagnostics"] = .array(failure.diagnostics.map(\.json))
    return JSONValue.object(object).text(.pretty) + "\n"
  }

  private var head: JSONObject {
    var object: JSONObject = ["schemaVersion": .integer(Envelope.schemaVersion), "command": .string(command)]
    object["container"] = container.map(JSONValue.string)
    object["environment"] = environment.map(JSONValue.string)
    return object
  }
}

extension Envelope {
  init(command: String, target: ContainerIdentity?) {
    self.init(command: command, container: target?.name, environment: target?.environment.rawValue)
  }
}

extension CommandFailure {
  /// The envelope's `error`.
  var json: JSONValue {
    var error: JSONObject = ["code": .string(code), "message": .string(message)]
    if !details.isEmpty { error["details"] = .array(details.map(JSONValue.string)) }
    error["hint"] = hint.map(JSONValue.string)
    error["retryAfterSeconds"] = retryAfter.map { .integer($0.components.seconds) }
    return .object(error)
  }
}
