package import CloudKitModel
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
  package let apnsEnvironment: Environment
  /// Only for `register`.
  package let apnsToken: String?

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let environment = try json.word("apnsEnvironment", as: Environment.self)
    apnsEnvironment = try json.require("apnsEnvironment", environment)
    apnsToken = try json.string("apnsToken")
  }
}

/// A record zone. The public database has only the default one.
package struct ZoneID: Sendable, Hashable {
  package static let defaultName = "_defaultZone"
  package static let `default` = ZoneID(defaultName)

  package var zoneName: String
  package var ownerRecordName: String?
  package var zoneType: String?

  package init(_ zoneName: String, ownerRecordName: String? = nil, zoneType: String? = nil) {
    self.zoneName = zoneName
    self.ownerRecordName = ownerRecordName
    self.zoneType = zoneType
  }

  package var isDefault: Bool { zoneName == Self.defaultName }
}

extension ZoneID: WireMessage {
  package init(json: JSONValue) throws(WireFormatError) {
    self.init(
      try json.requiredString("zoneName"), ownerRecordName: try json.string("ownerRecordName"),
      zoneType: try json.string("zoneType"))
  }

  package var json: JSONValue {
    .object([
      "zoneName": zoneName.json, "ownerRecordName": ownerRecordName?.json, "zoneType": zoneType?.json,
    ])
  }
}

extension JSONValue {
  func zoneID() throws(WireFormatError) -> ZoneID? {
    try member("zoneID", ZoneID.init(json:))
  }
}

package struct ZonesLookupMessage: Sendable, Hashable {
  package let zones: [ZoneID]

  package init(json: JSONValue) throws(WireFormatError) {
    zones = try json.requiredList("zones", ZoneID.init(json:))
  }
}

/// The body of a `changes/zone` or `records/changes` request
/// (Documentation/reference/web-services.md#zones-and-changes). Contains only what the public database needs, which
/// keeps no changes.
package struct ZoneChangesMessage: Sendable, Hashable {
  /// `nil` when the request names one zone, or none, at its top.
  package let zones: [ZoneID?]?
  package let zoneID: ZoneID?

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    zoneID = try json.zoneID()
    zones = try json.list("zones") { zone throws(WireFormatError) in
      try zone.requireObject()
      return try zone.zoneID()
    }
  }
}
