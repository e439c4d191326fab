import CloudKitEmulator
import CloudKitModel
import Diagnostics
import LocalContainer
import Testing

@Suite struct HostileNamesTests {
  @Test(
    "a client's field name never becomes SQL, whatever the schema may grow by",
    arguments: [#"\u0022\u0301"#, #"\u0600\u0022"#])
  func growth(_ quote: String) async throws {
    var behavior = ServerBehavior()
    behavior.justInTimeSchema = true
    let fixture = try await Fixture { $0.behavior = behavior }
    let before = try await fixture.store.schema(of: .development)
    let name = #"a\#(quote) TEXT); ATTACH DATABASE ':memory:' AS own --"#
    for (type, field) in [("Note", name), (name, "body")] {
      let answer = try await fixture.send(
        "records/modify",
        #"{"operations":[{"operationType":"create","record":{"recordType":"\#(type)","fields":{"\#(field)":{"value":"x"}}}}]}"#
      )
      #expect(answer.reply.status == 200)
      let record = answer.json["records"]?.array?.first
      #expect(record?["serverErrorCode"]?.string == "BAD_REQUEST")
    }
    #expect(try await fixture.store.schema(of: .development) == before)
  }
}
