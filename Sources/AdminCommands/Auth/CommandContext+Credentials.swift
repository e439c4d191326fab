internal import Catalog
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// Checks the credentials, in the order in which commands use them. Without a usable key, the service is not
  /// asked.
  func credentialReport() async throws -> CredentialCheckReport {
    let settings: ClientSettings
    do {
      settings = try clientSettings(try containerID ?? "iCloud.none", try environment)
    } catch let failure as CommandFailure {
      return CredentialCheckReport(checks: [
        .init(name: "key", isGood: false, detail: failure.messageWithHint)
      ])
    }
    let key = CredentialCheckReport.Check(name: "key", isGood: true, detail: "the key parses")
    guard try containerID != nil else {
      let detail = "skipped: \(try location) is not a CloudKit container"
      return CredentialCheckReport(checks: [key, .init(name: "connection", isGood: true, detail: detail)])
    }
    let findings = try await CredentialCheck(settings, dependencies: try clientDependencies()).run()
    let asked = findings.map {
      CredentialCheckReport.Check(name: $0.step.rawValue, isGood: $0.isGood, detail: $0.detail)
    }
    let isConnected = findings.contains { $0.step == .connection && $0.isGood }
    let token = isConnected ? try await tokenCheck() : []
    guard findings.allSatisfy(\.isGood) else { return CredentialCheckReport(checks: [key] + asked + token) }
    let (roles, rights) = try await rolesCheck(settings)
    return CredentialCheckReport(
      checks: [key] + asked + [roles] + token + [try await privacyCheck()], rights: rights)
  }

  /// Checks which roles the key has. Without this check, a missing role would only show once a job has begun, as
  /// ACCESS_DENIED on every record.
  private func rolesCheck(_ settings: ClientSettings) async throws -> (
    CredentialCheckReport.Check, AccessRightsReport?
  ) {
    do {
      let handle = try await openContainer(ownRecords: .shown)
      let check = AccessRightsCheck(
        handle.container, schema: try await schemaForJobs(handle), isSignedIn: settings.isSignedIn)
      let rights = AccessRightsReport(findings: try await check.run(), isSignedIn: settings.isSignedIn)
      return (
        CredentialCheckReport.Check(name: "roles", isGood: rights.isGood, detail: rights.detail), rights
      )
    } catch let failure as CommandFailure where failure.code == "no-schema" {
      return (
        CredentialCheckReport.Check(
          name: "roles", isGood: true, detail: "not checked: \(failure.messageWithHint)"),
        nil
      )
    } catch let error where !(error is CancellationError) {
      let detail = CommandFailure(error).messageWithHint
      return (CredentialCheckReport.Check(name: "roles", isGood: false, detail: detail), nil)
    }
  }

  /// Checks the management token; empty without one.
  private func tokenCheck() async throws -> [CredentialCheckReport.Check] {
    guard try managementCredential != nil else { return [] }
    do {
      _ = try await schemaContainer().currentSchema()
      return [.init(name: "token", isGood: true, detail: "the management token reads the schema")]
    } catch let error where !(error is CancellationError) {
      let detail = "the management token: \(CommandFailure(error).messageWithHint)"
      return [.init(name: "token", isGood: false, detail: detail)]
    }
  }

  private var containerID: String? {
    get throws { if case .cloudKit(let id) = try location { id } else { nil } }
  }

  /// Checks that the schema does not let everyone read subscriptions: their creators show who subscribes to what
  /// (Documentation/reference/schema-language.md#readable-creators).
  private func privacyCheck() async throws -> CredentialCheckReport.Check {
    guard let schema = try await schemaIfAvailable() else {
      return CredentialCheckReport.Check(
        name: "privacy", isGood: true,
        detail: "skipped: reading the schema needs a management token that works")
    }
    guard let type = schema[recordType: CatalogRecordType.feedSubscription] else {
      return CredentialCheckReport.Check(
        name: "privacy", isGood: true, detail: "nothing to check: the schema has no FeedSubscription")
    }
    let isOpen = type.privileges(of: Role.world).contains(.read)
    let detail =
      isOpen
      ? "anyone can read FeedSubscription and see who subscribes to what; remove READ TO \"_world\""
      : "FeedSubscription has no READ grant for _world"
    return CredentialCheckReport.Check(name: "privacy", isGood: !isOpen, detail: detail)
  }
}

extension ClientSettings {
  /// Whether requests have a user: an API token alone has none (Documentation/reference/web-services.md#roles).
  fileprivate var isSignedIn: Bool {
    if case .apiToken(_, nil) = authentication { false } else { true }
  }
}
