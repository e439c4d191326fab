internal import CloudKitModel
internal import LocalContainer
internal import WebServicesWire

/// A choice of behavior or limit that `Documentation/Fidelity.md` lists, by the name with which `--behavior` sets
/// it: `updateWithoutTag=accept`.
public struct EmulatorOption: Sendable {
  public let name: String
  /// A description of the accepted values for messages: `accept or refuse`.
  public let values: String
  private let set: @Sendable (String, inout EmulatorSetup) -> Bool

  /// Applies a choice written `name=value`. Throws ``EmulatorOptionError`` for an unknown name or value.
  public static func apply(_ text: String, to setup: inout EmulatorSetup) throws(EmulatorOptionError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { throw EmulatorOptionError("'\(text)' is not name=value") }
    guard let choice = all.first(where: { $0.name == parts[0] }) else {
      let names = all.map(\.name).joined(separator: ", ")
      throw EmulatorOptionError("'\(parts[0])' is not a behavior; expected one of: \(names)")
    }
    guard choice.set(parts[1], &setup) else {
      throw EmulatorOptionError("\(choice.name) takes \(choice.values), not '\(parts[1])'")
    }
  }
}

/// The error for an unknown name or value of a choice, in words for the user.
public struct EmulatorOptionError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

// MARK: - The table

extension EmulatorOption {
  public static let all: [EmulatorOption] = [
    words(
      "ranges", \.behavior.ranges, [.queryable: "queryable", .queryableOrSortable: "queryableOrSortable"]),
    flag("equalsIgnoresCase", \.behavior.equalsIgnoresCase),
    flag("negationFindsMissing", \.behavior.negationFindsMissing),
    words("unindexedType", \.behavior.unindexedType, [.field: "field", .type: "type"]),
    words("repeatedRecord", \.behavior.repeatedRecord, acceptOrRefuse),
    words(
      "overLimit", \.behavior.overLimit, [.badRequest: "BAD_REQUEST", .quotaExceeded: "QUOTA_EXCEEDED"]),
    words("largeResultsLimit", \.behavior.largeResultsLimit, acceptOrRefuse),
    number("filterValues", \.behavior.filterValues, 0...10_000),
    words("unreadableQuery", \.behavior.unreadableQuery, [.refuse: "refuse", .empty: "empty"]),
    words("updateWithoutTag", \.behavior.updateWithoutTag, acceptOrRefuse),
    words("updateOfMissing", \.behavior.updateOfMissing, [.conflict: "conflict", .notFound: "notFound"]),
    flag("writeWithoutChangeMakesTag", \.behavior.writeWithoutChangeMakesTag),
    flag("justInTimeSchema", \.behavior.justInTimeSchema),
    number("indexDelay", \.behavior.indexDelay, 0...3_600_000, "milliseconds"),
    words(
      "typeWithoutGrants", \.behavior.typeWithoutGrants,
      [.defaultGrants: "defaultGrants", .nobody: "nobody"]),
    words("fieldTypeChange", \.behavior.fieldTypeChange, acceptOrRefuse),
    words("omittedUsersType", \.behavior.omittedUsersType, acceptOrRefuse),
    number("deleteSelfSources", \.behavior.deleteSelfSources, 0...1_000_000),
    number("recordNameLength", \.behavior.recordNameLength, 1...65_536, "bytes"),
    seconds("signatureWindow", \.configuration.signatureWindow),
    seconds("signatureLead", \.configuration.signatureLead),
    words(
      "keyAtPrivateDatabase", \.configuration.keyAtPrivateDatabase,
      [
        .authenticationFailed: "AUTHENTICATION_FAILED", .accessDenied: "ACCESS_DENIED",
        .badRequest: "BAD_REQUEST",
      ]),
    flag("refusesOtherMethods", \.configuration.refusesOtherMethods),
    flag("discoversEverybody", \.configuration.discoversEverybody),
    flag("signInMakesUser", \.configuration.signInMakesUser),
    flag("booleansAreIntegers", \.configuration.booleansAreIntegers),
    flag("uploadsOnce", \.configuration.uploadsOnce),
    flag("receiptsAreBound", \.configuration.receiptsAreBound),
    flag("downloadsAreNamed", \.configuration.downloadsAreNamed),
    words("throttleStatus", \.configuration.throttleStatus, [429: "429", 503: "503"]),
    flag("sendsRetryAfterHeader", \.configuration.sendsRetryAfterHeader),
    flag("listsAreUntyped", \.configuration.record.listsAreUntyped),
    flag("timestampsAsStrings", \.configuration.record.timestampsAsStrings),
    flag("wholeDoublesHaveFraction", \.configuration.record.wholeDoublesHaveFraction),
    EmulatorOption(name: "zoneOwner", values: "a record name") {
      guard !$0.isEmpty else { return false }
      $1.configuration.zoneOwner = $0
      return true
    },
    EmulatorOption(name: "reasons", values: "a text in refusals, -> and another one") {
      let parts = $0.split(separator: "->", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return false }
      $1.configuration.reasons[parts[0]] = parts[1]
      return true
    },
    seconds("uploadLifetime", \.configuration.uploadLifetime),
    seconds("requestTimeout", \.listening.requestTimeout),
    seconds("idleTimeout", \.listening.idleTimeout),
    seconds("stopTimeout", \.listening.stopTimeout),
    number("maximumConnections", \.listening.maximumConnections, 1...1_000_000),
    number("bodyLimit", \.configuration.bodyLimit, 0...1 << 30, "bytes"),
    number("assetLimit", \.configuration.assetLimit, 0...1 << 30, "bytes"),
    number("assetQuota", \.configuration.assetQuota, 0...1 << 40, "bytes"),
    flag("emptyListsAreUntyped", \.configuration.record.emptyListsAreUntyped),
    EmulatorOption(name: "userEndpointsOfKeys", values: "operations separated by commas, or nothing") {
      let endpoints = $0.split(separator: ",").map { Endpoint(rawValue: String($0)) }
      guard !endpoints.contains(nil) else { return false }
      $1.configuration.userEndpointsOfKeys = Set(endpoints.compactMap(\.self))
      return true
    },
  ]

