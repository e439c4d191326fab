internal import ArgumentParser
internal import Catalog
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges
internal import SchemaLanguage

struct AuthCheck: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that the credentials work, and say which one does not and why.",
    discussion: """
      CloudKit answers every signing mistake with the same refusal, so the key, its signature and the clock are checked \
      on this machine first. Then the service is asked. What the credential may do to each record type is found out by \
      reading; nothing is written.

      Example: celestra-admin auth check --container cloudkit:iCloud.com.example.App
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthCheck>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.credentialReport()
  }
}

extension PlainReport {
  /// - Parameter rights: the access rights of the credentials; `nil` if they were not checked.
  fileprivate init(of checks: [CredentialCheck.Finding], rights: AccessRightsReport? = nil) {
    // Refused credentials count first, then other failures. A service that is away comes last: a later run may reach it.
    let statuses = checks.map(\.status)
    let worst = [ExitStatus.denied, .failed].first(where: statuses.contains)
    let list = checks.map { check -> JSONValue in
      ["check": check.check.json, "ok": check.isGood.json, "detail": check.detail.json]
    }
    self.init(
      worst ?? statuses.first { $0 != .done } ?? .done,
      json: .object(["checks": .array(list), "rights": rights?.json]), isConfirmation: true
    ) {
      for check in checks {
        ListItem(!check.isGood ? .bad : check.isKnown ? .good : .note, "\(check.check): \(check.detail)")
      }
    }
    urgent = body.troubles
  }
}

struct AccessRightsReport: Sendable {
  let findings: AccessRightsCheck.Findings
  /// False for an API token alone, which has no user and is only used for reading.
  let isSignedIn: Bool

  /// True if the credentials have every right that the schema grants to any role.
  var isGood: Bool { refused.isEmpty }

  /// False if nothing shows whether the credentials have any role, or may do anything.
  var isKnown: Bool {
    !isGood
      || findings.recordTypes.contains { $0.read != .unknown }
        && (roles(.unknown).isEmpty || !roles(.yes).isEmpty)
  }

  private var refused: [AccessRightsCheck.TypeRights] {
    findings.recordTypes.filter { !verbs($0).isEmpty }
  }

  /// What is known of the roles, what the credentials may not do, what the schema grants to no one, and what is to do.
  var detail: String {
    let roles = sentences.joined(separator: "; ")
    guard isGood else {
      return (roles.isEmpty ? "" : "\(roles): ")
        + (["they may not \(listed(verbs))"] + limits).joined(separator: "; ") + ". \(remedy)"
    }
    let isReadWhole = findings.recordTypes.allSatisfy { $0.read == .yes }
    let all =
      findings.recordTypes.isEmpty
      ? "the schema has no record type of the public database"
      : limits.isEmpty ? "every record type may be read and written" : "every record type may be read"
    let start = !roles.isEmpty ? [roles] : isReadWhole ? [all] : []
    return (start + limits).joined(separator: "; ")
  }

  /// What the schema alone decides, which may be meant: a type that an app only reads, or whose records belong to their
  /// creators.
  private var limits: [String] {
    let closed = listed { Self.verbs($0, [.noRole], changing: isSignedIn ? [.noRole] : [.noRole, .no]) }
    let own = listed { Self.verbs($0, [.own], changing: [.own]).filter { $0 != "CREATE" } }
    let open = listed { $0.hasGrants ? [] : Self.verbs($0, [.unknown], changing: [.unknown]) }
    return [
      closed.isEmpty ? nil : "no grant of the schema lets them \(closed)",
      own.isEmpty ? nil : "they may \(own) only where they created the record",
      open.isEmpty ? nil : "whether they may \(open) is not known, because the schema has no grant for it",
    ].compactMap(\.self)
  }

  /// `CREATE/WRITE Cuisine, WRITE Room`
  private func listed(_ verbs: (AccessRightsCheck.TypeRights) -> [String]) -> String {
    findings.recordTypes.map { (verbs($0).joined(separator: "/"), $0.recordType) }.filter { !$0.0.isEmpty }
      .map { "\($0) \($1)" }.joined(separator: ", ")
  }

  /// What is known of each role: first the roles that the credentials have, then those that they lack.
  private var sentences: [String] {
    let held = findings.roles.filter { $0.isMember == .yes }.map {
      "the credentials have the role \($0.role) (only that role lets them read \($0.testedTypes.joined(separator: ", ")))"
    }
    let unknown = roles(.unknown).map {
      "whether the credentials have the role \($0) is unknown without a test write"
    }
    return held + (missing.isEmpty ? [] : ["the credentials do not have \(Self.named(missing))"]) + unknown
  }

  /// `the roles Moderator, PrivacyOfficer`
  private static func named(_ roles: [String]) -> String {
    "the \(roles.count == 1 ? "role" : "roles") \(roles.joined(separator: ", "))"
  }

  private func roles(_ answer: AccessRightsCheck.Answer) -> [String] {
    findings.roles.filter { $0.isMember == answer }.map(\.role)
  }

  private var missing: [String] { roles(.no) }

  /// The operations that the credentials may not do, but some role may.
  private func verbs(_ rights: AccessRightsCheck.TypeRights) -> [String] {
    Self.verbs(rights, [.no], changing: isSignedIn ? [.no] : [])
  }

  /// The operations of a type to which the answer is one of these.
  private static func verbs(
    _ rights: AccessRightsCheck.TypeRights, _ reading: Set<AccessRightsCheck.Answer>,
    changing: Set<AccessRightsCheck.Answer>
  ) -> [String] {
    let answers = [
      ("READ", rights.read, reading), ("CREATE", rights.create, changing), ("WRITE", rights.write, changing),
    ]
    return answers.filter { $2.contains($1) }.map(\.0)
  }

  private var remedy: String {
    guard isSignedIn else { return "Grant READ to \"_world\" in the schema, or use a server-to-server key" }
    guard !missing.isEmpty else {
      return
        "Grant that to a role in the schema, and give the user record of this key or user the role in the CloudKit Console"
    }
    if roles(.yes) == [Person.officer] {
      return "This is the key for people's data. Use another key for jobs, with \(Self.named(missing))"
    }
    let forJobs = missing.filter { $0 != Person.officer }
    let isForEither = !forJobs.isEmpty && findings.roles.contains { $0.role == Person.officer }
    return "Give the user record of this key or user \(Self.named(forJobs.isEmpty ? missing : forJobs))"
      + (isForEither ? ", or \(Person.officer) if it is the key for people's data," : "")
      + " in the CloudKit Console, in each environment"
  }

  var json: JSONValue {
    let roles = findings.roles.map { membership -> JSONValue in
      ["role": membership.role.json, "held": membership.isMember.rawValue.json]
    }
    let types = findings.recordTypes.map { rights -> JSONValue in
      [
        "recordType": rights.recordType.json, "read": rights.read.rawValue.json,
        "create": rights.create.rawValue.json, "write": rights.write.rawValue.json,
      ]
    }
    return ["roles": .array(roles), "recordTypes": .array(types)]
  }
}

extension CommandContext {
  /// Checks the credentials, in the order in which commands use them. Without a usable key, only the management token is
  /// tried.
  fileprivate func credentialReport() async throws -> PlainReport {
    let settings: ClientSettings
    do {
      settings = try clientSettings(try location.cloudKitID ?? "iCloud.none", try environment)
    } catch let failure as CommandFailure {
      let token = try await tokenCheck()
      let advice = try usesService ? "" : " A local container needs no key."
      // Schemas need no key.
      let isForSchemas = try !token.isEmpty && !hasKeyForRecords
      let key: CredentialCheck.Finding =
        isForSchemas
        ? .unknown("key", "not configured; commands that read or write records need one")
        : .init("key", isGood: false, failure.messageWithHint + advice)
      return PlainReport(of: [key] + token)
    }
    let key = settings.keyFinding
    guard try usesService else {
      let detail = "skipped: \(try location) is not a CloudKit container"
      return PlainReport(of: [key, .unknown("connection", detail)])
    }
    let findings = try await CredentialCheck(settings, dependencies: try clientDependencies()).run()
    let isAway = findings.contains { $0.check == "connection" && !$0.isGood }
    let token = isAway ? [] : try await tokenCheck()
    guard findings.allSatisfy(\.isGood) else { return PlainReport(of: [key] + findings + token) }
    let (roles, rights) = try await rolesCheck(settings)
    return PlainReport(
      of: [key] + findings + [roles] + token + [try await privacyCheck(token)], rights: rights)
  }

  /// Checks which roles the key has. Without this check, a missing role would only show once a job has begun, as
  /// ACCESS_DENIED on every record.
  private func rolesCheck(_ settings: ClientSettings) async throws -> (
    CredentialCheck.Finding, AccessRightsReport?
  ) {
    do {
      let handle = try await openContainer(ownRecords: .shown)
      let check = AccessRightsCheck(
        handle.container, schema: try await schemaOfPublicTypes(handle), isSignedIn: settings.isSignedIn)
      let rights = AccessRightsReport(findings: try await check.run(), isSignedIn: settings.isSignedIn)
      return (
        .init("roles", rights.isGood ? .done : .denied, isKnown: rights.isKnown, rights.detail), rights
      )
    } catch let failure as CommandFailure where failure.code == "no-schema" {
      return (.unknown("roles", "not checked: \(failure.messageWithHint)"), nil)
    } catch let error where !(error is CancellationError) {
      let failure = CommandFailure(error)
      return (.init("roles", failure.status, failure.messageWithHint), nil)
    }
  }

  /// Whether any part of a key, or an API token in its place, is configured.
  private var hasKeyForRecords: Bool {
    get throws {
      try settings.lookup(.cloudKitKeyID, .cloudKitKeyPath, .cloudKitKey, .cloudKitAPIToken) != nil
    }
  }

  /// Checks the management token; empty without one, or without a CloudKit container.
  private func tokenCheck() async throws -> [CredentialCheck.Finding] {
    guard try usesService else { return [] }
    do {
      guard try managementCredential != nil else { return [] }
      _ = try await schemaContainer().currentSchema()
      return [.init("token", isGood: true, "the management token reads the schema")]
    } catch let error where !(error is CancellationError) {
      let failure = CommandFailure(error)
      return [.init("token", failure.status, "the management token: \(failure.messageWithHint)")]
    }
  }

  /// Checks that the schema does not let everyone read subscriptions: their creators show who subscribes to what
  /// (Documentation/reference/schema-language.md#readable-creators).
  private func privacyCheck(_ token: [CredentialCheck.Finding]) async throws -> CredentialCheck.Finding {
    guard token.allSatisfy(\.isGood), let schema = try await schemaIfAvailable() else {
      return .unknown("privacy", "skipped: reading the schema needs a management token that works")
    }
    guard let type = schema[recordType: CatalogRecordType.feedSubscription] else {
      return .unknown("privacy", "nothing to check: the schema has no FeedSubscription")
    }
    let isOpen = type.privileges(of: Role.world).contains(.read)
    let detail =
      isOpen
      ? "anyone can read FeedSubscription and see who subscribes to what; remove READ TO \"_world\""
      : "FeedSubscription has no READ grant for _world"
    return CredentialCheck.Finding("privacy", isGood: !isOpen, detail)
  }
}

extension ClientSettings {
  /// Whether requests have a user: an API token alone has none (Documentation/reference/web-services.md#roles).
  fileprivate var isSignedIn: Bool {
    if case .apiToken(_, nil) = authentication { false } else { true }
  }

  fileprivate var keyFinding: CredentialCheck.Finding {
    guard case .apiToken = authentication else { return .init("key", isGood: true, "the key parses") }
    return .unknown(
      "key", "no key is used, but an API token\(isSignedIn ? " with a user's web-auth token" : "")")
  }
}
