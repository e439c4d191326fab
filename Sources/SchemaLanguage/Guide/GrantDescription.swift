extension RecordType {
  /// The grants of the type as sentences.
  package var grantWords: String { GrantDescription.sentences(self) }
}

/// Grants as sentences.
enum GrantDescription {
  static func sentences(_ type: RecordType) -> String {
    let grants = type.normalizedGrants.sorted { rank($0.role) < rank($1.role) }
    guard !grants.isEmpty else { return "No role has access in the public database." }
    return grants.map { "\(subject($0.role)) may \(verbs($0.privileges))." }.joined(separator: " ")
  }

  private static func subject(_ role: String) -> String {
    switch role {
    case Role.world: "Anyone"
    case Role.icloud: "Anyone who is signed in"
    case Role.creator: "The creator of a record"
    default: "The role \(role)"
    }
  }

  /// WRITE includes deleting (Documentation/reference/schema-language.md#wide-grants).
  private static func verbs(_ privileges: EnumSet<Privilege>) -> String {
    let verbs = privileges.flatMap { privilege -> [String] in
      switch privilege {
      case .read: ["read"]
      case .create: ["create"]
      case .write: ["change", "delete"]
      }
    }
    guard verbs.count > 1, let last = verbs.last else { return verbs.first ?? "do nothing" }
    return verbs.dropLast().joined(separator: ", ") + " and \(last)"
  }

  /// The order of roles: from everyone to the smallest group.
  private static func rank(_ role: String) -> (Int, String) {
    switch role {
    case Role.world: (0, role)
    case Role.icloud: (1, role)
    case Role.creator: (2, role)
    default: (3, role)
    }
  }
}
