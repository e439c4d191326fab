import CloudKitEmulator
import Diagnostics
import Testing

/// Users who sign in.
@Suite struct SignInTests {
  private static let alice = "ckAPIToken=api&ckWebAuthToken=demo-user-alice"

  private func page(_ fixture: Fixture, _ target: String, method: String = "GET") async -> EmulatorReply {
    await fixture.emulator.reply(to: EmulatorRequest(method, target))
  }

  @Test("who has to sign in is sent to a page that hands out a token, which then is a user's")
  func signIn() async throws {
    let fixture = try await Fixture()
    let refused = try await fixture.send("users/caller", query: "ckAPIToken=api")
    #expect(refused.reply.status == 421)
    #expect(refused.json["redirectURL"] == "http://127.0.0.1/sign-in")
    let page = await page(fixture, "/sign-in?user=alice")
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(text.contains(#"postMessage({ckWebAuthToken: "demo-user-alice", ckSession: "demo-user-alice"}"#))
    #expect(page.headers.contains { $0 == ("Content-Type", "text/html; charset=UTF-8") })
    let caller = try await fixture.send("users/caller", query: Self.alice)
    #expect(caller.reply.status == 200)
    let bob = try await fixture.send("users/caller", query: "ckAPIToken=api&ckSession=demo-user-bob").json
    #expect(bob["userRecordName"] != caller.json["userRecordName"])
  }

  @Test(
    "a name that could be markup, or none, is asked for again, and no token is made of it",
    arguments: [
      "", "?user=", "?user=%3Cscript%3E", "?user=a%22b", "?user=" + String(repeating: "a", count: 65),
    ])
  func names(query: String) async throws {
    let fixture = try await Fixture()
    let text = String(decoding: await page(fixture, "/sign-in\(query)").body, as: UTF8.self)
    #expect(text.contains("<form action=\"/sign-in\">") && !text.contains("demo-user-"))
    #expect(await page(fixture, "/sign-in\(query)", method: "POST").status == 405)
    for token in ["demo-user-", "demo-user-%3Cb%3E"] {
      let reply = try await fixture.send("users/caller", query: "ckAPIToken=api&ckWebAuthToken=\(token)")
        .reply
      #expect(reply.status == 421)
    }
  }

  @Test("a signed-in user has a record that only this user may write")
  func usersRecord() async throws {
    let fixture = try await Fixture()
    for _ in 0..<2 { _ = try await fixture.send("users/caller", query: Self.alice) }
    let name = try await fixture.send("users/caller", query: Self.alice).json["userRecordName"]?.string ?? ""
    let read = #"{"records":[{"recordName":"\#(name)"}]}"#
    let record = try await fixture.send("records/lookup", read).json["records"]?.array?.first ?? .null
    #expect(record["recordType"] == "Users")
    #expect(record["created"]?["userRecordName"] == .string(name))
    let roles = #"{"roles":{"value":[7],"type":"INT64_LIST"}}"#
    func write(_ name: String, query: String?) async throws -> JSONValue {
      let record = #"{"recordType":"Users","recordName":"\#(name)","fields":\#(roles)}"#
      return try await fixture.send(
        "records/modify", #"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#,
        query: query
      ).json["records"]?.array?.first ?? .null
    }
    #expect(try await write(name, query: Self.alice)["serverErrorCode"] == nil)
    #expect(try await write(name, query: nil)["reason"] == "WRITE operation not permitted")
    #expect(try await write("_nobody", query: Self.alice)["reason"] == "CREATE operation not permitted")
  }

  @Test("a key gets no record by asking who it is, and a user who was never seen has none")
  func nobody() async throws {
    let fixture = try await Fixture()
    let key = try await fixture.send("users/current").json["userRecordName"]?.string ?? ""
    let body = #"{"records":[{"recordName":"\#(key)"},{"recordName":"_user"}]}"#
    let records = try await fixture.send("records/lookup", body).json["records"]?.array ?? []
    #expect(records.map { $0["serverErrorCode"] } == ["NOT_FOUND", "NOT_FOUND"])
  }

  @Test("users who have signed in are found by their record names")
  func found() async throws {
    let fixture = try await Fixture()
    let name = try await fixture.send("users/caller", query: Self.alice).json["userRecordName"]?.string ?? ""
    let body = #"{"users":[{"userRecordName":"\#(name)"},{"userRecordName":"_stranger"}]}"#
    let found = try await fixture.send("users/lookup/id", body, query: Self.alice).json["users"]?.array
    #expect(found?.map { $0["userRecordName"]?.string } == [name])
  }
}
