internal import CloudKitModel
internal import SchemaLanguage

/// The user or key that makes a request, with the custom roles it has. Roles decide what it may read and write.
package struct CallerIdentity: Sendable, Hashable {
  /// Custom roles are those that a schema declares with CREATE ROLE.
  package enum CustomRoles: Sendable, Hashable {
    /// Every custom role the schema declares, now or later.
    case all
    case named(Set<String>)
  }

  /// `nil` for a request without a signed-in user: only `_world` applies. Personal data: never print it.
  package var userRecordName: String?
  package var customRoles: CustomRoles
  private(set) var readsEverything = false

  package init(userRecordName: String?, customRoles: CustomRoles = .named([])) {
    self.userRecordName = userRecordName
    self.customRoles = customRoles
  }

  package static let world = CallerIdentity(userRecordName: nil)

  /// A server-to-server key with every custom role. On the service, each key has a fixed user record and roles
  /// apply to it. This user record name is made up; it only has the form of a real one.
  package static let serverKey = CallerIdentity(
    userRecordName: "_a6f94335ec2250271f7122acfb8c2ea8", customRoles: .all)

  /// The owner of a mirror's file, who reads all of it: what was copied stays readable when the service has taken back a
  /// grant.
  package static let mirrorOwner: CallerIdentity = {
    var owner = serverKey
    owner.readsEverything = true
    return owner
  }()

  package static func serverKey(roles: Set<String>) -> CallerIdentity {
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

/// Decides what an identity may do with records of a type (Documentation/reference/web-services.md#roles). The
/// grants of all its roles add up; `_creator` depends on the record.
struct Permissions {
  /// The records that a grant covers: all of the type, only the caller's own, or none.
  enum Extent { case all, own, none }

  let identity: CallerIdentity
  let behavior: ServerBehavior

  func extent(of privilege: Privilege, on type: RecordType) -> Extent {
    if privilege == .read, identity.readsEverything { return .all }
    let roles = roles(with: privilege, on: type)
    if roles.contains(where: identity.holds) { return .all }
    return roles.contains(Role.creator) && identity.userRecordName != nil ? .own : .none
  }

  func allows(_ privilege: Privilege, on type: RecordType, creator: String?) -> Bool {
    switch extent(of: privilege, on: type) {
    case .all: true
    case .own: creator == identity.userRecordName
    case .none: false
    }
  }

  func refusal(_ privilege: Privilege, on type: RecordType) -> ServerError {
    let roles = roles(with: privilege, on: type)
    let granted = roles.isEmpty ? "no role" : roles.joined(separator: ", ")
    return ServerError(
      .accessDenied, "\(privilege.rawValue) operation not permitted",
      "\(privilege.rawValue) on \(type.name) is granted to \(granted); the caller holds \(identity.roleList)"
        + (roles.contains(Role.creator) ? " and did not create the record" : ""))
  }

  private func roles(with privilege: Privilege, on type: RecordType) -> [String] {
    let isOpen = type.grants.isEmpty && behavior.typeWithoutGrants == .defaultGrants
    let grants = isOpen ? RecordType.defaultGrants : type.grants
    return grants.filter { $0.privileges.contains(privilege) }.map(\.role)
  }
}

extension LocalContainer {
  /// Creates the caller's record of type `Users`, as the service does for every user, if it does not exist.
  ///
  /// No role may create such a record: the type grants WRITE to `_creator` and CREATE to no role, so only the
  /// service can create it (Documentation/reference/web-services.md#users-endpoints).
  package func signIn() async throws {
    guard let name = caller.userRecordName else { return }
    let known = try await lookup(LookupRequest([name], desiredKeys: []))
    guard known.first?.error?.code == .notFound else { return }
    _ = try await store.write(environment) { [settings = store.settings, caller] db, layout in
      try ModifyRunner(db, layout, caller, settings, isService: true)
        .apply([RecordOperation(.create, recordType: SystemNames.users, recordName: name)])
    }
  }
}
