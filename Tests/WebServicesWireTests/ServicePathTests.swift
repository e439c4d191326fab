import CloudKitModel
import Diagnostics
import Testing
import WebServicesWire

@Suite struct ServicePathTests {
  @Test("a path is written and read alike")
  func roundTrip() throws {
    let path = ServicePath(
      container: "iCloud.com.example.App", environment: .production, operation: "records/query")
    #expect(path.text == "/database/1/iCloud.com.example.App/production/public/records/query")
    #expect(try ServicePath(parsing: path.text) == path)
    let device = ServicePath(
      .device, container: "iCloud.x", environment: .development, operation: "tokens/create")
    #expect(device.text == "/device/1/iCloud.x/development/tokens/create")
    #expect(try ServicePath(parsing: device.text) == device)
  }

  @Test(
    "a path that is none is refused",
    arguments: [
      "", "/", "database/1/c/development/public/records/query",
      "/database/2/c/development/public/records/query",
      "/database/1/c/staging/public/records/query", "/database/1/c/development/everyone/records/query",
      "/database/1/c/development/public", "/database/1//development/public/records/query",
      "/database/1/../development/public/records/query",
      "/database/1/%2e%2e/development/public/records/query",
      "/database/1/a%2Fb/development/public/records/query",
      "/database/1/a%00/development/public/records/query",
      "/database/1/a%5Cb/development/public/records/query",
      "/database/1/a%zz/development/public/records/query",
      "/database/1/a%ff/development/public/records/query", "/database/1/c/development/public/records/query/",
    ])
  func refused(path: String) {
    #expect(throws: WireFormatError.self) { try ServicePath(parsing: path) }
  }

  @Test(
    "the refusal of a path names the part that is wrong",
    arguments: [
      ("/device/1/c/development", "expected a path that begins with /database/1/ or /device/1/"),
      ("/database/1/c/development", "expected a path that begins with /database/1/ or /device/1/"),
      ("/1/database/c/development/public/x", "expected a path that begins with /database/1/ or /device/1/"),
      ("/database/c/1/development/public/x", "expected a path that begins with /database/1/ or /device/1/"),
      ("/database/1/development/c/public/x", "'c' is not an environment"),
      ("/database/1/c/development/x/public", "'x' is not a database"),
      ("/database/1/c/development/public", "the path names no operation"),
      ("/database/1/c/development/public/a%20b", "the path has an empty part or a part that is not allowed"),
      ("/database/1/c/development/public/a%7Fb", "the path has an empty part or a part that is not allowed"),
      ("/database/1/c/development/public/%2", "the path has an invalid percent escape"),
    ])
  func reasons(path: String, reason: String) {
    #expect(throws: WireFormatError(reason)) { try ServicePath(parsing: path) }
  }

  @Test("an operation of one part or of three is taken, and marks next to those that are refused")
  func operations() throws {
    let device = try ServicePath(parsing: "/device/1/c/development/tokens")
    #expect(device == ServicePath(.device, container: "c", environment: .development, operation: "tokens"))
    let users = try ServicePath(parsing: "/database/1/%21c~/production/private/users/lookup/id")
    #expect(
      users
        == ServicePath(
          container: "!c~", environment: .production, database: .private, operation: "users/lookup/id"))
  }

  @Test("percent escapes of web session tokens")
  func escapes() {
    #expect(PercentEncoding.encode("a+b/c=é") == "a%2Bb%2Fc%3D%C3%A9")
    #expect(
      PercentEncoding.queryItems("ckAPIToken=1&ckWebAuthToken=a%2Bb%3D&x&bad=%1") == [
        "ckAPIToken": "1", "ckWebAuthToken": "a+b=", "x": "",
      ])
  }

  @Test("the methods of each operation, as the reference lists them", arguments: Endpoint.allCases)
  func methods(of endpoint: Endpoint) {
    let others: [Endpoint: [String]] = [
      .zonesList: ["GET", "POST"], .subscriptionsList: ["GET", "POST"], .usersCurrent: ["GET", "POST"],
      .usersCaller: ["GET", "POST"], .usersDiscover: ["POST", "GET"],
    ]
    #expect(endpoint.methods == others[endpoint] ?? ["POST"])
  }

  @Test("who may use each operation, and where it is", arguments: Endpoint.allCases)
  func places(of endpoint: Endpoint) {
    let folder = endpoint.rawValue.prefix { $0 != "/" }
    #expect(
      endpoint.needsUser == (folder == "users" || endpoint == .recordsResolve || endpoint == .recordsAccept))
    #expect(endpoint.isUnderDevice == (folder == "tokens"))
    #expect(endpoint.ignoresPrivateDatabase == (endpoint.rawValue == "users/caller"))
  }

  @Test("only what can be sent twice without harm is repeatable", arguments: Endpoint.allCases)
  func repeatable(endpoint: Endpoint) {
    let changing: Set<Endpoint> = [
      .recordsModify, .zonesModify, .subscriptionsModify, .recordsAccept, .tokensCreate, .tokensRegister,
    ]
    #expect(endpoint.isRepeatable == !changing.contains(endpoint))
  }
}
