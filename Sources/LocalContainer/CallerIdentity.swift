internal import SchemaLanguage

/// The user or key that makes a request, with the custom roles it has. Roles decide what it may read and write.
public struct CallerIdentity: Sendable, Hashable {
  /// Custom roles are those that a schema declares with CREATE ROLE.
  public enum CustomRoles: Sendable, Hashable {
    /// Every custom role the schema declares, now or later.
    case all
    case named(Set<String>)
  }

  /// `nil` for a request without a signed-in user: only `_world` applies. Personal data: never print it.
  public var userRecordName: String?
  public var customRoles: CustomRoles

  public init(userRecordName: String?, customRoles: CustomRoles = .named([])) {
    self.userRecordName = userRecordName
    self.customRoles = customRoles
  }

  /// A request without a signed-in user.
  public static let world = CallerIdentity(userRecordName: nil)

  /// A server-to-server key with every custom role. On the service, each key has a fixed user record and roles
  /// apply to it. This user record name is made up; it only has the form of a real one.
  public static let serverKey = CallerIdentity(
    userRecordName: "_a6f94335ec2250271f7122acfb8c2ea8", customRoles: .all)

  /// A server-to-server key with these custom roles.
  public static func serverKey(roles: Set<String>) -> CallerIdentity {
    CallerIdentity(userRecordName: serverKey.userRecordName, customRoles: .named(roles))
  }

  /// Whether a grant to this role applies to the identity for every record. False for `_creator`, which depends on
  /// the record.
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

  /// The identity's roles as a list for explanations, without the user record name.
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
