import CloudKitEmulator
import CloudKitModel
import Cryptography
import Diagnostics
import Testing
import WebServicesWire

/// Every status that `Documentation/openapi.yaml` names is answered, and every answer has one of them: on both sides,
/// Web Services with the files of assets, and the management API.
@Suite struct OpenAPIStatusTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    var method = "POST"
    let path: String
    var query = ""
    var headers: [String: String] = [:]
    var body = ""
    var problem: EmulatorRequest.BodyProblem?
    var host = "127.0.0.1"
    var fault: String?
    /// How often the same is asked; the last answer counts.
    var times = 1
    var configure: @Sendable (inout EmulatorConfiguration) -> Void = { _ in }

    var testDescription: String { "\(status): \(method) \(path)" }
  }

  private static let user = "?ckAPIToken=api&ckWebAuthToken=user"
  private static let query = Fixture.root + "records/query"

  static let webServices: [Case] = [
    Case(status: 200, path: query, query: user, body: #"{"query":{"recordType":"Note"}}"#),
    Case(status: 400, path: query, query: user, body: "{}"),
    Case(status: 401, path: query),
    Case(
      status: 403, path: query, query: "?ckAPIToken=api", body: #"{"query":{"recordType":"Secretive"}}"#),
    Case(status: 404, path: Fixture.root + "records/everything"),
    Case(status: 404, path: "/assets/upload/none"),
    Case(status: 404, method: "GET", path: "/assets/download/none"),
    Case(status: 404, method: "GET", path: "/assets/none"),
    Case(status: 405, method: "GET", path: query),
    Case(status: 405, method: "GET", path: "/assets/upload/none"),
    Case(status: 408, path: query, problem: .tooSlow),
    Case(status: 400, path: query, problem: .brokenOff),
    Case(status: 413, path: query, problem: .tooLarge),
    Case(status: 421, method: "GET", path: Fixture.root + "users/caller", query: "?ckAPIToken=api"),
    Case(status: 421, path: query, fault: "status,status=421"),
    Case(status: 421, path: query, query: user, host: "evil.example"),
    Case(status: 403, path: query, query: user, headers: ["origin": "https://evil.example"]),
    Case(status: 429, path: query, times: 2) { $0.rateLimit = 1 },
    Case(status: 503, path: query, times: 2) {
      $0.rateLimit = 1
      $0.throttleStatus = 503
    },
    Case(status: 500, method: "GET", path: Fixture.root + "users/discover", query: user),
  ]

  private static let token = ["x-apple-cloudkit-management-token": "token"]
  private static let container = "/v1/database/teams/TEAM/containers/\(Fixture.container)"
  private static let schema = container + "/environments/DEVELOPMENT/schema"

  private static func file(_ schema: String) -> (headers: [String: String], body: String) {
    let body = "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\(schema)\r\n--B--\r\n"
    return (token.merging(["content-type": "multipart/form-data; boundary=B"]) { $1 }, body)
  }

  static let management: [Case] = [
    Case(status: 200, method: "GET", path: schema, headers: token),
    Case(status: 200, method: "GET", path: "/v1/teams", headers: token),
    Case(status: 200, path: schema + "/validate", headers: file("").headers, body: file("DEFINE").body),
    Case(status: 202, path: schema, headers: file("").headers, body: file("DEFINE SCHEMA").body),
    Case(status: 202, path: container + "/reset", headers: token),
    Case(status: 400, path: schema, headers: token),
    Case(status: 400, path: schema, headers: file("").headers, body: file("DEFINE").body),
    Case(status: 401, method: "GET", path: schema),
    Case(
      status: 403, method: "GET", path: schema.replacing(Fixture.container, with: "iCloud.other"),
      headers: token),
    Case(status: 404, method: "GET", path: "/v1/nothing", headers: token),
    Case(status: 405, method: "DELETE", path: schema, headers: token),
    Case(status: 408, path: schema, headers: token, problem: .tooSlow),
    Case(status: 413, path: schema, headers: token, problem: .tooLarge),
    Case(status: 421, path: container + "/reset", headers: token, host: "evil.example"),
    Case(status: 403, path: container + "/reset", headers: token.merging(["origin": "null"]) { $1 }),
    Case(status: 429, path: schema, headers: token, times: 2) { $0.rateLimit = 1 },
    Case(status: 500, path: schema, headers: token, fault: "status,status=500"),
    Case(status: 503, path: schema, headers: token, fault: "status,status=503,retryAfter=2"),
  ]

  @Test("each status comes with the body that is described", arguments: webServices + management)
  func fits(_ example: Case) async throws {
    let rules = try [example.fault].compactMap(\.self).map { try FaultRule(parsing: $0) }
    let fixture = try await Fixture {
      $0.faults = rules
      example.configure(&$0)
    }
    let request = EmulatorRequest(
      example.method, example.path + example.query, headers: example.headers, body: Array(example.body.utf8),
      bodyProblem: example.problem, origin: "http://\(example.host)")
    for _ in 1..<example.times { _ = await fixture.emulator.reply(to: request) }
    let reply = await fixture.emulator.reply(to: request)
    #expect(reply.status == example.status)
    let json = (try? JSONValue(parsing: reply.body)) ?? .null
    let problems = try OpenAPISchema().problems(
      of: json, status: reply.status, method: example.method, path: example.path)
    #expect(problems == [], "\(json.text())")
    // Clients that only read HTTP find the delay in the header.
    let wait = json["retryAfter"] ?? json["retryAfterSeconds"]
    #expect(reply.headers.first { $0.name == "Retry-After" }?.value == wait?.integer.map(String.init))
  }

  @Test(
    "no status is described that is not tried",
    arguments: [("Error", webServices), ("ManagementError", management)])
  func complete(response: String, cases: [Case]) throws {
    let refusals = Set(cases.map(\.status).filter { $0 >= 400 })
    #expect(refusals == Set(try OpenAPISchema().statuses(of: response)))
  }

  @Test("a browser's OPTIONS is answered without a body, but not by the management API")
  func preflight() async throws {
    let fixture = try await Fixture()
    func ask(_ path: String) async -> EmulatorReply {
      let headers = ["origin": "http://localhost", "access-control-request-method": "POST"]
      return await fixture.emulator.reply(to: EmulatorRequest("OPTIONS", path, headers: headers))
    }
    let answer = await ask(Self.query)
    #expect(answer.status == 204 && answer.body.isEmpty)
    #expect(await ask("/v1/teams").status == 405)
  }
}
