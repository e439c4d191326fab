internal import Diagnostics

/// Replaces texts in error replies: most texts of the service are unknown, and a client must not depend on them.
extension EmulatorReply {
  /// Replaces texts in every `reason` of the body.
  mutating func reword(_ reasons: [String: String]) {
    guard !reasons.isEmpty, let json = try? JSONValue(parsing: body) else { return }
    body = json.rewording(reasons).bytes()
  }
}

extension JSONValue {
  fileprivate func rewording(_ reasons: [String: String]) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.rewording(reasons) })
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { member in
            guard member.key == "reason", object["serverErrorCode"] != nil, let text = member.value.string
            else {
              return (member.key, member.value.rewording(reasons))
            }
            let rules = reasons.sorted { $0.key < $1.key }
            return ("reason", .string(rules.reduce(text) { $0.replacing($1.key, with: $1.value) }))
          }))
    default: self
    }
  }
}
