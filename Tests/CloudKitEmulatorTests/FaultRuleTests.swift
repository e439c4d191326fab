import CloudKitEmulator
import Testing

@Suite struct FaultRuleTests {
  static let rules: [(String, FaultRule)] = [
    ("reset-before", FaultRule(.resetBefore)),
    (
      "reset-after,endpoint=records/modify,every=5",
      FaultRule(.resetAfter, endpoint: "records/modify", every: 5)
    ),
    ("half,after=2,count=3", FaultRule(.half, after: 2, count: 3)),
    ("slow,pause=20", FaultRule(.slow(pause: .milliseconds(20)))),
    ("stuck-marker", FaultRule(.stuckMarker)),
    ("clock-skew,seconds=-700", FaultRule(.clockSkew(.seconds(-700)))),
    ("misdirected", FaultRule(.status(421, body: "misdirected", retryAfter: nil))),
    ("status,status=200,body=", FaultRule(.status(200, body: "", retryAfter: nil))),
    (
      "status,status=503,body=<b>busy</b>,retryAfter=2",
      FaultRule(.status(503, body: "<b>busy</b>", retryAfter: .seconds(2)))
    ),
  ]

  @Test("a rule is read from its text", arguments: rules)
  func read(text: String, expected: FaultRule) throws {
    #expect(try FaultRule(parsing: text) == expected)
  }

  @Test("the text of a rule reads back as the rule", arguments: rules)
  func written(text: String, rule: FaultRule) throws {
    #expect(try FaultRule(parsing: rule.text) == rule)
  }

  @Test(
    "a rule that makes no sense is refused",
    arguments: [
      "", "explode", "status", "status,status=5", "status,status=x", "half,every=0", "half,count=-1",
      "half,x=1",
      "half,endpoint", "half,endpoint=", "status,status=200,retryAfter=",
    ])
  func refused(text: String) {
    #expect(throws: FaultRuleError.self) { try FaultRule(parsing: text) }
  }
}
