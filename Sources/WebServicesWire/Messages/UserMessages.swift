public import Diagnostics

/// The reply of `users/caller`: a user. Its record name is never shown.
public struct CallerReply: WireMessage, Hashable {
  public var userRecordName: String
  public var firstName: String?
  public var lastName: String?

  public init(userRecordName: String, firstName: String? = nil, lastName: String? = nil) {
    self.userRecordName = userRecordName
    self.firstName = firstName
    self.lastName = lastName
  }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    self.init(
      userRecordName: try json.requiredString("userRecordName"), firstName: try json.string("firstName"),
      lastName: try json.string("lastName"))
  }

  public var json: JSONValue {
    var object: JSONObject = ["userRecordName": .string(userRecordName)]
    object.set("firstName", firstName)
    object.set("lastName", lastName)
    return .object(object)
  }
}

extension CallerReply: CustomStringConvertible {
  public var description: String { "CallerReply([redacted])" }
}

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
public struct PushTokenMessage: WireMessage, Hashable {
  /// The environment of Apple's push service.
  public enum PushEnvironment: String, Sendable, Hashable, CaseIterable { case development, production }

  public var apnsEnvironment: PushEnvironment
  /// Only for `register`.
  public var apnsToken: String?

  public init(_ apnsEnvironment: PushEnvironment, apnsToken: String? = nil) {
    self.apnsEnvironment = apnsEnvironment
    self.apnsToken = apnsToken
  }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let environment = try json.word("apnsEnvironment", as: PushEnvironment.self)
    self.init(
      try json.require("apnsEnvironment", environment), apnsToken: try json.string("apnsToken"))
  }

  public var json: JSONValue {
    var object: JSONObject = ["apnsEnvironment": .string(apnsEnvironment.rawValue)]
    object.set("apnsToken", apnsToken)
    return .object(object)
  }
}
