import Foundation
import Testing

@testable import Catalog

@Suite("Field ownership")
struct FieldOwnershipTests {
  @Test("every field of the shipped schema has an owner, and no other field has")
  func matchesSchema() throws {
    let declared = try declaredFields()
    #expect(declared.count == 8)
    #expect(FieldOwnership.recordTypes == declared.keys.sorted())
    for (recordType, fields) in declared {
      #expect(Set(FieldOwnership.owners(in: recordType).keys) == fields, "\(recordType)")
    }
  }

  @Test("each field has the owner the design gives it")
  func owners() {
    #expect(FieldOwnership.owner(of: "title", in: "PublicFeed") == .editorial)
    #expect(FieldOwnership.owner(of: "subscriberCount", in: "PublicFeed") == .computed(by: .subscribers))
    #expect(FieldOwnership.owner(of: "qualityScore", in: "PublicFeed") == .computed(by: .quality))
    #expect(FieldOwnership.owner(of: "averageRating", in: "FeedMetadata") == .nobody)
    #expect(FieldOwnership.owner(of: "shoeSize", in: "PublicFeed") == nil)
    #expect(FieldOwnership.fields(of: "FeedCollection", ownedBy: .seedAtChange) == ["updatedAt"])
  }

  /// Record type to field names, read by the layout of the canonical file.
  private func declaredFields() throws -> [String: Set<String>] {
    var fields: [String: Set<String>] = [:]
    var recordType: String?
    for line in try String(contentsOf: RepositoryFile.schema, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "RECORD", words.count > 2 {
        recordType = String(words[2])
      } else if let recordType, words.count > 1, !["GRANT", ");"].contains(words[0]),
        !words[0].hasPrefix("\"")
      {
        fields[recordType, default: []].insert(String(words[0]))
      }
    }
    return fields
  }
}
