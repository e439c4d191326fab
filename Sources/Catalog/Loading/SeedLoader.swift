package import Diagnostics

package struct LoadedSeeds: Sendable {
  /// The catalog; `nil` if a finding is an error, so that nothing is applied.
  package let catalog: SeedCatalog?
  /// In reading order.
  package let diagnostics: [Diagnostic]
  /// The files that were read, in reading order.
  package let files: [SeedFile]
}

package struct SeedFile: Sendable {
  /// What the file holds: all categories, feeds, or one collection.
  package let kind: SeedKind
  /// Below the seed directory: `feeds/technology.json`.
  package let path: String
  package let source: SourceText
  package let root: JSONNode

  /// The nodes of the entries: of each category or feed, or the collection itself.
  package var entries: [JSONNode] {
    switch kind {
    case .category: root["categories"]?.elements ?? []
    case .feed: root["feeds"]?.elements ?? []
    case .collection: [root]
    }
  }

  /// The slug of an entry; `nil` for one that has none.
  package func slug(of entry: JSONNode) -> String? {
    if let slug = entry["slug"]?.string { return slug.composed }
    return kind == .feed ? entry["title"]?.string.flatMap { Slug.derived(fromTitle: $0.composed) } : nil
  }
}

/// Reads a seed directory: `categories.json`, `feeds/*.json` and `collections/*.json`.
///
/// | file | holds |
/// | --- | --- |
/// | `categories.json` | `{"categories": […]}` |
/// | `feeds/NAME.json` | `{"category": SLUG, "feeds": […]}`; a feed may name a category of its own |
/// | `collections/NAME.json` | one collection |
///
/// Files are read in the order of their names. All mistakes are reported in one run; nothing is thrown.
package struct SeedLoader: Sendable {
  /// Bytes of one file, at most.
  package static let fileSizeLimit = 32 << 20

  private let tree: @Sendable () throws(SeedFileError) -> any SeedFileTree

  package init(directory: String) {
    tree = { () throws(SeedFileError) in try SeedFileReader(directory) }
  }

  /// Reads files in memory as if they were a directory.
  ///
  /// - Parameter files: the files by their paths below the directory: `feeds/technology.json`.
  package init(files: [String: [UInt8]], named name: String) {
    tree = { SeedFilesInMemory(path: name, files: files) }
  }

  /// What the files declare, without a check of what they refer to and of mistakes.
  package func entries() -> SeedCatalog { read().declared.catalog }

  private func read() -> SeedLoadingState {
    var run = SeedLoadingState()
    run.read(tree)
    return run
  }

  package func load() -> LoadedSeeds {
    let run = read()
    let diagnostics = (run.diagnostics + SeedConsistencyChecks.findings(in: run.declared)).sortedForReading()
    return LoadedSeeds(
      catalog: diagnostics.hasErrors ? nil : run.declared.catalog, diagnostics: diagnostics, files: run.files)
  }
}

private struct SeedLoadingState {
  var declared = SeedDeclarations()
  var diagnostics: [Diagnostic] = []
  var files: [SeedFile] = []

  mutating func read(_ tree: () throws(SeedFileError) -> any SeedFileTree) {
    do throws(SeedFileError) {
      let tree = try tree()
      let names = try tree.names(in: "") ?? []
      // Compare the listed names: on a file system that ignores case, 'Feeds' would open as 'feeds', but not on
      // other machines.
      readCategories(in: tree, present: names.contains("categories.json"))
      declared.hasFeedsFolder = names.contains("feeds")
      if declared.hasFeedsFolder { readFeeds(in: tree) }
      if names.contains("collections") { readCollections(in: tree) }
      diagnostics += UnreadSeedFiles.findings(names, in: tree)
    } catch {
      diagnostics.append(error.diagnostic)
    }
  }

  private mutating func readCategories(in tree: any SeedFileTree, present: Bool) {
    guard present else {
      declared.categoriesComplete = false
      diagnostics.report(
        SeedRule.unreadable, "\(tree.path) has no categories.json",
        help: "A seed directory holds categories.json, feeds/*.json and collections/*.json.")
      return
    }
    declared.categoriesComplete = readFile("categories.json", .category, in: tree)
    for file in files where file.kind == .category {
      declared.categories = readList("categories", of: file) { SeedCategory($0.values(of: .category)) }
    }
  }

  private mutating func readFeeds(in tree: any SeedFileTree) {
    declared.feedsComplete = readFolder("feeds", .feed, in: tree)
    for file in files where file.kind == .feed {
      let fileCategory = file.root["category"]?.string?.composed
      if let fileCategory, let range = file.root["category"]?.range {
        declared.fileCategories.append((fileCategory, file.source.range(range)))
      }
      let feeds = readList("feeds", of: file) { $0.feed(fileCategory: fileCategory) }
      declared.feeds += feeds
    }
  }

  private mutating func readCollections(in tree: any SeedFileTree) {
    _ = readFolder("collections", .collection, in: tree)
    for file in files where file.kind == .collection {
      var reader = JSONObjectReader(file.root, in: file.source, kind: .collection)
      let collection = reader.collection()
      diagnostics += reader.diagnostics
      declared.collections.append(LocatedDeclaration(value: collection, node: file.root, source: file.source))
    }
  }

