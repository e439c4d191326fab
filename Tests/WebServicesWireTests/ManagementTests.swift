import CloudKitModel
import Diagnostics
import Testing
import WebServicesWire

@Suite struct ManagementTests {
  let target = ManagementTarget(team: "TEAM", container: "iCloud.a b", environment: .development)

  @Test("routes are filled in, the environment in capitals")
  func paths() {
    let path = ManagementCall.Kind.exportSchema.path(target)
    #expect(path == "/v1/database/teams/TEAM/containers/iCloud.a%20b/environments/DEVELOPMENT/schema")
  }

  @Test("a server recognizes every call it can be sent", arguments: ManagementCall.Kind.allCases)
  func calls(kind: ManagementCall.Kind) throws {
    let call = try #require(ManagementCall(method: kind.method, path: kind.path(target)))
    #expect(call.kind == kind)
    #expect(call.container == (kind == .teams ? nil : "iCloud.a b"))
    #expect(ManagementCall(method: "PUT", path: kind.path(target)) == nil)
  }

  @Test(
    "a server knows the methods of a path, and none of an unknown one",
    arguments: ManagementCall.Kind.allCases)
  func methods(kind: ManagementCall.Kind) {
    let path = kind.path(target)
    let sharing = ManagementCall.Kind.allCases.filter { $0.path(target) == path }
    #expect(ManagementCall.methods(of: path) == sharing.map(\.method))
    #expect(ManagementCall.methods(of: path + "/more").isEmpty && ManagementCall.methods(of: "/").isEmpty)
  }

  @Test("the method of each call and the status of its success, as the reference lists them")
  func statuses() {
    let rows: [(ManagementCall.Kind, String, Int)] = [
      (.exportSchema, "GET", 200), (.importSchema, "POST", 202), (.validateSchema, "POST", 200),
      (.resetSchema, "POST", 202), (.deploySchema, "POST", 202), (.teams, "GET", 200),
    ]
    #expect(rows.map(\.0) == ManagementCall.Kind.allCases)
    for (kind, method, status) in rows {
      #expect(kind.method == method && kind.successStatus == status, "\(kind)")
    }
  }

  @Test(
    "a path with an empty part, another text or one slash more is no call",
    arguments: [
      "/v1/database/teams//containers/c/reset", "/v1/database/teams/t/containers//reset",
      "/v1/database/teams/%/containers/c/reset", "/v1/database/team/t/containers/c/reset",
      "//v1/database/teams/t/containers/c/reset", "/v1/database/teams/t/containers/c/reset/",
      "v1/database/teams/t/containers/c/reset", "/v1/database/teams/t/containers/c",
    ])
  func unknownPaths(path: String) {
    #expect(ManagementCall(method: "POST", path: path) == nil)
    #expect(ManagementCall.methods(of: path).isEmpty)
  }

  @Test("a reply to a validation is valid if it has no message, unless it says so itself")
  func validation() throws {
    #expect(SchemaValidationReply(errorMessage: nil).isValid)
    #expect(!SchemaValidationReply(errorMessage: "no").isValid)
    let reply = try SchemaValidationReply(json: ["isValid": true, "errorMessage": "beware"])
    #expect(reply.isValid && reply.errorMessage == "beware")
  }

  @Test("teams come in a list alone or in an object, with either name of the id")
  func teams() throws {
    let list: JSONValue = [["teamId": "A", "name": "a"], ["id": "B"]]
    let teams = [TeamsReply.Team(id: "A", name: "a"), TeamsReply.Team(id: "B", name: "")]
    #expect(try TeamsReply(json: list).teams == teams)
    #expect(try TeamsReply(json: ["teams": list]).teams == teams)
    #expect(throws: WireFormatError.self) { try TeamsReply(json: "A") }
  }

  @Test("a file travels in a multipart body", arguments: ["", "DEFINE SCHEMA\n", "\r\n--x\r\n", "--b"])
  func multipart(content: String) throws {
    let body = MultipartBody.body(
      part: "file", fileName: "schema.ckdb", content: Array(content.utf8), boundary: "b123")
    let read = try MultipartBody.content(
      ofPart: "file", in: body, contentType: "multipart/form-data; boundary=\"b123\"")
    #expect(String(decoding: read, as: UTF8.self) == content)
  }

  @Test("a multipart body that is none is refused")
  func refusals() {
    let body = MultipartBody.body(part: "other", fileName: "file", content: [1], boundary: "b")
    let contentType = MultipartBody.contentType(boundary: "b")
    #expect(throws: WireFormatError("the body has no part named 'file'")) {
      try MultipartBody.content(ofPart: "file", in: body, contentType: contentType)
    }
    for type in ["", "text/plain", "multipart/form-data", "multipart/form-data; boundary="] {
      #expect(throws: WireFormatError.self) {
        try MultipartBody.content(ofPart: "other", in: body, contentType: type)
      }
    }
    for end in body.indices {
      _ = try? MultipartBody.content(ofPart: "other", in: Array(body[..<end]), contentType: contentType)
    }
  }
}
