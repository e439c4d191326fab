internal import CloudKitClient
internal import CommandLine
internal import Diagnostics

/// What a credential may do to the records of each type.
struct RightsReport: Sendable {
  let findings: RightsCheck.Findings
  /// False for an API token alone, which is nobody and meant for reading.
  let isSignedIn: Bool

  /// Nothing is refused to the credential that some other role may do.
  var isGood: Bool { refused.isEmpty }

  private var refused: [RightsCheck.TypeRights] {
    findings.recordTypes.filter { !verbs($0).isEmpty }
  }

  /// One sentence, or two where there is something to do.
  var detail: String {
    let roles = findings.roles.map(Self.sentence).joined(separator: "; ")
    guard !isGood else {
      return roles.isEmpty ? "every record type may be read, and records made in it" : roles
    }
    let what = refused.map { "\(verbs($0).joined(separator: "/")) \($0.recordType)" }.joined(separator: ", ")
    return (roles.isEmpty ? "" : "\(roles): ") + "it may not \(what). \(remedy)"
  }

  private static func sentence(_ held: RightsCheck.Held) -> String {
    let types = held.witnesses.joined(separator: ", ")
    return switch held.isHeld {
    case .yes: "\(held.role) is held: \(types), which that role alone may read, is answered for"
    case .no: "\(held.role) is not held"
    default: "whether \(held.role) is held cannot be determined without writing"
    }
  }

  /// What is refused to the credential, and granted to some role.
  private func verbs(_ rights: RightsCheck.TypeRights) -> [String] {
    let writing = isSignedIn ? [("CREATE", rights.create), ("WRITE", rights.write)] : []
    return ([("READ", rights.read)] + writing).filter { $0.1 == .no }.map(\.0)
  }

  private var remedy: String {
    guard isSignedIn else { return "Grant READ to \"_world\" in the schema, or use a server-to-server key" }
    let missing = findings.roles.filter { $0.isHeld == .no }.map(\.role)
    guard !missing.isEmpty else {
      return
        "Grant that to a role in the schema, and give the key's user record the role in the CloudKit Console"
    }
    return
      "Give the key's user record the role \(missing.joined(separator: ", ")) in the CloudKit Console, in each "
      + "environment"
  }

  var json: JSONValue {
    let roles = findings.roles.map { held -> JSONValue in
      ["role": .string(held.role), "held": .string(held.isHeld.rawValue)]
    }
    let types = findings.recordTypes.map { rights -> JSONValue in
      [
        "recordType": .string(rights.recordType), "read": .string(rights.read.rawValue),
        "create": .string(rights.create.rawValue), "write": .string(rights.write.rawValue),
      ]
    }
    return ["roles": .array(roles), "recordTypes": .array(types)]
  }
}
