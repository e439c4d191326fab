internal import ArgumentParser
internal import CloudKitModel
internal import Cryptography
internal import PositionedJSON
internal import WebServicesWire

struct AuthCheck: AdminCommand {
  static let title = "auth check"
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find out whether the credentials work, and if not, which of them and why.",
    discussion: """
      The service answers every mistake with the same refusal, so the key, the clock and the signature are checked \
      here first; only then is the service asked.
      """)

  @OptionGroup var common: CommonOptions

  func perform(in session: Session) async throws -> CommandResult {
    let checks = try await CredentialChecks(session: session).run()
    let json = checks.map { check -> JSONValue in
      var object: JSONObject = [
        "check": .string(check.name), "ok": .bool(check.failure == nil), "detail": .string(check.detail),
      ]
      object["hint"] = check.failure?.hint.map(JSONValue.string)
      return .object(object)
    }
    let status: ExitStatus = checks.allSatisfy { $0.failure == nil } ? .done : .denied
    return CommandResult(status, json: ["checks": .array(json)]) { _, style in
      checks.map { $0.text(style) }.joined()
    }
  }
}

/// The checks, in the order in which a mistake would show.
private struct CredentialChecks {
  struct Check {
    var name: String
    /// What was found in order, or what is wrong.
    var detail: String
    var failure: CommandFailure?

    func text(_ style: Style) -> String {
      let mark = failure == nil ? style.green("✓") : style.red("✗")
      let advice = failure?.hint.map { "    \(style.dim("hint:")) \($0)\n" } ?? ""
      return "\(mark) \(name): \(detail)\n\(advice)"
    }
  }

  let session: Session

  /// Without a working key there is nothing to ask the service.
  func run() async throws -> [Check] {
    let key = await check("key") { "the key \(try session.signer().keyID) parses" }
    guard key.failure == nil else { return [key] }
    let signature = await check("signature", selfTest)
    guard case .cloudKit = try session.spec else { return [key, signature] }
    let probe = AuthProbe(session)
    return [
      key, signature, await check("clock", probe.clock), await check("service", probe.service),
      await check("privacy", probe.privacy),
    ]
  }

  private func check(_ name: String, _ body: () async throws -> String) async -> Check {
    do {
      return Check(name: name, detail: try await body())
    } catch {
      let failure = CommandFailure(error)
      return Check(name: name, detail: failure.message, failure: failure)
    }
  }

  private func selfTest() throws -> String {
    let signer = try session.signer()
    let now = session.world.now()
    let path = "/database/1/iCloud.test/development/public/records/query"
    let headers = try signer.headers(subpath: path, body: [1, 2, 3], at: now)
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    try SignatureVerifier(keys: [signer.keyID: session.privateKey().publicKey]).verify(
      .init(
        path: path, body: [1, 2, 3], keyID: header(RequestSignature.keyIDHeader),
        date: header(RequestSignature.dateHeader), signature: header(RequestSignature.signatureHeader)),
      now: now)
    return "signing and verifying agree"
  }
}
