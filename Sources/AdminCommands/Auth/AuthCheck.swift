internal import ArgumentParser
internal import CloudKitClient
internal import CloudKitModel
internal import PositionedJSON
internal import SchemaLanguage

struct AuthCheck: AdminCommand {
  static let title = "auth check"
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find out whether the credentials work, and if not, which of them and why.",
    discussion: """
      The service answers every mistake with the same refusal, so the key, its signature and the clock are checked \
      here, one after the other; only then the service's answer is judged.
      """)

  @OptionGroup var common: CommonOptions

  func perform(in session: Session) async throws -> CommandResult {
    let checks = try await session.credentialChecks()
    let json = checks.map { check -> JSONValue in
      ["check": .string(check.name), "ok": .bool(check.isGood), "detail": .string(check.detail)]
    }
    let status: ExitStatus = checks.allSatisfy(\.isGood) ? .done : .denied
    return CommandResult(status, isConfirmation: true, json: ["checks": .array(json)]) { _, style in
      checks.map { "\($0.isGood ? style.green("✓") : style.red("✗")) \($0.name): \($0.detail)\n" }.joined()
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
  fileprivate func credentialChecks() async throws -> [CredentialCheckLine] {
    let settings: ClientSettings
    do {
      settings = try clientSettings(try containerID ?? "iCloud.none", try environment)
    } catch let failure as CommandFailure {
      let detail = [failure.message, failure.hint].compactMap(\.self).joined(separator: ". ")
      return [CredentialCheckLine(name: "key", isGood: false, detail: detail)]
    }
    let key = CredentialCheckLine(name: "key", isGood: true, detail: "the key parses")
    guard try containerID != nil else {
      let detail = "not asked: \(try spec) is not on CloudKit"
      return [key, CredentialCheckLine(name: "connection", isGood: true, detail: detail)]
    }
    let findings = try await CredentialCheck(settings, surroundings: try clientSurroundings()).run()
    let asked = findings.map {
      CredentialCheckLine(name: $0.step.rawValue, isGood: $0.isGood, detail: $0.detail)
    }
    guard findings.allSatisfy(\.isGood) else { return [key] + asked }
    return [key] + asked + [try await privacyCheck()]
  }

  private var containerID: String? {
    get throws { if case .cloudKit(let id) = try spec { id } else { nil } }
  }

  /// Subscriptions carry their creator beside a hash: whoever reads them can tell who reads what (needs.md E1).
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
