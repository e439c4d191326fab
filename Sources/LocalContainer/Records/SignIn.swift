public import CloudKitModel

extension LocalStore {
  /// Gives whoever signs in the record of type `Users` that the service keeps for everybody, unless it is there.
  ///
  /// No role may create one: the type grants WRITE to `_creator` and CREATE to nobody, so the record can only be the
  /// service's own doing (Documentation/reference/web-services.md#users-endpoints).
  public func signIn(_ identity: Identity, in environment: Environment) async throws {
    guard let name = identity.userRecordName else { return }
    let known = try await lookup(LookupRequest([name], desiredKeys: []), in: environment, as: identity)
    guard case .failed(_, let error)? = known.first?.outcome, error.code == .notFound else { return }
    _ = try await write(environment) { db, layout in
      try Modification(db, layout, identity, self.settings, isService: true)
        .apply([RecordOperation(.create, recordType: "Users", recordName: name)])
    }
  }
}
