extension Diagnostic {
  /// The finding as results and failures carry it; absent parts are left out.
  public var json: JSONValue {
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
    return .object(object)
  }
}
