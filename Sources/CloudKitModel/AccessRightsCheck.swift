package import SchemaLanguage

/// Finds out what the credentials may do with each record type, without writing.
///
/// The service does not list a caller's roles. But a query of a record type that only custom roles may read shows
/// whether the caller has one of them (Documentation/reference/web-services.md#roles). The other rights follow from the
/// grants in the schema.
package struct AccessRightsCheck: Sendable {
  package enum Answer: String, Sendable, Hashable {
    case yes, no
    /// Only for records that the caller created.
    case own
    /// Cannot be determined by reading.
    case unknown
    case noRole = "nobody"
  }

  package struct TypeRights: Sendable, Hashable {
    package var recordType: String
    /// False for a type without any grant, of which only what a query shows is known
    /// (Documentation/reference/web-services.md#roles).
    package var hasGrants: Bool
    package var read: Answer
    package var create: Answer
    /// Changing and deleting.
    package var write: Answer
  }

  package struct Findings: Sendable, Hashable {
    /// The custom roles in the schema's order, and whether the caller has them.
    package var roles: [RoleMembership]
    package var recordTypes: [TypeRights]
  }

  package struct RoleMembership: Sendable, Hashable {
    package var role: String
    /// Never `own`.
    package var isMember: Answer
    /// The record types whose queries showed it; empty if `isMember` is `unknown`.
    package var testedTypes: [String]
  }

  private let container: any Container
  private let schema: Schema
  private let isSignedIn: Bool

  /// - Parameter isSignedIn: true for a server-to-server key or a user; false for an API token alone.
  package init(_ container: any Container, schema: Schema, isSignedIn: Bool = true) {
    self.container = container
    self.schema = schema
    self.isSignedIn = isSignedIn
  }

  /// Runs one query for each record type. Throws errors of the connection; a refusal is a result.
  package func run() async throws -> Findings {
    let types = schema.recordTypes.filter { !SystemNames.isManaged($0.name) }
    var readable: [String: Answer] = [:]
    for type in types { readable[type.name] = try await isReadable(type.name) }
    let roles = schema.roles.map { membership(of: $0.name, types, readable) }
    let holding = Dictionary(roles.map { ($0.role, $0.isMember) }) { first, _ in first }
    let rights = types.map { type in
      let granted = answer(.read, on: type, holding)
      let isRead = readable[type.name] ?? .unknown
      let read =
        switch (isRead, granted) {
        case (.unknown, _), (.yes, .own), (.no, .noRole): granted
        case (.no, _) where type.grants.isEmpty: Answer.noRole
        default: isRead
        }
      return TypeRights(
        recordType: type.name, hasGrants: !type.grants.isEmpty, read: read,
        create: answer(.create, on: type, holding), write: answer(.write, on: type, holding))
    }
    return Findings(roles: roles, recordTypes: rights)
  }

  /// Whether the caller has one of some custom roles, as queries of the types show that only custom roles may read. Never
  /// `own`. `unknown` when such types prove neither that it has one nor that it has none.
  func isMember(ofOneOf roles: Set<String>) async throws -> Answer {
    var lacking: Set<String> = []
    for type in schema.recordTypes {
      guard let readers = type.onlyReaders, !readers.isDisjoint(with: roles), !readers.isSubset(of: lacking)
      else { continue }
      switch try await isReadable(type.name) {
      case .no: lacking.formUnion(readers)
      case .yes where readers.isSubset(of: roles): return .yes
      default: break
      }
    }
    return roles.isSubset(of: lacking) ? .no : .unknown
  }

  private func isReadable(_ recordType: String) async throws -> Answer {
    do {
      _ = try await container.query(QueryRequest(Query(recordType), desiredKeys: [], resultsLimit: 1))
      return .yes
    } catch let error as ServerError {
      switch error.code {
      case .accessDenied: return .no
      // The type does not exist, or lacks the index for this query.
      case .badRequest, .notFound: return .unknown
      default: throw error
      }
    }
  }

  /// A refusal excludes every role that may read the type. An answer proves the one role that refusals of other types leave.
  private func membership(
    of role: String, _ types: [RecordType], _ readable: [String: Answer]
  ) -> RoleMembership {
    let answers = types.compactMap { type in
      type.onlyReaders.map { (name: type.name, readers: $0, answer: readable[type.name]) }
    }
    let refused = answers.filter { $0.answer == .no }
    let lacking = Set(refused.flatMap(\.readers))
    let refusing = refused.filter { $0.readers.contains(role) }.map(\.name)
    let proving = answers.filter { $0.answer == .yes && $0.readers.subtracting(lacking) == [role] }
      .map(\.name)
    let isMember: Answer = !refusing.isEmpty ? .no : !proving.isEmpty ? .yes : .unknown
    return RoleMembership(
      role: role, isMember: isMember, testedTypes: isMember == .no ? refusing : proving)
  }

  private func answer(_ privilege: Privilege, on type: RecordType, _ holding: [String: Answer]) -> Answer {
    let roles = type.roles(for: privilege)
    guard !roles.isEmpty else { return type.grants.isEmpty ? .unknown : .noRole }
    let answers = roles.map { role -> Answer in
      switch role {
      case Role.world: .yes
      case Role.icloud: isSignedIn ? .yes : .no
      case Role.creator: isSignedIn ? .own : .no
      default: holding[role] ?? .unknown
      }
    }
    return [.yes, .unknown, .own].first(where: answers.contains) ?? .no
  }
}

extension Schema {
  /// The refusal that a caller would meet who may not use one type, and needs another one: each role with the right to
  /// that one may use the first, too. `nil` if this does not follow from the grants.
  package func refusal(toWrite recordType: String, without privilege: Privilege, on refused: String)
    -> ServerError?
  {
    guard let type = self[recordType: recordType], let other = self[recordType: refused],
      !type.grants.isEmpty, type.roles(for: .write).isSubset(of: other.roles(for: privilege))
    else { return nil }
    var error = ServerError(
      .accessDenied,
      "this key may not \(privilege.rawValue.lowercased()) \(refused), so it has no role that may write \(recordType)"
    )
    error.roles = type.customRoles(for: .write)
    return error
  }
}

extension RecordType {
  /// Whether READ is granted to `_creator` and not to everyone: who has none of the other roles reads its own records, and
  /// is not refused.
  package var showsCreatorsTheirOwn: Bool {
    let readers = roles(for: .read)
    return readers.contains(Role.creator) && readers.isDisjoint(with: [Role.world, Role.icloud])
  }

  package func customRoles(for privilege: Privilege) -> [String] {
    roles(for: privilege).subtracting([Role.world, Role.icloud, Role.creator]).sorted()
  }

  /// The custom roles that alone may read the type; `nil` when others may, too.
  var onlyReaders: Set<String>? {
    let readers = roles(for: .read)
    return readers == Set(customRoles(for: .read)) ? readers : nil
  }

  fileprivate func roles(for privilege: Privilege) -> Set<String> {
    Set(grants.filter { $0.privileges.contains(privilege) }.map(\.role))
  }
}
