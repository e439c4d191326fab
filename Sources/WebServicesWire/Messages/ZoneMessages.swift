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

/// An entry of `zones/list`, `zones/lookup` and `zones/modify` replies.
public struct Zone: WireMessage, Hashable {
  public var zoneID: ZoneID
  public var atomic: Bool
  public var syncToken: String?

  public init(zoneID: ZoneID, atomic: Bool, syncToken: String? = nil) {
    self.zoneID = zoneID
    self.atomic = atomic
    self.syncToken = syncToken
  }

  public init(json: JSONValue) throws(WireFormatError) {
    zoneID = try json.require("zoneID", json.zoneID())
    atomic = try json.bool("atomic") ?? false
    syncToken = try json.string("syncToken")
  }

  public var json: JSONValue {
    var object: JSONObject = ["zoneID": zoneID.json]
    object.set("syncToken", syncToken)
    object["atomic"] = .bool(atomic)
    return .object(object)
  }
}

/// The body of a `zones/lookup` request.
public struct ZonesLookupMessage: WireMessage, Hashable {
  public var zones: [ZoneID]

  public init(_ zones: [ZoneID]) { self.zones = zones }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let zones = try json.list("zones") { zone throws(WireFormatError) in try ZoneID(json: zone) }
    self.zones = try json.require("zones", zones)
  }

  public var json: JSONValue { ["zones": .array(zones.map(\.json))] }
}

/// The body of a `changes/zone` or `records/changes` request
/// (Documentation/reference/web-services.md#zones-and-changes). Contains only what the public database needs, which
/// keeps no changes.
public struct ZoneChangesMessage: WireMessage, Hashable {
  /// `nil` when the request names one zone, or none, at its top.
  public var zones: [ZoneID?]?
  public var zoneID: ZoneID?

  public init(_ zoneID: ZoneID? = nil, zones: [ZoneID?]? = nil) {
    self.zoneID = zoneID
    self.zones = zones
  }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    self.init(
      try json.zoneID(),
      zones: try json.list("zones") { zone throws(WireFormatError) in
        try zone.requireObject()
        return try zone.zoneID()
      })
  }

  public var json: JSONValue {
    var object = JSONObject()
    object["zoneID"] = zoneID?.json
    object["zones"] = zones.map { .array($0.map { ["zoneID": $0?.json ?? nil] }) }
    return .object(object)
  }
}

/// The body of a `zones/…` reply: zones and refusals, in the order asked.
public struct ZonesReply: WireMessage, Hashable {
  /// A zone, or why the server refused it.
  public enum Entry: Sendable, Hashable {
    case zone(Zone)
    case failed(ZoneID?, ServerError)
  }

  public var zones: [Entry]

  public init(_ zones: [Entry]) { self.zones = zones }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let zones = try json.list("zones") { entry throws(WireFormatError) -> Entry in
      if let error = ServerError(errorDictionary: entry) { return .failed(try entry.zoneID(), error) }
      return .zone(try Zone(json: entry))
    }
    self.zones = try json.require("zones", zones)
  }

  public var json: JSONValue {
    let entries = zones.map { entry in
      switch entry {
      case .zone(let zone): zone.json
      case .failed(let zoneID, let error): error.errorDictionary(for: "zoneID", zoneID?.json)
      }
    }
    return ["zones": .array(entries)]
  }
}
