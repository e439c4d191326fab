internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct AuthCheck: AdminCommand {
  static let title = "auth check"
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that the credentials work, and say which one does not and why.",
    discussion: """
      The service answers every mistake with the same refusal, so the key, its signature and the clock are checked \
      here, one after the other; only then the service's answer is judged. What the credential may do to each record \
      type is found out by reading alone: nothing is written.
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthCheck>

  func perform(in session: Session) async throws -> any Report {
    let (checks, rights) = try await session.credentialChecks()
    let json = checks.map { check -> JSONValue in
      ["check": .string(check.name), "ok": .bool(check.isGood), "detail": .string(check.detail)]
    }
    let status: ExitStatus = checks.allSatisfy(\.isGood) ? .done : .denied
    var result: JSONObject = ["checks": .array(json)]
    result["rights"] = rights?.json
    return CommandResult(status, isConfirmation: true, json: .object(result)) { _, style in
      checks.map { check -> PrintableText in
        "\(check.isGood ? style.green("✓") : style.red("✗")) \(check.name): \(check.detail)\n"
      }.joined()
    }
  }
}

/// One thing that can be wrong with credentials.
private struct CredentialCheckLine {
  var name: String
  var isGood: Bool
  var detail: String
}

extension Session {
  /// In the order in which a mistake would show. Without a usable key there is nothing to ask the service.
  fileprivate func credentialChecks() async throws -> (lines: [CredentialCheckLine], rights: RightsView?) {
    let settings: ClientSettings
    do {
      settings = try clientSettings(try containerID ?? "iCloud.none", try environment)
    } catch let failure as CommandFailure {
      return ([CredentialCheckLine(name: "key", isGood: false, detail: failure.inOneLine)], nil)
    }
    let key = CredentialCheckLine(name: "key", isGood: true, detail: "the key parses")
    guard try containerID != nil else {
      let detail = "not asked: \(try spec) is not on CloudKit"
      return ([key, CredentialCheckLine(name: "connection", isGood: true, detail: detail)], nil)
    }
    let findings = try await CredentialCheck(settings, surroundings: try clientSurroundings()).run()
    let asked = findings.map {
      CredentialCheckLine(name: $0.step.rawValue, isGood: $0.isGood, detail: $0.detail)
    }
    guard findings.allSatisfy(\.isGood) else { return ([key] + asked, nil) }
    let (roles, rights) = try await rolesCheck(settings)
    return ([key] + asked + [roles, try await privacyCheck()], rights)
  }

  /// The service tells of a missing role only when a job has begun: with ACCESS_DENIED on every record.
  private func rolesCheck(_ settings: ClientSettings) async throws -> (CredentialCheckLine, RightsView?) {
    do {
      let handle = try await handle()
      let check = RightsCheck(
        handle.container, schema: try await schemaForJobs(handle), isSignedIn: settings.isSignedIn)
      let rights = RightsView(findings: try await check.run(), isSignedIn: settings.isSignedIn)
      return (CredentialCheckLine(name: "roles", isGood: rights.isGood, detail: rights.detail), rights)
    } catch let failure as CommandFailure where failure.code == "no-schema" {
      return (
        CredentialCheckLine(name: "roles", isGood: true, detail: "not checked: \(failure.inOneLine)"), nil
      )
    } catch let error where !(error is CancellationError) {
      let detail = CommandFailure(error).inOneLine
      return (CredentialCheckLine(name: "roles", isGood: false, detail: detail), nil)
    }
  }

  private var containerID: String? {
    get throws { if case .cloudKit(let id) = try spec { id } else { nil } }
  }

  /// A subscription names its creator beside a hash, so anyone who reads it learns who subscribes to what
  /// (Documentation/reference/schema-language.md#readable-creators).
  private func privacyCheck() async throws -> CredentialCheckLine {
    guard let schema = try await schemaIfAvailable() else {
      return CredentialCheckLine(
        name: "privacy", isGood: true, detail: "not checked: the schema is reached with a management token")
    }
    guard let type = schema[recordType: "FeedSubscription"] else {
      return CredentialCheckLine(
        name: "privacy", isGood: true, detail: "nothing to check: the schema has no FeedSubscription")
    }
    let isOpen = type.privileges(of: Role.world).contains(.read)
    let detail =
      isOpen
      ? "anyone can read FeedSubscription and tell who subscribes to what; remove READ TO \"_world\""
      : "FeedSubscription is not readable by the world"
    return CredentialCheckLine(name: "privacy", isGood: !isOpen, detail: detail)
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
