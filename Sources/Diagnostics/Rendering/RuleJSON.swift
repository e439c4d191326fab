extension Rule {
  /// What `explain CODE` prints as JSON; empty parts are left out.
  public var json: JSONValue {
    var object: JSONObject = [
      "code": .string(code), "name": .string(name), "severity": .string(severity.rawValue),
    ]
    object["family"] = RuleFamily(code: code).map { .string($0.title) }
    let texts = [
      ("summary", summary), ("rationale", rationale), ("example", example), ("useInstead", useInstead),
      ("help", help), ("source", source),
    ]
    for (key, text) in texts where !text.isEmpty { object[key] = .string(text) }
    if !aliases.isEmpty { object["aliases"] = .array(aliases.map(JSONValue.string)) }
    return .object(object)
  }
}
