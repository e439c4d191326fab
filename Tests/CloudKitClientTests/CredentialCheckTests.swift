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

  @Test("all is well when the service answers in time")
  func good() async throws {
    let findings = try await findings(.json("{}", headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT"]))
    #expect(findings.map(\.check) == ["selfTest", "connection", "clock", "identity"])
    #expect(!findings.contains { !$0.isGood })
  }

  @Test("a wrong clock is distinguished from a wrong key")
  func clock() async throws {
    let refused = #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"Authentication failed"}"#
    let late = try await findings(
      .json(refused, status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:30:43 GMT"]))
    #expect(
      late.first { $0.check == "clock" }?.detail.hasPrefix("this machine's clock is 15 minutes behind")
        == true)
    let wrongKey = try await findings(
      .json(refused, status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT"]))
    #expect(wrongKey.first { $0.check == "clock" }?.isGood == true)
    #expect(wrongKey.first { $0.check == "connection" }?.isKnown == false, "a refusal is no good connection")
    #expect(wrongKey.last?.isGood == false && wrongKey.last?.detail.contains("key id") == true)
  }

  @Test("an emulator that refuses a key may have been started again; Apple's service may have revoked it")
  func emulator() async throws {
    let refused = #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"Authentication failed"}"#
    for (server, text) in [
      ("celestra-admin emulator", "was started again"), ("AppleHttpServer", "was revoked"),
    ] {
      let findings = try await findings(
        .json(refused, status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT", "Server": server]))
      #expect(findings.last?.detail.contains(text) == true, "\(server)")
    }
  }

  @Test("no connection ends the check there")
  func offline() async throws {
    let findings = try await findings(.failure(.dns))
    #expect(findings.map(\.check) == ["selfTest", "connection"])
    #expect(findings.last?.isGood == false)
  }
}
