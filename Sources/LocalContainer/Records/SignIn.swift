public import CloudKitModel

extension LocalStore {
  /// Creates the user's record of type `Users`, as the service does for every user, if it does not exist.
  ///
  /// No role may create such a record: the type grants WRITE to `_creator` and CREATE to no role, so only the
  /// service can create it (Documentation/reference/web-services.md#users-endpoints).
  public func signIn(_ identity: CallerIdentity, in environment: Environment) async throws {
    guard let name = identity.userRecordName else { return }
    let known = try await lookup(LookupRequest([name], desiredKeys: []), in: environment, as: identity)
    guard case .failed(_, let error)? = known.first?.outcome, error.code == .notFound else { return }
    _ = try await write(environment) { db, layout in
      try ModifyRunner(db, layout, identity, self.settings, isService: true)
        .apply([RecordOperation(.create, recordType: "Users", recordName: name)])
    }
  }
}
