import CloudKitModel
import Cryptography
import LocalContainer
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct EmulatorOptionTests {
  private func configuration(_ choices: String...) throws -> EmulatorConfiguration {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    for choice in choices { try configuration.set(.behavior, choice) }
    return configuration
  }

  @Test("every unknown behavior of the store can be chosen by its name")
  func complete() {
    let names = Set(EmulatorOption.behaviors.map(\.name))
    #expect(names.count == EmulatorOption.behaviors.count)
    for child in Mirror(reflecting: ServerBehavior()).children {
      #expect(names.contains(child.label ?? ""), "\(child.label ?? "")")
    }
  }

  @Test("a choice is made, of each kind")
  func choices() throws {
    let configuration = try configuration(
      "updateWithoutTag=accept", "justInTimeSchema=true", "filterValues=7", "signatureWindow=0.5",
      "ranges=queryable", "userEndpointsOfKeys=", "bodyLimit=10")
    #expect(configuration.behavior.updateWithoutTag == .accept && configuration.behavior.justInTimeSchema)
    #expect(configuration.behavior.filterValues == 7 && configuration.behavior.ranges == .queryable)
    #expect(configuration.signatureWindow == .milliseconds(500))
    #expect(configuration.userEndpointsOfKeys == [] && configuration.bodyLimit == 10)
  }

  @Test(
    "an invalid choice is named",
    arguments: [
      ("updateWithoutTag", "is not name=value"), ("nothing=1", "is not a behavior"),
      ("updateWithoutTag=maybe", "takes accept or refuse"),
      ("filterValues=-1", "takes a whole number, 0 to 10000"),
      ("assetQuota=9223372036854775807", "to 1099511627776"),
      ("maximumConnections=0", "1 to 1000000"),
      ("bodyLimit=1073741825", "takes a number of bytes, 0 to 1073741824"),
      ("signatureWindow=x", "takes a number of seconds"), ("userEndpointsOfKeys=users/x", "takes operations"),
    ])
  func mistakes(_ text: String, _ words: String) {
    let error = #expect(throws: EmulatorOptionError.self) { try configuration(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("users differ by their tokens, and are the same in every run")
  func users() throws {
    var configuration = try configuration()
    configuration.admitUser(Secret("one"))
    configuration.admitUser(Secret("two"))
    let names = Set(configuration.users.values.compactMap(\.userRecordName))
    #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("_") && $0.count == 33 })
  }

  private func refusal(_ option: EmulatorOption, _ text: String) -> String? {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    do { try configuration.set(option, text) } catch { return error.description }
    return nil
  }

  private func option(_ name: String) throws -> EmulatorOption {
    let all =
      EmulatorOption.behaviors + [
        .port, .indexDelay, .pageSize, .latency, .rateLimit, .clock, .identityRoles, .allowedHost,
        .allowedOrigin,
      ]
    return try #require(all.first { $0.name == name })
  }

  @Test(
    "a whole number is taken from its first to its last value",
    arguments: [
      ("--port", 0, 65_535), ("--index-delay", 0, 3_600_000), ("--page-size", 1, 200),
      ("--latency", 0, 600_000),
      ("filterValues", 0, 10_000), ("indexDelay", 0, 3_600_000), ("deleteSelfSources", 0, 1_000_000),
      ("recordNameLength", 1, 65_536), ("maximumConnections", 1, 1_000_000), ("bodyLimit", 0, 1_073_741_824),
      ("assetLimit", 0, 1_073_741_824), ("assetQuota", 0, 1_099_511_627_776),
    ])
  func numbers(name: String, first: Int, last: Int) throws {
    let option = try option(name)
    for value in [first, first + 1, last] { #expect(refusal(option, "\(value)") == nil) }
    for text in ["\(first - 1)", "\(last + 1)", "", "x", "1.5"] {
      #expect(refusal(option, text) == "\(name) takes \(option.values), not '\(text)'")
    }
    #expect(option.values.hasSuffix(", \(first) to \(last)"))
  }

  @Test("a number is set where its name says")
  func numbersAreSet() throws {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    for (option, text) in [
      (EmulatorOption.port, "1"), (.pageSize, "2"), (.latency, "3"), (.rateLimit, "4.5"), (.indexDelay, "5"),
    ] {
      try configuration.set(option, text)
    }
    for choice in [
      "filterValues=6", "deleteSelfSources=7", "recordNameLength=8", "maximumConnections=9", "bodyLimit=10",
      "assetLimit=11",
      "assetQuota=12", "signatureLead=13", "uploadLifetime=0", "requestTimeout=14.5", "idleTimeout=15",
      "stopTimeout=1000000000",
    ] {
      try configuration.set(.behavior, choice)
    }
    #expect(
      configuration.listening.port == 1 && configuration.pageSize == 2 && configuration.rateLimit == 4.5)
    #expect(configuration.latency == .milliseconds(3) && configuration.behavior.indexDelay == 5)
    #expect(configuration.behavior.filterValues == 6 && configuration.behavior.deleteSelfSources == 7)
    #expect(configuration.behavior.recordNameLength == 8 && configuration.listening.maximumConnections == 9)
    #expect(configuration.bodyLimit == 10 && configuration.assetLimit == 11 && configuration.assetQuota == 12)
    #expect(configuration.signatureLead == .seconds(13) && configuration.uploadLifetime == .zero)
    #expect(configuration.listening.requestTimeout == .milliseconds(14_500))
    #expect(configuration.listening.idleTimeout == .seconds(15))
    #expect(configuration.listening.stopTimeout == .seconds(1_000_000_000))
  }

  @Test("a flag is true or false, and is set where its name says")
  func flags() throws {
    let flags: [(String, WritableKeyPath<EmulatorConfiguration, Bool>)] = [
      ("equalsIgnoresCase", \.behavior.equalsIgnoresCase),
      ("negationFindsMissing", \.behavior.negationFindsMissing),
      ("writeWithoutChangeMakesTag", \.behavior.writeWithoutChangeMakesTag),
      ("justInTimeSchema", \.behavior.justInTimeSchema),
      ("refusesOtherMethods", \.refusesOtherMethods), ("discoversEverybody", \.discoversEverybody),
      ("signInMakesUser", \.signInMakesUser), ("booleansAreIntegers", \.booleansAreIntegers),
      ("uploadsOnce", \.uploadsOnce),
      ("receiptsAreBound", \.receiptsAreBound), ("downloadsAreNamed", \.downloadsAreNamed),
      ("sendsRetryAfterHeader", \.sendsRetryAfterHeader), ("listsAreUntyped", \.record.listsAreUntyped),
      ("timestampsAsStrings", \.record.timestampsAsStrings),
      ("wholeDoublesHaveFraction", \.record.wholeDoublesHaveFraction),
      ("emptyListsAreUntyped", \.record.emptyListsAreUntyped),
    ]
    for (name, path) in flags {
      for value in [true, false] {
        var configuration = EmulatorConfiguration(container: Fixture.container)
        configuration[keyPath: path] = !value
        try configuration.set(option(name), "\(value)")
        #expect(configuration[keyPath: path] == value, "\(name)")
      }
      #expect(refusal(try option(name), "yes") == "\(name) takes false or true, not 'yes'")
    }
  }

  @Test(
    "a choice of words takes these words",
    arguments: [
      ("unindexedType", ["field", "type"]), ("repeatedRecord", ["accept", "refuse"]),
      ("overLimit", ["BAD_REQUEST", "QUOTA_EXCEEDED"]),
      ("unreadableQuery", ["empty", "refuse"]), ("updateOfMissing", ["conflict", "notFound"]),
      ("typeWithoutGrants", ["defaultGrants", "nobody"]), ("fileChecksum", ["sha256", "signature"]),
      ("throttleStatus", ["429", "503"]), ("ranges", ["queryable", "queryableOrSortable"]),
      ("keyAtPrivateDatabase", ["ACCESS_DENIED", "AUTHENTICATION_FAILED", "BAD_REQUEST"]),
    ])
  func words(name: String, words: [String]) throws {
    for word in words { #expect(refusal(try option(name), word) == nil) }
    for word in ["", "x", words[0] + " "] {
      #expect(
        refusal(try option(name), word) == "\(name) takes \(words.joined(separator: " or ")), not '\(word)'")
    }
  }

  @Test("a status is set as its number, and a text in place of another one")
  func texts() throws {
    #expect(try configuration("throttleStatus=429").throttleStatus == 429)
    #expect(try configuration("throttleStatus=503").throttleStatus == 503)
    #expect(try configuration("zoneOwner=_me").zoneOwner == "_me")
    #expect(try configuration("reasons=a->b->c", "reasons=d->=").reasons == ["a": "b->c", "d": "="])
    #expect(
      try configuration("userEndpointsOfKeys=users/caller,users/current").userEndpointsOfKeys == [
        .usersCaller, .usersCurrent,
      ])
    for text in ["zoneOwner=", "reasons=a", "reasons=", "reasons=->b", "userEndpointsOfKeys=users/caller,x"] {
      #expect(refusal(.behavior, text) != nil, "\(text)")
    }
  }

  @Test(
    "a number with a fraction is taken within its range",
    arguments: [
      ("--rate-limit", ["0.001", "1", "1000000"], ["0", "0.0009", "1000000.5", "-1", "nan", "x", ""]),
      ("signatureWindow", ["0", "0.5", "1000000000"], ["-0.5", "1000000001", "inf", "x", ""]),
    ])
  func fractions(name: String, accepted: [String], refused: [String]) throws {
    for text in accepted { #expect(refusal(try option(name), text) == nil, "\(text)") }
    for text in refused { #expect(refusal(try option(name), text) != nil, "\(text)") }
  }

  @Test("a host is a bare name, and an origin has a scheme and a host, or is null")
  func hostsAndOrigins() throws {
    for host in ["a", "a.example", "xn--a"] { #expect(refusal(.allowedHost, host) == nil) }
    for host in ["", "a/b", "a:1", "*", "a@b", "a b"] {
      #expect(refusal(.allowedHost, host) != nil, "\(host)")
    }
    for origin in ["null", "https://a", "http://a.example:8080", "app://x"] {
      #expect(refusal(.allowedOrigin, origin) == nil, "\(origin)")
    }
    for origin in [
      "", "a", "://a", "https://", "https://a/", "https://*.a", "https://u@a", "https://a b", "NULL",
    ] {
      #expect(refusal(.allowedOrigin, origin) != nil, "\(origin)")
    }
    var configuration = EmulatorConfiguration(container: Fixture.container)
    for host in ["a", "b"] { try configuration.set(.allowedHost, host) }
    for origin in ["null", "https://a"] { try configuration.set(.allowedOrigin, origin) }
    #expect(
      configuration.allowedHosts == ["a", "b"] && configuration.allowedOrigins == ["null", "https://a"])
  }

  @Test("a clock is frozen, and ids follow from its time; roles are separated by commas; faults add up")
  func clockRolesAndFaults() throws {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    try configuration.set(.clock, "1970-01-01T00:00:01Z")
    #expect(configuration.clock == .fixed(Timestamp(milliseconds: 1000)) && configuration.seed == 1000)
    #expect(configuration.now() == Timestamp(milliseconds: 1000))
    #expect(refusal(.clock, "soon") == "--clock takes a time such as 2026-01-01T00:00:00Z, not 'soon'")
    try configuration.set(.identityRoles, "A,B")
    #expect(configuration.keyIdentity == .serverKey(roles: ["A", "B"]))
    for fault in ["half", "reset-after"] { try configuration.set(.fault, fault) }
    #expect(configuration.faults.map(\.text) == ["half", "reset-after"])
  }
}
