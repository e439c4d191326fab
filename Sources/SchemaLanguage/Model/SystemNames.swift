/// Names that are CloudKit's own.
enum SystemNames {
  static let users = "Users"
  static let share = "cloudkit.share"
  static let roles: Set<String> = [Role.world, Role.icloud, Role.creator]

  /// Whether CloudKit creates and manages the record type.
  static func isManaged(_ recordType: String) -> Bool {
    recordType == users || recordType.hasPrefix("cloudkit.")
  }
}
