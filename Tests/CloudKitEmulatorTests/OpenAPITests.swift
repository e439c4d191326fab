import CloudKitEmulator
import Diagnostics
import Testing
import WebServicesWire

/// The emulator's answers are as `Documentation/openapi.yaml` says.
@Suite struct OpenAPITests {
  typealias Case = WebServicesCasesTests.Case

  static let tabled: [Case] =
    WebServicesCasesTests.paths + WebServicesCasesTests.identities + WebServicesCasesTests.queries
    + WebServicesCasesTests.modifies + WebServicesCasesTests.others + OtherClientsTests.cases + rest

  private static let user = "ckAPIToken=api&ckWebAuthToken=user"

  /// What no other table asks.
  private static let rest: [Case] = [
    Case(section: "2", operation: "users/current", query: user, status: 200),
    Case(section: "2", operation: "users/discover", query: user, status: 500),
    Case(
      section: "2", operation: "users/discover", body: #"{"lookupInfos":[{"userRecordName":"_user"}]}"#,
      query: user, status: 200),
    Case(
      section: "2", operation: "users/lookup/id", body: #"{"users":[{"userRecordName":"_user"}]}"#,
      query: user, status: 200),
    Case(
      section: "2", operation: "records/accept", body: #"{"shortGUIDs":[{"value":"x"}]}"#, query: user,
      status: 404),
    Case(
      section: "2", operation: "tokens/register",
      body: #"{"apnsEnvironment":"development","apnsToken":"ab"}"#,
      path: "/device/1/iCloud.demo.celestra/development/tokens/register", status: 200),
  ]

  private static func method(of example: Case) -> String {
    example.method ?? (example.body == nil ? "GET" : "POST")
  }

  @Test("every answer of the case tables fits the description", arguments: tabled)
  func fits(_ example: Case) async throws {
    let fixture = try await Fixture()
    let create = WebServicesCasesTests.create("old", #"{"title":{"value":"t"},"tags":{"value":["a"]}}"#)
    _ = try await fixture.send("records/modify", #"{"operations":[\#(create)]}"#)
    let (reply, json) = try await fixture.send(
      example.operation, example.body, method: example.method, path: example.path, query: example.query)
    #expect(reply.status == example.status)
    let problems = try OpenAPISchema().problems(
      of: json, status: reply.status, method: Self.method(of: example),
      path: example.path ?? Fixture.root + example.operation)
    #expect(problems == [], "\(json.text())")
  }

  @Test("the case tables ask every operation by every method that it takes", arguments: Endpoint.allCases)
  func asked(endpoint: Endpoint) {
    let methods = Self.tabled.filter { $0.operation == endpoint.rawValue }.map(Self.method)
    #expect(Set(methods).isSuperset(of: endpoint.methods))
  }

  @Test("every operation that is served is described", arguments: Endpoint.allCases)
  func complete(endpoint: Endpoint) throws {
    let root = endpoint.isUnderDevice ? "/device/1/c/development/" : "/database/1/c/development/public/"
    let schema = try OpenAPISchema()
    let pattern = try #require(schema.pattern(for: root + endpoint.rawValue))
    for method in endpoint.methods {
      #expect(schema.document["paths"]?[pattern]?[method.lowercased()] != nil)
    }
  }

  @Test("an answer that does not fit is found out")
  func canFail() throws {
    let schema = try OpenAPISchema()
    for wrong: JSONValue in [[:], ["records": [["recordName": 5, "deleted": true]]], ["records": "x"]] {
      let path = "/database/1/c/development/public/records/query"
      #expect(schema.problems(of: wrong, status: 200, method: "POST", path: path) != [])
    }
  }
}
