internal import CloudKitModel
internal import LocalContainer
internal import Platform
internal import WebServicesWire

package struct EmulatorOption: Sendable {
  package let name: String
  /// A description of the accepted values for messages: `accept or refuse`.
  package let values: String
  /// Sets the value. Returns false for text that is not one of ``values``.
  fileprivate let set: @Sendable (String, inout EmulatorConfiguration) throws(EmulatorOptionError) -> Bool
}

extension EmulatorConfiguration {
  package mutating func set(_ option: EmulatorOption, _ text: String) throws(EmulatorOptionError) {
    guard try option.set(text, &self) else {
      throw EmulatorOptionError("\(option.name) takes \(option.values), not '\(text)'")
    }
  }
}

package struct EmulatorOptionError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

// MARK: - The command line

extension EmulatorOption {
  package static let port = number("--port", \.port, 0...65_535)
  package static let indexDelay = number(
    "--index-delay", \.behavior.indexDelay, 0...3_600_000, "milliseconds")
  package static let pageSize = number("--page-size", \.pageSize, 1...200)
  package static let latency = value("--latency", \.latency, "a number of milliseconds, 0 to 600000") {
    Int($0).flatMap { (0...600_000).contains($0) ? Duration.milliseconds($0) : nil }
  }
  package static let rateLimit = EmulatorOption(name: "--rate-limit", values: "a number, 0.001 to 1000000") {
    guard let value = Double($0), (0.001...1_000_000).contains(value) else { return false }
    $1.rateLimit = value
    return true
  }
  /// Freezes the clock and derives all ids from its time, so that two runs write the same bytes.
  package static let clock = EmulatorOption(name: "--clock", values: "a time such as 2026-01-01T00:00:00Z") {
    guard let time = UTCTime.clock($0).map(Timestamp.init(milliseconds:)) else { return false }
    $1.now = { time }
    $1.seed = UInt64(bitPattern: time.milliseconds)
    return true
  }
  package static let identityRoles = EmulatorOption(name: "--identity-roles", values: "roles") {
    $1.keyIdentity = .serverKey(roles: roles($0))
    return true
  }
  package static func roles(_ text: String) -> Set<String> {
    Set(text.split(separator: ",").map(String.init))
  }
  package static let allowedHost = EmulatorOption(
    name: "--allowed-host", values: "a host name without scheme and port"
  ) {
    guard !$0.isEmpty, !$0.contains(where: { "/:*@ ".contains($0) }) else { return false }
    $1.allowedHosts.insert($0)
    return true
  }
  /// A scheme, a host and perhaps a port, as browsers send it; pages without a host send `null`.
  package static let allowedOrigin = EmulatorOption(
    name: "--allowed-origin", values: "an origin such as https://app.example"
  ) {
    let parts = $0.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    let isOrigin = parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
    guard $0 == "null" || isOrigin && !parts[1].contains(where: { "/*@ ".contains($0) }) else { return false }
    $1.allowedOrigins.insert($0)
    return true
  }
  package static let fault = EmulatorOption(name: "--fault", values: "a fault rule") {
    text, configuration throws(EmulatorOptionError) in
    configuration.faults.append(try FaultRule(parsing: text))
    return true
  }
  /// One of ``behaviors``, written `name=value`.
  package static let behavior = EmulatorOption(name: "--behavior", values: "name=value") {
    text, configuration throws(EmulatorOptionError) in
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw EmulatorOptionError("'\(text)' is not name=value") }
    guard let choice = behaviors.first(where: { $0.name == parts[0] }) else {
      let names = behaviors.map(\.name).joined(separator: ", ")
      throw EmulatorOptionError("'\(parts[0])' is not a behavior; expected one of: \(names)")
    }
    try configuration.set(choice, parts[1])
    return true
  }

  // MARK: - The table of behaviors

  /// The choices of behavior and limits that `Documentation/Fidelity.md` lists, by the name with which `--behavior`
  /// sets them: `updateWithoutTag=accept`.
  package static let behaviors: [EmulatorOption] = [
    choice("ranges", \.behavior.ranges),
    flag("equalsIgnoresCase", \.behavior.equalsIgnoresCase),
    flag("negationFindsMissing", \.behavior.negationFindsMissing),
    choice("unindexedType", \.behavior.unindexedType),
    choice("repeatedRecord", \.behavior.repeatedRecord),
    words(
      "overLimit", \.behavior.overLimit, [.badRequest: "BAD_REQUEST", .quotaExceeded: "QUOTA_EXCEEDED"]),
    choice("largeResultsLimit", \.behavior.largeResultsLimit),
    number("filterValues", \.behavior.filterValues, 0...10_000),
    choice("unreadableQuery", \.behavior.unreadableQuery),
    choice("subscriptionPredicate", \.behavior.subscriptionPredicate),
    choice("updateWithoutTag", \.behavior.updateWithoutTag),
    choice("deleteWithoutTag", \.behavior.deleteWithoutTag),
    words("updateOfMissing", \.behavior.updateOfMissing, [.conflict: "conflict", .notFound: "notFound"]),
    flag("writeWithoutChangeMakesTag", \.behavior.writeWithoutChangeMakesTag),
    flag("justInTimeSchema", \.behavior.justInTimeSchema),
    number("indexDelay", \.behavior.indexDelay, 0...3_600_000, "milliseconds"),
    choice("typeWithoutGrants", \.behavior.typeWithoutGrants),
    choice("fieldTypeChange", \.behavior.fieldTypeChange),
    choice("omittedUsersType", \.behavior.omittedUsersType),
    number("deleteSelfSources", \.behavior.deleteSelfSources, 0...1_000_000),
    number("recordNameLength", \.behavior.recordNameLength, 1...65_536, "bytes"),
    seconds("signatureWindow", \.signatureWindow),
    seconds("signatureLead", \.signatureLead),
    words(
      "keyAtPrivateDatabase", \.keyAtPrivateDatabase,
      [
        .authenticationFailed: "AUTHENTICATION_FAILED", .accessDenied: "ACCESS_DENIED",
        .badRequest: "BAD_REQUEST",
      ]),
    flag("refusesOtherMethods", \.refusesOtherMethods),
    flag("discoversEverybody", \.discoversEverybody),
    flag("signInMakesUser", \.signInMakesUser),
    flag("booleansAreIntegers", \.booleansAreIntegers),
    flag("callerInList", \.callerInList),
    flag("oneMayStandForList", \.oneMayStandForList),
    flag("uploadsOnce", \.uploadsOnce),
    flag("receiptsAreBound", \.receiptsAreBound),
    flag("downloadsAreNamed", \.downloadsAreNamed),
    choice("fileChecksum", \.fileChecksum),
    words("throttleStatus", \.throttleStatus, [429: "429", 503: "503"]),
    flag("sendsRetryAfterHeader", \.sendsRetryAfterHeader),
    flag("listsAreUntyped", \.record.listsAreUntyped),
    flag("timestampsAsStrings", \.record.timestampsAsStrings),
    flag("wholeDoublesHaveFraction", \.record.wholeDoublesHaveFraction),
    value("zoneOwner", \.zoneOwner, "a record name") { $0.isEmpty ? nil : $0 },
    EmulatorOption(name: "reasons", values: "a text in refusals, -> and another one") {
      let parts = $0.split(separator: "->", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return false }
      $1.reasons[parts[0]] = parts[1]
      return true
    },
    seconds("uploadLifetime", \.uploadLifetime),
    seconds("requestTimeout", \.listening.requestTimeout),
    seconds("idleTimeout", \.listening.idleTimeout),
    seconds("stopTimeout", \.listening.stopTimeout),
    number("maximumConnections", \.listening.maximumConnections, 1...1_000_000),
    number("bodyLimit", \.bodyLimit, 0...1 << 30, "bytes"),
    number("assetLimit", \.assetLimit, 0...1 << 30, "bytes"),
    number("assetQuota", \.assetQuota, 0...1 << 40, "bytes"),
    flag("emptyListsAreUntyped", \.record.emptyListsAreUntyped),
    value("userEndpointsOfKeys", \.userEndpointsOfKeys, "operations separated by commas, or nothing") {
      let endpoints = $0.split(separator: ",").map { Endpoint(rawValue: String($0)) }
      return endpoints.contains(nil) ? nil : Set(endpoints.compactMap(\.self))
    },
  ]

  private typealias Path<Value> = any WritableKeyPath<EmulatorConfiguration, Value> & Sendable

  /// - Parameter read: the value that a text stands for; `nil` for text that is not one of `values`.
  private static func value<Value: Sendable>(
    _ name: String, _ path: Path<Value>, _ values: String, _ read: @escaping @Sendable (String) -> Value?
  ) -> EmulatorOption {
    EmulatorOption(name: name, values: values) {
      guard let value = read($0) else { return false }
      $1[keyPath: path] = value
      return true
    }
  }

  private static func words<Value: Hashable & Sendable>(
    _ name: String, _ path: Path<Value>, _ words: [Value: String]
  ) -> EmulatorOption {
    value(name, path, words.values.sorted().joined(separator: " or ")) { text in
      words.first { $0.value == text }?.key
    }
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
    _ name: String, _ path: Path<Value>
  ) -> EmulatorOption {
    words(name, path, Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0, $0.rawValue) }))
  }

  private static func flag(_ name: String, _ path: Path<Bool>) -> EmulatorOption {
    words(name, path, [true: "true", false: "false"])
  }

  private static func number<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ path: Path<Value>, _ range: ClosedRange<Value>, _ unit: String? = nil
  ) -> EmulatorOption {
    let kind = unit.map { "a number of \($0)" } ?? "a whole number"
    return value(name, path, "\(kind), \(range.lowerBound) to \(range.upperBound)") {
      Value($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func seconds(_ name: String, _ path: Path<Duration>) -> EmulatorOption {
    value(name, path, "a number of seconds") {
      Double($0).flatMap { (0...1_000_000_000).contains($0) ? Duration.seconds($0) : nil }
    }
  }
}
