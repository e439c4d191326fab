public import CloudKitModel
public import Diagnostics

/// A record zone. The public database has only the default one.
public struct ZoneID: Sendable, Hashable {
  public static let defaultName = "_defaultZone"
  public static let `default` = ZoneID(defaultName)

  public var zoneName: String
  public var ownerRecordName: String?
  public var zoneType: String?

  public init(_ zoneName: String, ownerRecordName: String? = nil, zoneType: String? = nil) {
    self.zoneName = zoneName
    self.ownerRecordName = ownerRecordName
    self.zoneType = zoneType
  }

  public var isDefault: Bool { zoneName == Self.defaultName }
}

extension ZoneID: WireMessage {
  public init(json: JSONValue) throws(WireFormatError) {
    self.init(
      try json.requiredString("zoneName"), ownerRecordName: try json.string("ownerRecordName"),
      zoneType: try json.string("zoneType"))
  }

  public var json: JSONValue {
    var object: JSONObject = ["zoneName": .string(zoneName)]
    object.set("ownerRecordName", ownerRecordName)
    object.set("zoneType", zoneType)
    return .object(object)
  }
}

extension JSONValue {
  /// The `zoneID` that nearly every request may have.
  func zoneID() throws(WireFormatError) -> ZoneID? {
    try member("zoneID") { json throws(WireFormatError) in try ZoneID(json: json) }
  }
}

/// The body of a `zones/lookup` request.
public struct ZonesLookupMessage: Sendable, Hashable {
  public let zones: [ZoneID]

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let zones = try json.list("zones") { zone throws(WireFormatError) in try ZoneID(json: zone) }
    self.zones = try json.require("zones", zones)
  }
}

/// The body of a `changes/zone` or `records/changes` request
/// (Documentation/reference/web-services.md#zones-and-changes). Contains only what the public database needs, which
/// keeps no changes.
public struct ZoneChangesMessage: Sendable, Hashable {
  /// `nil` when the request names one zone, or none, at its top.
  public let zones: [ZoneID?]?
  public let zoneID: ZoneID?

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    zoneID = try json.zoneID()
    zones = try json.list("zones") { zone throws(WireFormatError) in
      try zone.requireObject()
      return try zone.zoneID()
    }
  }
}

/// The body of a `zones/…` reply: zones and refusals, in the order asked.
public struct ZonesReply: Sendable, Hashable {
  /// A zone, or why the server refused it.
  public enum Entry: Sendable, Hashable {
    case zone(ZoneID)
    case failed(ZoneID?, ServerError)
  }

  public var zones: [Entry]

  public init(_ zones: [Entry]) { self.zones = zones }

  public var json: JSONValue {
    let entries = zones.map { entry -> JSONValue in
      switch entry {
      case .zone(let zoneID): ["zoneID": zoneID.json, "atomic": false]
      case .failed(let zoneID, let error): error.errorDictionary(for: "zoneID", zoneID?.json)
      }
    }
    return ["zones": .array(entries)]
  }
}
