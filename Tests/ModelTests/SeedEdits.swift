import Catalog
import CloudKitModel
import Diagnostics
import Foundation

/// What editors do to the seed files.
extension CatalogWorld {
  var seedFolder: String { "\(folder)/seeds" }

  /// Writes the files and returns the findings of an editor's mistake; then nothing is changed.
  func commit(_ edited: SeedCatalog) throws -> Bool {
    try write(edited)
    if let loaded = SeedLoader(directory: seedFolder).load().catalog {
      catalog = loaded
      return true
    }
    try write(catalog)
    return false
  }

  func write(_ catalog: SeedCatalog) throws {
    let files = FileManager.default
    if files.fileExists(atPath: seedFolder) { try files.removeItem(atPath: seedFolder) }
    for name in ["feeds", "collections"] {
      try files.createDirectory(atPath: "\(seedFolder)/\(name)", withIntermediateDirectories: true)
    }
    func write(_ value: JSONValue, _ name: String) throws {
      try Data(value.bytes(.pretty)).write(to: URL(filePath: "\(seedFolder)/\(name)"))
    }
    func entries(_ kind: SeedKind) -> [JSONValue] {
      catalog.entries(kind).map { .object($0.values.json(of: kind)) }
    }
    try write(["categories": .array(entries(.category))], "categories.json")
    try write(["category": "c1", "feeds": .array(entries(.feed))], "feeds/all.json")
    for (collection, entry) in zip(catalog.collections, entries(.collection)) {
      try write(entry, "collections/\(collection.slug).json")
    }
  }

  /// Seeds to begin with: some feeds of one host, others of hosts of their own.
  func plant() throws {
    var first = SeedCatalog(categories: [
      SeedCategory(slug: "c1", name: "C1"), SeedCategory(slug: "c2", name: "C2"),
    ])
    for _ in 0..<(3 + index(below: 5)) { first.feeds.append(newFeed()) }
    first.collections = [
      SeedCollection(slug: "best", title: "Best", feeds: first.feeds.prefix(2).map(\.slug))
    ]
    say("begin with the seeds \(first.feeds.map { "\($0.slug) at \($0.feedURL)" }.joined(separator: ", "))")
    guard try commit(first) else { throw ModelViolation("the first seeds are not valid") }
  }

  private func newFeed() -> SeedFeed {
    let number = next()
    var feed = SeedFeed(
      slug: "f\(number)", title: "Feed \(number)", feedURL: newAddress(),
      category: chance(70) ? "c1" : "c2")
    if chance(40) { feed.values["subtitle"] = .string("About \(number)") }
    if chance(30) { feed.siteURL = "https://site\(index(below: 4)).example/" }
    return feed
  }

  func newAddress() -> String {
    let host = chance(50) ? "shared.example" : chance(20) ? "www.youtube.com" : "h\(index(below: 6)).example"
    return "https://\(host)/feed\(next())"
  }

  /// One edit of the seed files.
  func editSeeds() throws {
    var edited = catalog
    guard let (words, edit) = edits(edited).randomElement(using: &random) else { return }
    edit(&edited)
    say("edit the seeds: \(words)\(try commit(edited) ? "" : ", which the files do not allow")")
  }

  private typealias Edit = (String, (inout SeedCatalog) -> Void)

  private func edits(_ catalog: SeedCatalog) -> [Edit] {
    let feed = newFeed()
    var edits: [Edit] = [("add \(feed.slug) at \(feed.feedURL)", { $0.feeds.append(feed) })]
    guard !catalog.feeds.isEmpty else { return edits }
    let chosen = Array(catalog.feeds.indices.shuffled(using: &random).prefix(3))
    let (a, slug) = (chosen[0], catalog.feeds[chosen[0]].slug)
    let number = next()
    edits += [
      textEdit(a, slug, number), textEdit(a, slug, number), addressEdit(a, slug), addressEdit(a, slug),
    ]
    edits += stateEdits(a, slug, number)
    if chosen.count > 1 { edits += exchanges(chosen) }
    let members = catalog.feeds.filter { !$0.isRetired }.map(\.slug).shuffled(using: &random).prefix(4)
    edits.append(
      ("list \(members.joined(separator: " ")) in best", { $0.collections[0].feeds = Array(members) }))
    edits.append(("rename c2", { $0.categories[1].values["name"] = .string("C2 \(number)") }))
    return edits
  }

