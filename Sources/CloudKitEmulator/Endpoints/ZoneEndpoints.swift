internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

/// Operations on zones and changes in the public database, most of which it refuses
/// (Documentation/reference/web-services.md#zones-and-changes).
extension Emulator {
  var defaultZone: ZoneID {
    ZoneID(ZoneID.defaultName, ownerRecordName: configuration.zoneOwner, zoneType: "DEFAULT_ZONE")
  }

  static let notInPublicDatabase = ServiceRefusal(
    .badRequest, "endpoint not applicable in the database type 'publicdb'",
    "zones and changes belong to private and shared databases")

  static let defaultZoneHasNoChanges = ServiceRefusal(
    .badRequest, "cannot get changes in default zone",
    "the public database keeps no change history; query by modifiedTimestamp instead")

  func zonesLookup(_ exchange: EndpointRequest) throws -> EndpointReply {
    let entries = try ZonesLookupMessage(json: exchange.body).zones.map { zoneID in
      do throws(ServiceRefusal) {
        try Self.checkZone(zoneID)
        return ZonesReply.Entry.zone(defaultZone)
      } catch {
        return .failed(zoneID, error.error)
      }
    }
    return EndpointReply(ZonesReply(entries).json)
  }

  /// The refusal of `changes/zone`: one error for the default zone, another for an unknown zone.
  func recordChanges(_ exchange: EndpointRequest) throws -> ServiceRefusal {
    try Self.checkZone(ZoneChangesMessage(json: exchange.body).zoneID)
    return Self.defaultZoneHasNoChanges
  }

  /// Returns a refusal for each zone in a reply with HTTP 200
  /// (Documentation/reference/web-services.md#zones-and-changes).
  func zoneChanges(_ exchange: EndpointRequest) throws -> EndpointReply {
    let message = try ZoneChangesMessage(json: exchange.body)
    guard let zones = message.zones else { throw try recordChanges(exchange) }
    let entries = zones.map { zoneID in
      let zoneID = zoneID ?? .default
      do throws(ServiceRefusal) {
        try Self.checkZone(zoneID)
        return ZonesReply.Entry.failed(zoneID, Self.defaultZoneHasNoChanges.error)
      } catch {
        return .failed(zoneID, error.error)
      }
    }
    return EndpointReply(
      ZonesReply(entries).json, explanation: Self.defaultZoneHasNoChanges.explanation)
  }
}
