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
    var checks = CredentialChecks(session: session)
    await checks.run()
    let json = checks.results.map { check -> JSONValue in
      var object: JSONObject = ["check": .string(check.name), "ok": .bool(check.problem == nil)]
      object["detail"] = .string(check.problem ?? check.detail)
      object["hint"] = check.hint.map(JSONValue.string)
      return .object(object)
    }
    let status: ExitStatus = checks.results.allSatisfy { $0.problem == nil } ? .done : .denied
    return CommandResult(status, json: ["checks": .array(json)]) { _, style in
      checks.results.map { $0.text(style) }.joined()
    }
  }
}

/// The checks, in the order in which a mistake would show.
private struct CredentialChecks {
  struct Check {
    var name: String
    var detail = ""
    var problem: String?
    var hint: String?

    func text(_ style: Style) -> String {
      let mark = problem == nil ? style.green("✓") : style.red("✗")
      let advice = hint.map { "    \(style.dim("hint:")) \($0)\n" } ?? ""
      return "\(mark) \(name): \(problem ?? detail)\n\(advice)"
    }
  }

  let session: Session
  private(set) var results: [Check] = []

  init(session: Session) { self.session = session }

  mutating func run() async {
    guard let signer = check("key", { try readSigner() }, detail: { "the key \($0.keyID) parses" }) else {
      return
    }
    check("signature", { try selfTest(signer) }, detail: { "signing and verifying agree" })
    guard case .cloudKit? = try? session.spec else {
      results.append(Check(name: "service", detail: "not asked: the container is not on CloudKit"))
      return
    }
    await ask()
  }

  @discardableResult
  private mutating func check<Value>(
    _ name: String, _ body: () throws -> Value, detail: (Value) -> String
  ) -> Value? {
    do {
      let value = try body()
      results.append(Check(name: name, detail: detail(value)))
      return value
    } catch {
      let failure = CommandFailure(error)
      results.append(Check(name: name, problem: failure.message, hint: failure.hint))
      return nil
    }
  }

  private func readSigner() throws -> RequestSigner { try session.signer() }

  private func selfTest(_ signer: RequestSigner) throws {
    let now = session.world.now()
    let path = "/database/1/iCloud.test/development/public/records/query"
    let headers = try signer.headers(subpath: path, body: [1, 2, 3], at: now)
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    try SignatureVerifier(keys: [signer.keyID: session.privateKey().publicKey]).verify(
      .init(
        path: path, body: [1, 2, 3], keyID: header(RequestSignature.keyIDHeader),
        date: header(RequestSignature.dateHeader), signature: header(RequestSignature.signatureHeader)),
      now: now)
  }

  /// Asks for something every key may ask for, and tells the clock's part from the key's.
  private mutating func ask() async {
    do {
      let answer = try await session.probe()
      results.append(Check(name: "clock", detail: answer.clock))
      results.append(Check(name: "service", detail: answer.identity))
    } catch {
      let failure = CommandFailure(error)
      results.append(Check(name: "service", problem: failure.message, hint: failure.hint))
    }
  }
}