  private func textEdit(_ index: Int, _ slug: String, _ number: Int) -> Edit {
    switch self.index(below: 5) {
    case 0: ("title of \(slug)", { $0.feeds[index].title = "Title \(number)" })
    case 1: ("subtitle of \(slug)", { $0.feeds[index].values["subtitle"] = .string("Subtitle \(number)") })
    case 2: ("no subtitle of \(slug)", { $0.feeds[index].values["subtitle"] = nil })
    case 3: ("tags of \(slug)", { $0.feeds[index].tags = ["t\(number)"] })
    default: ("site of \(slug)", { $0.feeds[index].siteURL = "https://site\(number % 5).example/" })
    }
  }

  private func addressEdit(_ index: Int, _ slug: String) -> Edit {
    let address = newAddress()
    let retitles = chance(25)
    return (
      "move \(slug) to \(address)\(retitles ? " with a new title" : "")",
      {
        $0.feeds[index].feedURL = address
        if retitles { $0.feeds[index].title = "Moved to \(address.suffix(4))" }
      }
    )
  }

  private func stateEdits(_ index: Int, _ slug: String, _ number: Int) -> [Edit] {
    let pinned = log.records.values.filter {
      $0.recordType == "PublicFeed" && $0["feedURL"]?.string == catalog.feeds[index].feedURL
    }.map(\.recordName).min()
    let other = pick(catalog.feeds.map(\.slug).filter { $0 != slug })
    return [
      (
        "feature \(slug)",
        { $0.feeds[index].values["isFeatured"] = .bool($0.feeds[index].values["isFeatured"] != true) }
      ),
      (
        "retire \(slug), replaced by \(other ?? "nothing")",
        {
          $0.feeds[index].values["retired"] = true
          $0.feeds[index].values["replacedBy"] = other.map(JSONValue.string)
          $0.collections[0].feeds.removeAll { $0 == slug }
        }
      ),
      (
        "take \(slug) out of retirement",
        {
          $0.feeds[index].values["retired"] = false
          $0.feeds[index].values["replacedBy"] = nil
        }
      ),
      (
        "remove \(slug)",
        {
          $0.feeds.remove(at: index)
          for other in $0.feeds.indices where $0.feeds[other].replacedBy == slug {
            $0.feeds[other].values["replacedBy"] = nil
            $0.feeds[other].values["retired"] = false
          }
          $0.collections[0].feeds.removeAll { $0 == slug }
        }
      ),
      ("pin \(slug) to \(pinned ?? "nothing")", { $0.feeds[index].recordName = pinned }),
      ("category of \(slug)", { $0.feeds[index].category = $0.feeds[index].category == "c1" ? "c2" : "c1" }),
      (
        "rename the slug \(slug) to g\(number)",
        {
          $0.feeds[index].slug = "g\(number)"
          for other in $0.feeds.indices where $0.feeds[other].replacedBy == slug {
            $0.feeds[other].values["replacedBy"] = .string("g\(number)")
          }
          $0.collections[0].feeds = $0.collections[0].feeds.map { $0 == slug ? "g\(number)" : $0 }
        }
      ),
    ]
  }

  /// Addresses that change places, in a ring or in a chain.
  private func exchanges(_ chosen: [Int]) -> [Edit] {
    let feeds = chosen.map { catalog.feeds[$0] }
    let names = feeds.map(\.slug).joined(separator: " ")
    let (address, titles) = (newAddress(), chance(30))
    func ring(_ edited: inout SeedCatalog) {
      for (place, index) in chosen.enumerated() {
        edited.feeds[index].feedURL = feeds[(place + 1) % feeds.count].feedURL
        if titles { edited.feeds[index].title += "!" }
      }
    }
    func chain(_ edited: inout SeedCatalog) {
      ring(&edited)
      edited.feeds[chosen[chosen.count - 1]].feedURL = address
    }
    return [
      ("rotate the addresses of \(names)", ring), ("rotate the addresses of \(names)", ring),
      ("pass on the addresses of \(names), the last gets \(address)", chain),
      (
        "give \(feeds[0].slug) the address of \(feeds[1].slug)",
        { $0.feeds[chosen[0]].feedURL = feeds[1].feedURL }
      ),
    ]
  }
}
