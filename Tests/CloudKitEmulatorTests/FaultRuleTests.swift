import CloudKitModel
import Diagnostics
import Testing

@testable import CloudKitEmulator

@Suite struct FaultRuleTests {
  @Test(
    "a rule is read, and its text reads back as the rule",
    arguments: [
      "reset-before", "reset-after,endpoint=records/modify,every=5", "half,after=2,count=3", "slow,pause=20",
      "stuck-marker", "empty-page", "no-date", "clock-skew,seconds=-700", "misdirected",
      "status,body=,status=200",
      "status,body=<b>busy</b>,retryAfter=2,status=503", "half,after=1", "half,every=2", "half,count=1",
      "half,after=1000000000",
      "half,every=1000000000,count=1000000000", "status,body=a=b,status=599", "slow,pause=1",
      "slow,pause=600000",
      "clock-skew,seconds=1000000", "clock-skew,seconds=-1000000", "status,retryAfter=0,status=200",
      "status,retryAfter=1000000,status=200",
    ])
  func text(text: String) throws {
    #expect(try FaultRule(parsing: text).text == text)
  }

  @Test(
    "an invalid rule is refused, and the message names the problem",
    arguments: [
      ("", "empty"), ("explode", "expected one of: status, misdirected"), ("status", "needs status=NUMBER"),
      ("status,status=5", "200 to 599"), ("status,status=x", "status=x is not a whole number"),
      ("half,every=0", "every=0"), ("half,count=-1", "count=-1"), ("half,x=1", "has no option 'x'"),
      ("half,endpoint", "'endpoint' is not name=value"), ("half,endpoint=", "is not name=value"),
      ("status,status=200,retryAfter=", "is not name=value"), ("slow,pause=0", "1 to 600000"),
      ("slow,pause=600001", "1 to 600000"), ("status,status=199", "200 to 599"),
      ("status,status=600", "200 to 599"),
      ("status,status=200,retryAfter=-1", "0 to 1000000"),
      ("status,status=200,retryAfter=1000001", "0 to 1000000"),
      ("clock-skew,seconds=-1000001", "-1000000 to 1000000"),
      ("clock-skew,seconds=1000001", "-1000000 to 1000000"),
      ("half,after=-1", "0 to 1000000000"), ("half,after=1000000001", "0 to 1000000000"),
      ("half,count=0", "1 to 1000000000"),
      ("half,count=1000000001", "1 to 1000000000"), ("half,every=1000000001", "1 to 1000000000"),
      (",", "empty"),
      ("half,b=1,a=2", "has no option 'a'"),
    ])
  func refused(text: String, words: String) {
    let error = #expect(throws: EmulatorOptionError.self) { try FaultRule(parsing: text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("the help names every fault once")
  func help() {
    for fault in Fault.all {
      #expect(FaultRule.help.split(separator: "\n").count { $0.hasPrefix("  \(fault.word) ") } == 1)
    }
    #expect(Set(Fault.all.map(\.word)).count == Fault.all.count)
  }

  /// What one request gets from an emulator with this fault.
  private func reply(_ fault: String, _ operation: String = "zones/list", _ body: String? = nil) async throws
    -> EmulatorReply
  {
    try await Fixture { $0.faults = [try FaultRule(parsing: fault)] }.send(operation, body).reply
  }

  @Test("a fault of the delivery leaves the reply as it is, unless the request was not processed")
  func delivery() async throws {
    for (fault, delivery, status) in [
      ("reset-before", EmulatorReply.Delivery.reset, 500), ("reset-after", .reset, 200), ("half", .half, 200),
      ("slow,pause=20", .slow(pause: .milliseconds(20)), 200),
    ] {
      let reply = try await reply(fault)
      #expect(reply.delivery == delivery && reply.status == status, "\(fault)")
      #expect(reply.explanation?.hasSuffix("fault rule") == true)
    }
  }

  @Test("behind pages without records, each with a new marker, a query has all records")
  func emptyPages() async throws {
    let fixture = try await Fixture(pageSize: 1) {
      $0.faults = [try FaultRule(parsing: "empty-page,every=2")]
    }
    for name in ["a", "b", "c"] {
      let operation = #"{"operationType":"create","record":{"recordType":"Note","recordName":"\#(name)"}}"#
      _ = try await fixture.send("records/modify", #"{"operations":[\#(operation)]}"#)
    }
    var found: [String] = []
    var markers: Set<String> = []
    var marker = ""
    repeat {
      let page = try await fixture.send(
        "records/query", #"{"query":{"recordType":"Note"},"continuationMarker":"\#(marker)"}"#
      ).json
      found += page["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []
      marker = page["continuationMarker"]?.string ?? ""
      #expect(markers.insert(marker).inserted, "a marker came twice")
    } while !marker.isEmpty
    #expect(found == ["a", "b", "c"])
  }
}
