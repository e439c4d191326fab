import CloudKitEmulator
import PositionedJSON
import Testing
import WebServicesWire

/// The emulator's answers are as `Documentation/openapi.yaml` says.
@Suite struct OpenAPITests {
  typealias Case = WebServicesCasesTests.Case

  static let answered: [Case] =
    (WebServicesCasesTests.paths + WebServicesCasesTests.identities + WebServicesCasesTests.queries
    + WebServicesCasesTests.modifies + WebServicesCasesTests.others).filter {
      $0.status != 405 && $0.code != "NOT_FOUND"
    }

  @Test("every answer of the case tables fits the description", arguments: answered)
  func fits(_ example: Case) async throws {
    let fixture = try await Fixture()
    let create = WebServicesCasesTests.create("old", #"{"title":{"value":"t"},"tags":{"value":["a"]}}"#)
    _ = try await fixture.send("records/modify", #"{"operations":[\#(create)]}"#)
    let (reply, json) = try await fixture.send(
      example.operation, example.body, method: example.method, path: example.path, query: example.query)
    let problems = try OpenAPISchema().problems(
      of: json, status: reply.status, method: example.method ?? (example.body == nil ? "GET" : "POST"),
      path: example.path ?? Fixture.root + example.operation)
    #expect(problems == [], "\(json.text())")
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
