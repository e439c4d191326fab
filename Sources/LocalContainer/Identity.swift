internal import SchemaLanguage

/// Who makes a request.
public struct Identity: Sendable, Hashable {
  public enum CustomRoles: Sendable, Hashable {
    /// Every custom role the schema declares, now or later.
    case all
    case named(Set<String>)
  }

  /// `nil` for somebody who is not signed in: only `_world` applies. Personal data: never print it.
  public var userRecordName: String?
  public var customRoles: CustomRoles

  public init(userRecordName: String?, customRoles: CustomRoles = .named([])) {
    self.userRecordName = userRecordName
    self.customRoles = customRoles
  }

  /// Nobody in particular.
  public static let world = Identity(userRecordName: nil)

  /// One server-to-server key that was given every custom role. A key has a fixed user record of its own, and is
  /// not exempt from roles. The name has a real one's form and belongs to nobody.
  public static let serverKey = Identity(
    userRecordName: "_a6f94335ec2250271f7122acfb8c2ea8", customRoles: .all)

  /// A server-to-server key that was given these custom roles.
  public static func serverKey(roles: Set<String>) -> Identity {
    Identity(userRecordName: serverKey.userRecordName, customRoles: .named(roles))
  }

  /// Whether a grant to this role reaches the identity on any record; `_creator` depends on the record.
  func holds(_ role: String) -> Bool {
    switch role {
    case Role.world: true
    case Role.icloud: userRecordName != nil
    case Role.creator: false
    default:
      switch customRoles {
      case .all: userRecordName != nil
      case .named(let roles): userRecordName != nil && roles.contains(role)
      }
    }
  }

  /// For explanations; leaves the user out.
  var roleList: String {
    guard userRecordName != nil else { return Role.world }
    let custom =
      switch customRoles {
      case .all: ["every custom role"]
      case .named(let roles): roles.sorted()
      }
    return ([Role.world, Role.icloud] + custom).joined(separator: ", ")
  }
}
