internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct AccessRightsReport: Sendable {
  let findings: AccessRightsCheck.Findings
  /// False for an API token alone, which has no user and is only used for reading.
  let isSignedIn: Bool

  /// True if the credentials have every right that the schema grants to any role.
  var isGood: Bool { refused.isEmpty }

  private var refused: [AccessRightsCheck.TypeRights] {
    findings.recordTypes.filter { !verbs($0).isEmpty }
  }

  /// One sentence, and a second one if something is to do.
  var detail: String {
    let roles = findings.roles.map(Self.sentence).joined(separator: "; ")
    guard !isGood else {
      return roles.isEmpty ? "every record type may be read and written" : roles
    }
    let what = refused.map { "\(verbs($0).joined(separator: "/")) \($0.recordType)" }.joined(separator: ", ")
    return (roles.isEmpty ? "" : "\(roles): ") + "they may not \(what). \(remedy)"
  }

  private static func sentence(_ membership: AccessRightsCheck.RoleMembership) -> String {
    let types = membership.testedTypes.joined(separator: ", ")
    return switch membership.isMember {
    case .yes:
      "the credentials have the role \(membership.role) (they can read \(types), which only that role may read)"
    case .no: "the credentials do not have the role \(membership.role)"
    default: "whether the credentials have the role \(membership.role) is unknown without a test write"
    }
  }

  /// The operations that the credentials may not do, but some role may.
  private func verbs(_ rights: AccessRightsCheck.TypeRights) -> [String] {
    let writing = isSignedIn ? [("CREATE", rights.create), ("WRITE", rights.write)] : []
    return ([("READ", rights.read)] + writing).filter { $0.1 == .no }.map(\.0)
  }

  private var remedy: String {
    guard isSignedIn else { return "Grant READ to \"_world\" in the schema, or use a server-to-server key" }
    let missing = findings.roles.filter { $0.isMember == .no }.map(\.role)
    guard !missing.isEmpty else {
      return
        "Grant that to a role in the schema, and give the key's user record the role in the CloudKit Console"
    }
    return
      "Give the key's user record the role \(missing.joined(separator: ", ")) in the CloudKit Console, in each "
      + "environment"
  }

  var json: JSONValue {
    let roles = findings.roles.map { membership -> JSONValue in
      ["role": .string(membership.role), "held": .string(membership.isMember.rawValue)]
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