  /// The objects in the list that a file holds under `key`.
  private mutating func readList<Entry>(
    _ key: String, of file: SeedFile, _ entry: (inout JSONObjectReader) -> Entry
  ) -> [LocatedDeclaration<Entry>] {
    var list = JSONObjectReader(source: file.source, node: file.root, phrase: "a file of \(key)")
    list.checkKeys(file.kind == .feed ? [key, "category"] : [key])
    if file.kind == .feed { _ = list.text("category") }
    var declarations: [LocatedDeclaration<Entry>] = []
    for element in list.requiredList(key) {
      guard element.members != nil else {
        list.report(
          .wrongType, "an element of '\(key)' must be an object, not \(element.value.kindName)", at: element)
        continue
      }
      var reader = JSONObjectReader(element, in: file.source, kind: file.kind)
      declarations.append(LocatedDeclaration(value: entry(&reader), node: element, source: file.source))
      diagnostics += reader.diagnostics
    }
    diagnostics += list.diagnostics
    return declarations
  }

  // MARK: Files

  private mutating func readFolder(_ folder: String, _ kind: SeedKind, in tree: any SeedFileTree) -> Bool {
    do throws(SeedFileError) {
      let names = try tree.names(in: folder) ?? []
      diagnostics += UnreadSeedFiles.findings(names, ofFolder: folder, in: tree)
      return names.filter { $0.isSeedFileName }.reduce(true) { complete, name in
        readFile("\(folder)/\(name)", kind, in: tree) && complete
      }
    } catch {
      diagnostics.append(error.diagnostic)
      return false
    }
  }

  /// Adds the file to ``files``. False when it could not be read.
  private mutating func readFile(_ path: String, _ kind: SeedKind, in tree: any SeedFileTree) -> Bool {
    let source: SourceText
    do throws(SeedFileError) { source = try tree.source(path) } catch {
      diagnostics.append(error.diagnostic)
      return false
    }
    do throws(JSONSyntaxError) {
      let node = try JSONNode(parsing: source.bytes)
      guard node.members != nil else {
        throw JSONSyntaxError("a seed file must be an object, not \(node.value.kindName)", at: node.range)
      }
      files.append(SeedFile(kind: kind, path: path, source: source, root: node))
      return true
    } catch {
      diagnostics.append(error.diagnostic(in: source, code: SeedRule.invalidJSON.rawValue))
      return false
    }
  }
}

/// A declaration with its place in the seed file. The place of a key is only looked up for a finding. A class, because each
/// check visits all feeds of a catalog: a visit then counts one reference.
final class LocatedDeclaration<Value> {
  let value: Value
  let node: JSONNode
  let source: SourceText

  init(value: Value, node: JSONNode, source: SourceText) {
    self.value = value
    self.node = node
    self.source = source
  }

  /// Where a key's value stands; the object when the key is absent.
  func range(of key: String) -> SourceRange { node[key].map(range) ?? start }

  var start: SourceRange { source.range(of: node) }

  func range(of node: JSONNode) -> SourceRange { source.range(of: node) }
}

/// All declarations as read, before they are checked against each other.
struct SeedDeclarations {
  var categories: [LocatedDeclaration<SeedCategory>] = []
  var feeds: [LocatedDeclaration<SeedFeed>] = []
  var collections: [LocatedDeclaration<SeedCollection>] = []
  /// The default categories of files, for feeds without a category.
  var fileCategories: [(slug: String, range: SourceRange)] = []
  /// False if a file could not be read: then an unknown slug may be declared there.
  var categoriesComplete = true
  var feedsComplete = true
  var hasFeedsFolder = true

  var catalog: SeedCatalog {
    var catalog = SeedCatalog(
      categories: categories.map(\.value), feeds: feeds.map(\.value), collections: collections.map(\.value))
    catalog.hasFeedsFolder = hasFeedsFolder
    return catalog
  }
}

/// Finds where the files of a seed folder declare an entry and name it.
package struct SeedPlaces: Sendable {
  /// A node that stands for an entry: its slug in another entry, or the entry itself.
  package struct Place: Sendable {
    package let range: SourceRange
    package let isDeclaration: Bool

    /// `seeds/collections/best-of-tech.json:13`
    package var text: String { "\(range.source.name):\(range.start.line)" }
  }

  private let files: [SeedFile]

  package init(_ files: [SeedFile]) { self.files = files }

  /// In reading order; the declaration may be repeated, because a catalog with mistakes is read, too.
  package func places(of slug: String, _ kind: SeedKind) -> [Place] {
    files.flatMap { file in
      let names = Self.references(to: kind, in: file).filter { $0.string == slug }
      let entries = file.kind == kind ? file.entries.filter { file.slug(of: $0) == slug } : []
      return entries.map { Place(range: file.source.range(of: $0), isDeclaration: true) }
        + names.map { Place(range: file.source.range(of: $0), isDeclaration: false) }
    }
  }

  /// The entry that a place is in, and its key there: empty where the place is the entry itself.
  package func entry(at range: SourceRange) -> (kind: SeedKind, slug: String, key: String)? {
    let start = range.offsets.lowerBound
    guard let file = files.first(where: { $0.source.name == range.source.name }),
      let entry = file.entries.first(where: { $0.range.contains(start) }), let slug = file.slug(of: entry)
    else { return nil }
    return (file.kind, slug, entry.members?.first { $0.value.range.contains(start) }?.key ?? "")
  }

  /// The nodes of a file that hold slugs of a kind.
  private static func references(to kind: SeedKind, in file: SeedFile) -> [JSONNode] {
    let fileCategory = kind == .category && file.kind == .feed ? [file.root["category"]] : []
    let keys = SeedFields.celestra[file.kind].filter {
      $0.form == .reference(kind) || $0.form == .references(kind)
    }
    return fileCategory.compactMap(\.self)
      + file.entries.flatMap { entry in
        keys.compactMap { entry[$0.key] }.flatMap { $0.elements ?? [$0] }
      }
  }
}
