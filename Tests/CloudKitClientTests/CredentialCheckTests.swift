import CloudKitModel
import Cryptography
import HTTPTransport
import Testing
import WebServicesWire

@testable import CloudKitClient

@Suite struct CredentialCheckTests {
  @Test(
    "a clock agrees up to five seconds, and is good as long as requests are accepted or can be dated by the service's",
    arguments: [
      ("25 Jan 2016 22:15:43", 200, true, "the clock agrees with the service's"),
      ("25 Jan 2016 22:15:48", 200, true, "the clock agrees with the service's"),
      ("25 Jan 2016 22:15:37", 200, true, "this machine's clock is 6 s ahead of the service's"),
      ("25 Jan 2016 22:20:43", 401, true, "this machine's clock is 5 minutes behind the service's"),
      (
        "28 Jan 2016 22:15:43", 200, true,
        "this machine's clock is 3 days behind the service's. A signature's date must be within 10 minutes of the "
          + "service's; this one was accepted"
      ),
      (
        "25 Jan 2016 10:15:43", 401, true,
        "this machine's clock is 12 hours ahead of the service's. A signature's date must be within 10 minutes of the "
          + "service's, so requests are dated by the service's clock"
      ),
      (
        "28 Jan 2016 22:15:43", 401, false,
        "this machine's clock is 3 days behind the service's. A signature's date must be within 10 minutes of the "
          + "service's: set this machine's clock"
      ),
    ])
  func clocks(date: String, status: Int, isGood: Bool, detail: String) async throws {
    let findings = try await findings(.json("{}", status: status, headers: ["Date": "Mon, \(date) GMT"]))
    #expect(findings[2] == CredentialCheck.Finding("clock", isGood: isGood, detail))
  }

  private func findings(
    _ answer: ScriptedTransport.Answer, _ authentication: ClientSettings.Authentication? = nil
  ) async throws -> [CredentialCheck.Finding] {
    let signer = RequestSigner(keyID: "key", key: try P256PrivateKey.generate())
    let settings = ClientSettings(
      container: "iCloud.demo", environment: .development,
      authentication: authentication ?? .serverKey(signer))
    return try await CredentialCheck(
      settings, dependencies: ClientDependencies(transport: ScriptedTransport(answer), time: FakeTime())
    ).run()
  }

  @Test("all is well when the service answers in time; of a refusal's reason no token and no user is shown")
  func answers() async throws {
    let good = try await findings(.json("{}", headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT"]))
    #expect(
      good.map(\.check) == ["selfTest", "connection", "clock", "identity"] && good.allSatisfy(\.isGood))
    let quoted =
      #"{"serverErrorCode":"BAD_REQUEST","reason":"?a=keep-a&b=keep-b%2B for _0123456789abcdef0123456789abcdef"}"#
    let refused = try await findings(
      .json(quoted, status: 400), .apiToken(Secret("keep-a"), webAuthToken: Secret("keep-b+")))
    let shown = "?a=[redacted]&b=[redacted] for [user record name]"
    #expect(refused.last?.detail == "the service answers BAD_REQUEST: \(shown)")
  }

  private func refusal(_ time: String, _ server: String = "AppleHttpServer") -> ScriptedTransport.Answer {
    .json(
      #"{"serverErrorCode":"AUTHENTICATION_FAILED"}"#, status: 401,
      headers: ["Date": "Mon, 25 Jan 2016 \(time) GMT", "Server": server])
  }

  @Test("a wrong clock, a wrong key and an emulator that was started again are distinguished")
  func refusals() async throws {
    let late = try await findings(refusal("22:30:43")).first { $0.check == "clock" }
    #expect(late?.detail.hasPrefix("this machine's clock is 15 minutes behind") == true)
    let wrongKey = try await findings(refusal("22:15:43"))
    #expect(wrongKey.first { $0.check == "clock" }?.isGood == true)
    #expect(wrongKey.first { $0.check == "connection" }?.isKnown == false, "a refusal is no good connection")
    let reason = wrongKey.last?.detail ?? ""
    #expect(wrongKey.last?.isGood == false && reason.contains("key id") && reason.contains("was revoked"))
    let emulator = try await findings(refusal("22:15:43", "celestra-admin emulator")).last?.detail
    #expect(emulator?.contains("was started again") == true)
  }

  @Test("no connection ends the check there")
  func offline() async throws {
    let findings = try await findings(.failure(.dns))
    #expect(findings.map(\.check) == ["selfTest", "connection"])
    #expect(findings.last?.isGood == false)
  }
}
