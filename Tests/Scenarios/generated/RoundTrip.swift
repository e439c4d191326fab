// Reads the lines of `celestra-admin records export`, and writes each record again as a line.
import Foundation

func again<Fields: RecordFields>(_ stored: StoredRecord, as type: Fields.Type) throws -> StoredRecord {
  try Record<Fields>(stored).stored
}

@main struct RoundTrip {
  static func main() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    while let line = readLine() {
      let stored = try JSONDecoder().decode(StoredRecord.self, from: Data(line.utf8))
      let written: StoredRecord
      switch stored.recordType {
      case PublicFeed.recordType: written = try again(stored, as: PublicFeed.self)
      case PublicArticle.recordType: written = try again(stored, as: PublicArticle.self)
      case FeedCategory.recordType: written = try again(stored, as: FeedCategory.self)
      case FeedCollection.recordType: written = try again(stored, as: FeedCollection.self)
      case FeedMetadata.recordType: written = try again(stored, as: FeedMetadata.self)
      default: continue
      }
      print(String(decoding: try encoder.encode(written), as: UTF8.self))
    }
    var stored = StoredRecord(
      recordType: "PublicFeed", recordName: "f", fields: ["title": .string("a"), "future": .int64(1)])
    var update = PublicFeed.Update()
    update.title = .clear
    update.qualityScore = .set(0.5)
    stored.apply(update)
    print(
      "cleared \(stored.fields["title"] == nil) \(stored.cleared.sorted()) kept \(stored.fields["future"] == .int64(1))"
    )
    // The record of an update need not have the fields that it clears.
    var sent = StoredRecord(recordType: "PublicFeed", recordName: "f")
    sent.apply(update)
    let line = try encoder.encode(sent)
    print(String(decoding: line, as: UTF8.self))
    let read = try JSONDecoder().decode(StoredRecord.self, from: line)
    print("the same \(read == sent) without \(try Record<PublicFeed>(read).fields.title == nil)")
    update.title = .set("b")
    sent.apply(update)
    print(String(decoding: try encoder.encode(sent), as: UTF8.self))
    stored.fields["qualityScore"] = .string("high")
    do { _ = try Record<PublicFeed>(stored) } catch { print("error: \(error)") }
    do { _ = try Record<FeedCategory>(stored) } catch { print("error: \(error)") }
  }
}
