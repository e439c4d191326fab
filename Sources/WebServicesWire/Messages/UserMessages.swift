package import Diagnostics

/// The body of a `users/discover` (`lookupInfos`) or `users/lookup/…` (`users`) request. Keeps only the record names:
/// e-mail addresses and phone numbers find no users here.
package struct UsersLookupMessage: Sendable, Hashable {
  /// `nil` if the user is looked up by something else.
  package var userRecordNames: [String?]

  package init(json: JSONValue) throws(WireFormatError) {
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
package struct PushTokenMessage: Sendable, Hashable {
  package enum PushEnvironment: String, Sendable, Hashable, CaseIterable { case development, production }

  package let apnsEnvironment: PushEnvironment
  /// Only for `register`.
  package let apnsToken: String?

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let environment = try json.word("apnsEnvironment", as: PushEnvironment.self)
    apnsEnvironment = try json.require("apnsEnvironment", environment)
    apnsToken = try json.string("apnsToken")
  }
}
