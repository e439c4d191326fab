import SchemaLanguage
import Testing

@testable import Catalog

@Suite("Field ownership")
struct FieldOwnershipTests {
  @Test("every field of the shipped schema has an owner, and no other field has")
  func matchesSchema() throws {
    let schema = try RepositoryFile.shippedSchema()
    let owned = CatalogRecordTypeRules.all.filter { !$0.owners.isEmpty }.map(\.recordType)
    #expect(owned.sorted() == schema.recordTypes.map(\.name).sorted())
    for recordType in schema.recordTypes {
      let declared = recordType.fields.map(\.name).filter { !$0.hasPrefix("___") }
      #expect(FieldOwnership.owners(in: recordType.name).keys.sorted() == declared.sorted())
    }
  }

  @Test("each field has the owner the design gives it")
  func owners() {
    #expect(FieldOwnership.owner(of: "title", in: "PublicFeed") == .editorial)
    #expect(FieldOwnership.owner(of: "subscriberCount", in: "PublicFeed") == .computed(by: .subscribers))
    #expect(FieldOwnership.owner(of: "qualityScore", in: "PublicFeed") == .computed(by: .quality))
    #expect(FieldOwnership.owner(of: "averageRating", in: "FeedMetadata") == .unused)
    #expect(FieldOwnership.owner(of: "shoeSize", in: "PublicFeed") == nil)
    #expect(FieldOwnership.fields(of: "FeedCollection", ownedBy: .seedAtChange) == ["updatedAt"])
  }
}
