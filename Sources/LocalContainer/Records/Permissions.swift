internal import CloudKitModel
internal import SchemaLanguage

/// Decides what an identity may do with records of a type (Documentation/reference/web-services.md#roles). The
/// grants of all its roles add up; `_creator` depends on the record.
struct Permissions {
  /// The records that a grant covers: all of the type, only the caller's own, or none.
  enum Extent { case all, own, none }

  let identity: CallerIdentity
  let behavior: ServerBehavior

  func extent(of privilege: Privilege, on type: RecordType) -> Extent {
    let roles = grants(of: type).filter { $0.privileges.contains(privilege) }.map(\.role)
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

  func refusal(_ privilege: Privilege, on type: RecordType) -> ServiceRefusal {
    let roles = grants(of: type).filter { $0.privileges.contains(privilege) }.map(\.role)
    let granted = roles.isEmpty ? "no role" : roles.joined(separator: ", ")
    return ServiceRefusal(
      .accessDenied, "\(privilege.rawValue) operation not permitted",
      "\(privilege.rawValue) on \(type.name) is granted to \(granted); the caller holds \(identity.roleList)"
        + (roles.contains(Role.creator) ? " and did not create the record" : ""))
  }

  private func grants(of type: RecordType) -> [Grant] {
    guard type.grants.isEmpty, behavior.typeWithoutGrants == .defaultGrants else { return type.grants }
    return [
      Grant([.read], to: Role.world), Grant([.create], to: Role.icloud), Grant([.write], to: Role.creator),
    ]
  }
}
