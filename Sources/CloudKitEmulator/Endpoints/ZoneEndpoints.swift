internal import CloudKitModel
internal import LocalContainer
internal import PositionedJSON
internal import WebServicesWire

/// Zones and changes as a caller meets them in the public database (web-services.md section 2).
extension Emulator {
  static let defaultZone = Zone(
    zoneID: ZoneID(
      ZoneID.defaultName, ownerRecordName: "_defaultOwner", zoneType: "DEFAULT_ZONE"), atomic: false)

  static let notInPublicDatabase = Refusal(
    ServerError(.badRequest, "endpoint not applicable in the database type 'publicdb'"),
    "zones and changes belong to private and shared databases")

  static let defaultZoneHasNoChanges = Refusal(
    ServerError(.badRequest, "cannot get changes in default zone"),
    "the public database keeps no change history; query by modifiedTimestamp instead")

  func zonesLookup(_ exchange: Exchange) throws -> Answer {
    let entries = try ZonesLookupMessage(json: exchange.body).zones.map { zoneID in
      zoneID.isDefault
        ? ZonesReply.Entry.zone(Self.defaultZone)
        : .failed(zoneID, ServerError(.zoneNotFound, "Zone '\(zoneID.zoneName)' does not exist"))
    }
    return Answer(ZonesReply(entries).json)
  }

  /// Each zone's refusal stands in its place inside HTTP 200 (web-services.md section 2).
  func zoneChanges(_ exchange: Exchange) throws -> Answer {
    guard let zones = exchange.body["zones"]?.array else { throw Self.defaultZoneHasNoChanges }
    let entries = try zones.map { json in
      let zoneID = try json["zoneID"].map { zone throws(WireFormatError) in try ZoneID(json: zone) }
      guard zoneID?.isDefault ?? true else {
        return ZonesReply.Entry.failed(zoneID, ServerError(.zoneNotFound, "Zone does not exist"))
      }
      return .failed(zoneID, Self.defaultZoneHasNoChanges.error)
    }
    return Answer(
      ZonesReply(entries).json, explanation: Self.defaultZoneHasNoChanges.explanation)
  }
}
