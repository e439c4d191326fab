import CloudKitModel
import Diagnostics
import Foundation
import Testing

@testable import Catalog

@Suite("The shipped seeds")
struct ShippedSeedsTests {
  private let loaded = SeedLoader(directory: RepositoryFile.seeds.path).load()

  @Test("they load without a finding")
  func sound() {
    #expect(loaded.diagnostics.map(\.message) == [])
  }

  @Test("the eight categories have the slugs and icons of the source documents")
  func categories() throws {
    let categories = try #require(loaded.catalog).categories
    let icon = try #require(SeedFields.celestra.category.first { $0.key == "icon" })
    #expect(
      categories.map { [$0.slug, $0.values.published(icon)?.string] } == [
        ["general", "newspaper"], ["technology", "laptopcomputer"], ["design", "paintbrush"],
        ["business", "briefcase"], ["news", "globe"], ["entertainment", "tv"], ["science", "flask"],
        ["health", "heart"],
      ])
    #expect(categories.map(\.sortOrder) == Array(1...8))
  }

  @Test(
    "each feed has site, description and tags, a tag stands for three feeds, and five languages for three")
  func feeds() throws {
    let catalog = try #require(loaded.catalog)
    let readme = try String(contentsOf: RepositoryFile.seeds.appending(path: "README.md"), encoding: .utf8)
    // The workflow writes its date into this line. Before a check, no feed can be verified.
    let checked = try #require(readme.firstMatch(of: /(?m)^Last checked against the internet: (\S+)/)?.1)
    #expect(checked != "never" || !catalog.feeds.contains(where: \.isVerified))
    let tags = Dictionary(grouping: catalog.feeds.flatMap(\.tags)) { $0 }
    #expect(tags.filter { $0.value.count < 3 }.keys.sorted() == [])
    let languages = Dictionary(grouping: catalog.feeds, by: \.language).filter { $0.value.count >= 3 }
    #expect(languages.count >= 6)
    for category in catalog.categories {
      #expect(catalog.feeds.count { $0.category == category.slug } >= 8, "\(category.slug)")
    }
    for feed in catalog.feeds {
      #expect(feed.siteURL != nil && feed.values["subtitle"] != nil && !feed.tags.isEmpty, "\(feed.slug)")
    }
    #expect(catalog.feeds.count >= 72)
  }

  @Test("there are at least four collections with a curator")
  func collections() throws {
    let collections = try #require(loaded.catalog).collections
    #expect(collections.count >= 4)
    #expect(collections.allSatisfy { $0.values["curatorName"] != nil && $0.feeds.count >= 5 })
  }

  @Test(
    "the editors' schemas have the keys of the table, with their types, defaults and what is required",
    arguments: [
      ("categories", ["categories", "items"], SeedKind.category), ("feeds", ["feeds", "items"], .feed),
      ("collection", [], .collection),
    ])
  func schemaKeys(file: String, path: [String], kind: SeedKind) throws {
    let root = try editorSchema(file)
    let object = path.isEmpty ? root : try #require(root["properties"]?[path[0]]?[path[1]])
    let rows = SeedFields.celestra[kind]
    let keys = Set(object["properties"]?.object?.members.map(\.key) ?? []).subtracting(["$schema"])
    let ignored = FieldOwnership.owners(in: kind.recordType).filter { $0.value != .editorial }.keys
    #expect(keys == Set(rows.map(\.key)).union(ignored))
    #expect(object["additionalProperties"] == false)
    // The file may give the category of its feeds.
    let required = Set(rows.filter { $0.isRequired && $0.key != "category" }.map(\.key))
    #expect(Set(object["required"]?.strings ?? []) == required)
    for row in rows {
      let property = try #require(object["properties"]?[row.key])
      let isList = row.fieldType == .list(row.fieldType.element)
      let type =
        isList ? "array" : row.form == .flag ? "boolean" : row.form == .integer ? "integer" : "string"
      if row.form != .language {
        let types = property["type"]?.string.map { [$0] } ?? property["type"]?.strings
        #expect(types == (required.contains(row.key) ? [type] : [type, "null"]), "\(row.key)")
      }
      #expect(property["default"] == row.usual, "\(row.key)")
    }
  }

  @Test("the editors' schema lists exactly the languages the loader takes")
  func schemaLanguages() throws {
    let feed = try #require(try editorSchema("feeds")["properties"]?["feeds"]?["items"])
    let codes =
      feed["properties"]?["language"]?["anyOf"]?.array?.first?["enum"]?.array?.compactMap(\.string) ?? []
    #expect(Set(codes) == LanguageCodes.codes)
    #expect(codes.count == LanguageCodes.codes.count)
  }

  private func editorSchema(_ name: String) throws -> JSONValue {
    let file = RepositoryFile.seeds.appending(path: "schemas/\(name).schema.json")
    return try JSONValue(parsing: [UInt8](Data(contentsOf: file)))
  }
}
