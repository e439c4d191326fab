internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

extension CommandContext {
  /// In the order in which a mistake would show. Without a usable key there is nothing to ask the service.
  func credentialReport() async throws -> CredentialReport {
    let settings: ClientSettings
    do {
      settings = try clientSettings(try containerID ?? "iCloud.none", try environment)
    } catch let failure as CommandFailure {
      return CredentialReport(checks: [.init(name: "key", isGood: false, detail: failure.inOneLine)])
    }
    let key = CredentialReport.Check(name: "key", isGood: true, detail: "the key parses")
    guard try containerID != nil else {
      let detail = "not asked: \(try spec) is not on CloudKit"
      return CredentialReport(checks: [key, .init(name: "connection", isGood: true, detail: detail)])
    }
    let findings = try await CredentialCheck(settings, dependencies: try clientDependencies()).run()
    let asked = findings.map {
      CredentialReport.Check(name: $0.step.rawValue, isGood: $0.isGood, detail: $0.detail)
    }
    guard findings.allSatisfy(\.isGood) else { return CredentialReport(checks: [key] + asked) }
    let (roles, rights) = try await rolesCheck(settings)
    return CredentialReport(checks: [key] + asked + [roles, try await privacyCheck()], rights: rights)
  }

  /// The service tells of a missing role only when a job has begun: with ACCESS_DENIED on every record.
  private func rolesCheck(_ settings: ClientSettings) async throws -> (CredentialReport.Check, RightsReport?)
  {
    do {
      let handle = try await handle()
      let check = RightsCheck(
        handle.container, schema: try await schemaForJobs(handle), isSignedIn: settings.isSignedIn)
      let rights = RightsReport(findings: try await check.run(), isSignedIn: settings.isSignedIn)
      return (CredentialReport.Check(name: "roles", isGood: rights.isGood, detail: rights.detail), rights)
    } catch let failure as CommandFailure where failure.code == "no-schema" {
      return (
        CredentialReport.Check(name: "roles", isGood: true, detail: "not checked: \(failure.inOneLine)"), nil
      )
    } catch let error where !(error is CancellationError) {
      let detail = CommandFailure(error).inOneLine
      return (CredentialReport.Check(name: "roles", isGood: false, detail: detail), nil)
    }
  }

  private var containerID: String? {
    get throws { if case .cloudKit(let id) = try spec { id } else { nil } }
  }

  /// A subscription names its creator beside a hash, so anyone who reads it learns who subscribes to what
  /// (Documentation/reference/schema-language.md#readable-creators).
  private func privacyCheck() async throws -> CredentialReport.Check {
    guard let schema = try await schemaIfAvailable() else {
      return CredentialReport.Check(
        name: "privacy", isGood: true, detail: "not checked: the schema is reached with a management token")
    }
    guard let type = schema[recordType: "FeedSubscription"] else {
      return CredentialReport.Check(
        name: "privacy", isGood: true, detail: "nothing to check: the schema has no FeedSubscription")
    }
    let isOpen = type.privileges(of: Role.world).contains(.read)
    let detail =
      isOpen
      ? "anyone can read FeedSubscription and tell who subscribes to what; remove READ TO \"_world\""
      : "FeedSubscription is not readable by the world"
    return CredentialReport.Check(name: "privacy", isGood: !isOpen, detail: detail)
  }
}

extension CommandFailure {
  fileprivate var inOneLine: String { [message, hint].compactMap(\.self).joined(separator: ". ") }
}

extension ClientSettings {
  /// An API token alone is nobody (Documentation/reference/web-services.md#roles).
  fileprivate var isSignedIn: Bool {
    if case .apiToken(_, nil) = authentication { false } else { true }
  }
}