  private typealias Path<Value> = any WritableKeyPath<EmulatorSetup, Value> & Sendable

  private static var acceptOrRefuse: [ServerBehavior.Choice: String] {
    [.accept: "accept", .refuse: "refuse"]
  }

  private static func words<Value: Hashable & Sendable>(
    _ name: String, _ path: Path<Value>, _ words: [Value: String]
  ) -> EmulatorOption {
    EmulatorOption(name: name, values: words.values.sorted().joined(separator: " or ")) { text, setup in
      guard let value = words.first(where: { $0.value == text })?.key else { return false }
      setup[keyPath: path] = value
      return true
    }
  }

  private static func flag(_ name: String, _ path: Path<Bool>) -> EmulatorOption {
    words(name, path, [true: "true", false: "false"])
  }

  private static func number<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ path: Path<Value>, _ range: ClosedRange<Value>, _ unit: String? = nil
  ) -> EmulatorOption {
    let kind = unit.map { "a number of \($0)" } ?? "a whole number"
    return EmulatorOption(name: name, values: "\(kind), \(range.lowerBound) to \(range.upperBound)") {
      guard let value = Value($0), range.contains(value) else { return false }
      $1[keyPath: path] = value
      return true
    }
  }

  private static func seconds(_ name: String, _ path: Path<Duration>) -> EmulatorOption {
    EmulatorOption(name: name, values: "a number of seconds") {
      guard let value = Double($0), (0...1_000_000_000).contains(value) else { return false }
      $1[keyPath: path] = .seconds(value)
      return true
    }
  }
}
