import CloudKitModel
import Cryptography
import HTTPTransport
import Testing
import WebServicesWire

@testable import CloudKitClient

@Suite struct CredentialCheckTests {
  @Test(
    "a clock agrees up to five seconds, and is good up to five minutes",
    arguments: [
      ("22:15:43", true, "the clock agrees with the service's"),
      ("22:15:48", true, "the clock agrees with the service's"),
      ("22:15:38", true, "the clock agrees with the service's"),
      ("22:15:49", true, "the clock is 6 s behind the service's"),
      ("22:15:37", true, "the clock is 6 s ahead of the service's"),
      ("22:20:43", true, "the clock is 5 minutes behind the service's"),
      ("22:20:44", false, "the clock is 5 minutes behind the service's"),
      ("22:10:43", true, "the clock is 5 minutes ahead of the service's"),
      ("22:10:42", false, "the clock is 5 minutes ahead of the service's"),
    ])
  func clocks(time: String, isGood: Bool, detail: String) async throws {
    let findings = try await findings(.json("{}", headers: ["Date": "Mon, 25 Jan 2016 \(time) GMT"]))
    #expect(findings[2] == CredentialCheck.Finding(step: .clock, isGood: isGood, detail: detail))
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
    #expect(findings.map(\.step) == CredentialCheck.Step.allCases)
    #expect(!findings.contains { !$0.isGood })
  }

  @Test("a wrong clock is distinguished from a wrong key")
  func clock() async throws {
    let refused = #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"Authentication failed"}"#
    let late = try await findings(
      .json(refused, status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:30:43 GMT"]))
    #expect(late.first { $0.step == .clock }?.detail == "the clock is 15 minutes behind the service's")
    let wrongKey = try await findings(
      .json(refused, status: 401, headers: ["Date": "Mon, 25 Jan 2016 22:15:43 GMT"]))
    #expect(wrongKey.first { $0.step == .clock }?.isGood == true)
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
    #expect(findings.map(\.step) == [.selfTest, .connection])
    #expect(findings.last?.isGood == false)
  }
}
