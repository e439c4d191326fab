public import Diagnostics

/// The body of a `users/discover` (`lookupInfos`) or `users/lookup/…` (`users`) request. Keeps only the record names:
/// e-mail addresses and phone numbers find no users here.
public struct UsersLookupMessage: Sendable, Hashable {
  /// `nil` if the user is looked up by something else.
  public var userRecordNames: [String?]

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let key = json["lookupInfos"] == nil ? "users" : "lookupInfos"
    let names = try json.list(key) { info throws(WireFormatError) in
      try info.requireObject()
      for address in ["emailAddress", "phoneNumber"] { _ = try info.string(address) }
      return try info.string("userRecordName")
    }
    userRecordNames = try json.require(key, names)
  }
}

/// Bodies of `tokens/create` and `tokens/register` requests, which live under `/device`
/// (Documentation/reference/web-services.md#push-tokens).
public struct PushTokenMessage: Sendable, Hashable {
  /// The environment of Apple's push service.
  public enum PushEnvironment: String, Sendable, Hashable, CaseIterable { case development, production }

  public let apnsEnvironment: PushEnvironment
  /// Only for `register`.
  public let apnsToken: String?

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let environment = try json.word("apnsEnvironment", as: PushEnvironment.self)
    apnsEnvironment = try json.require("apnsEnvironment", environment)
    apnsToken = try json.string("apnsToken")
  }
}
