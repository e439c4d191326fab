// Writes a record of every field type to the stub of CloudKit and reads it back.
import CloudKit
import Foundation

@main struct Check {
  static func main() throws {
    let target = RecordName<Every>("other")
    let fields = Every(
      asset: Asset(fileURL: URL(fileURLWithPath: "/tmp/a")), bytes: Data([1, 2]), double: 1.5, everyId: "own",
      flags: [1, 0], int64: 7, location: Location(latitude: 1, longitude: 2), names: ["a", "b"],
      parent: Reference(target, action: .deleteSelf), secret: "hidden", secrets: ["x"], string_: "text",
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.125))
    let record = CKRecord(recordType: "Every", recordID: CKRecord.ID(recordName: "one"))
    Record(name: RecordName("one"), fields: fields).write(to: record)
    guard record["secret"] == nil, record.encryptedValues["secret"] as? String == "hidden" else {
      fatalError("an encrypted field is not in encryptedValues")
    }
    guard try Record<Every>(record).fields == fields else { fatalError("the fields differ") }
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
}
