// Writes a record of every field type to the stub of CloudKit and reads it back.
import CloudKit
import Foundation

@main struct Check {
  static func main() throws {
    let target = RecordName<Every>("other")
    let fields = Every(
      asset: Asset(fileURL: URL(fileURLWithPath: "/tmp/a")), bytes: Data([1, 2]), double: 1.5, everyId: "own",
      flags: [1, 0], int64: 7,
      location: Location(
        latitude: 1, longitude: 2, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6,
        speed: 7,
        timestamp: Date(timeIntervalSince1970: 1_700_000_000)), names: ["a", "b"],
      parent: Reference(target, action: .deleteSelf), secret: "hidden", secrets: ["x"], string_: "text",
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.125))
    let record = CKRecord(recordType: "Every", recordID: CKRecord.ID(recordName: "one"))
    Record(name: RecordName("one"), fields: fields).write(to: record)
    guard record["secret"] == nil, record.encryptedValues["secret"] as? String == "hidden" else {
      fatalError("an encrypted field is not in encryptedValues")
    }
    guard try Record<Every>(record).fields == fields else { fatalError("the fields differ") }
    // What did not change stays the object that it is.
    let place = record["location"] as? CLLocation
    var moved = try Record<Every>(record)
    moved.fields.int64 = 9
    moved.fields.asset?.fileURL = nil
    moved.write(to: record)
    guard let place, record["location"] as? CLLocation === place, record["int64"] as? Int64 == 9,
      record["asset"] is CKAsset
    else { fatalError("a value that did not change was written") }
    Record(name: RecordName("one"), fields: fields).write(to: record)
    try checkAssets()
    checkPlaceWithoutTime()
    try checkStored()
    var update = Every.Update()
    update.string_ = .clear
    update.secret = .clear
    update.int64 = .set(8)
    update.apply(to: record)
    let changed = try Record<Every>(record).fields
    guard changed.string_ == nil, changed.secret == nil, changed.int64 == 8, changed.double == 1.5 else {
      fatalError("the update did something else")
    }
    guard try Record<Every>(Record(name: RecordName("new"), fields: fields).ckRecord()).fields == fields
    else {
      fatalError("a new record has other fields")
    }
    let query = CKQuery(
      Every.self, where: [Every.Query.int64 == 7, Every.Query.names.contains("a")],
      sortedBy: [Every.Query.double.descending])
    print(query.recordType, CKQueryWords.last)
    record["double"] = "text"
    do {
      _ = try Record<Every>(record)
      fatalError("a text was read as a number")
    } catch { print(error) }
  }

  /// A list of files gets one more, and keeps those that are not on this disk.
  static func checkAssets() throws {
    let record = CKRecord(recordType: "Every", recordID: CKRecord.ID(recordName: "one"))
    let (remote, local) = (URL(fileURLWithPath: "/tmp/a"), URL(fileURLWithPath: "/tmp/b"))
    let elsewhere = CKAsset(fileURL: remote)
    elsewhere.fileURL = nil
    record["assets"] = [elsewhere]
    var read = try Record<Every>(record)
    read.fields.assets?.append(Asset(fileURL: local))
    read.write(to: record)
    let assets = record["assets"] as? [CKAsset] ?? []
    guard assets.map(\.fileURL) == [nil, local], assets[0] === elsewhere else {
      fatalError("a list of files lost one: \(assets)")
    }
    read.fields.assets?.append(Asset(fileURL: nil))
    read.write(to: record)
    guard (record["assets"] as? [CKAsset])?.count == 2 else {
      fatalError("a list without a file was written")
    }
  }

  /// A place without a time gets none of the day, and stays as it is when it is written again.
  static func checkPlaceWithoutTime() {
    let record = CKRecord(recordType: "Every", recordID: CKRecord.ID(recordName: "one"))
    let place = Every(location: Location(latitude: 1, longitude: 2))
    Record(name: RecordName("one"), fields: place).write(to: record)
    let written = record["location"] as? CLLocation
    Record(name: RecordName("one"), fields: place).write(to: record)
    guard let written, written.timestamp == Date(timeIntervalSince1970: 0),
      record["location"] as? CLLocation === written
    else { fatalError("a place without a time was written as one of now") }
  }

  /// A record of Web Services with all that a place and an asset can have, and its change of one member.
  static func checkStored() throws {
    let text = #"""
      {"fields":{"asset":{"type":"ASSETID","value":{"downloadURL":"u","fileChecksum":"c","receipt":"r","referenceChecksum":"d","size":2,"wrappingKey":"k"}},"location":{"type":"LOCATION","value":{"altitude":3.5,"course":6.5,"horizontalAccuracy":4.5,"latitude":1.5,"longitude":2.5,"speed":7.5,"timestamp":1700000000125,"verticalAccuracy":5.5}},"places":{"type":"LOCATION_LIST","value":[{"latitude":1.5,"longitude":2.5,"speed":0.5}]}},"recordName":"one","recordType":"Every"}
      """#
    var record = try Record<Every>(JSONDecoder().decode(StoredRecord.self, from: Data(text.utf8)))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    func written() throws -> String { String(decoding: try encoder.encode(record.stored), as: UTF8.self) }
    let kept = try written()
    guard kept == text else { fatalError("the record lost something: \(kept)") }
    record.fields.location?.latitude = 8.5
    let (former, new) = (
      #""latitude":1.5,"longitude":2.5,"speed":7.5"#, #""latitude":8.5,"longitude":2.5,"speed":7.5"#
    )
    let moved = try written()
    guard moved == text.replacing(former, with: new) else {
      fatalError("a moved place lost something: \(moved)")
    }
  }
}
