package import Catalog
package import Diagnostics
package import Platform

/// A seed folder while it is edited. Everything in its files that is not edited stays byte for byte the same.
package struct SeedWorkspace {
  package struct Change: Sendable {
    package enum Action: String, Sendable { case create, update }

    package let action: Action
    package let kind: SeedKind
    package let slug: String
    /// Below the working directory, as the folder was named.
    package let file: String
    /// The fields that were changed, with their old and new values; empty for a new entry.
    package var fields: [String: (from: JSONValue?, to: JSONValue?)] = [:]
  }

  package let folder: String
  package private(set) var catalog: SeedCatalog
  package private(set) var changes: [Change] = []
  /// Where the change of an entry's fields stands in `changes`, by kind and slug.
  private var updates: [String: Int] = [:]
  package private(set) var takenSlugs: Set<String>
  package let files: [SeedFile]
  private var editors: [String: JSONEditor] = [:]
  /// The categories of new files of feeds, by path.
  private var newFiles: [String: String] = [:]
  /// By path.
  private var newFeeds: [String: [JSONValue]] = [:]
  /// New collections, which are written as they are.
  private var wholeFiles: [String: JSONObject] = [:]
  /// In the order in which they were first named.
  private var additions: [CollectionAddition] = []
  /// Of the sorted lists of feeds, by path.
  private lazy var sortings = filesByPath.filter { $0.value.kind == .feed }.compactMapValues(Self.sorting)
  private let filesByPath: [String: SeedFile]
  private let filesByCategory: [String: String]

  private struct CollectionAddition {
    let slug: String
    /// `nil` for an existing collection.
    let title: String?
    /// The other values of a new one.
    let values: SeedValues
    var feeds: [String] = []
    var present: Set<String>
  }

  /// The key by which a list of entries is sorted, with its values.
  private struct Sorting {
    let key: String
    let texts: [String]

    func text(of entry: JSONValue) -> String { (entry[key]?.string ?? "").lowercased() }

    /// The position of a new entry; `nil` for the end.
    func position(of entry: JSONValue) -> Int? {
      let value = text(of: entry)
      let place = texts.partitioningIndex(where: { $0 > value })
      return place < texts.count ? place : nil
    }
  }

  /// The position of each entry, by kind and slug.
  private lazy var places = files.reduce(into: [String: (path: String, node: JSONNode)]()) { places, file in
    for entry in file.entries {
      if let slug = file.slug(of: entry) { places[file.kind.key(slug)] = (file.path, entry) }
    }
  }

  /// Reads a seed folder. Throws ``CommandFailure`` with the findings when it has errors.
  package init(folder: String) throws(CommandFailure) {
    let seeds = SeedLoader(directory: folder).load()
    guard let catalog = seeds.catalog else {
      throw CommandFailure(
        "the seeds have errors; nothing was written", code: "bad-seeds",
        hint: "Run 'celestra-admin seed validate' and correct them first.", diagnostics: seeds.diagnostics)
    }
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.catalog = catalog
    files = seeds.files
    takenSlugs = Set(catalog.feeds.map(\.slug))
    filesByPath = files.keyed(by: \.path)
    filesByCategory = Self.byCategory(files)
  }

  /// Throws ``CommandFailure`` if an edited file has changes that git could not restore.
  ///
  /// - Parameter uncommitted: the files of the folder that may differ from the last commit.
  package func requireCommitted(_ uncommitted: [String: UncommittedSeedFile]) throws(CommandFailure) {
    let dirty = edits().filter { $0.before != nil }.compactMap { edit in
      uncommitted[path(of: edit)].map { "\(edit.path) \($0.rawValue)" }
    }
    guard let first = dirty.first else { return }
    throw CommandFailure(
      "\(first); nothing was written", details: Array(dirty.dropFirst()),
      code: "dirty-files", hint: "Commit them first, or add --allow-dirty.")
  }

  // MARK: Adding

  /// Adds a feed to a file: the one given, else the one that holds its category, else a new one named after it.
  package mutating func add(_ entry: SeedFeed, category: String, file: String? = nil) {
    let path = file ?? filesByCategory[category] ?? "feeds/\(category).json"
    var entry = entry.values
    entry["category"] = .string(category)
    // What 'replacedBy' already says is not written.
    if entry["replacedBy"] != nil, entry["retired"] == true { entry["retired"] = nil }
    let known = filesByPath[path]
    if known == nil { newFiles[path] = newFiles[path] ?? category }
    if newFiles[path] ?? known?.root["category"]?.string == category { entry["category"] = nil }
    newFeeds[path, default: []].append(.object(entry.json(of: .feed)))
    let slug = entry["slug"]?.string ?? ""
    takenSlugs.insert(slug)
    changes.append(Change(action: .create, kind: .feed, slug: slug, file: "\(folder)/\(path)"))
  }

  private static func byCategory(_ files: [SeedFile]) -> [String: String] {
    var best: [String: (count: Int, path: String)] = [:]
    for file in files where file.kind == .feed {
      guard let category = file.root["category"]?.string else { continue }
      let count = file.entries.count
      if best[category].map({ $0.count < count }) ?? true { best[category] = (count, file.path) }
    }
    return best.mapValues(\.path)
  }

  /// `nil` for an unsorted list. One entry has no order.
  private static func sorting(_ file: SeedFile) -> Sorting? {
    let entries = file.entries
    guard entries.count > 1 else { return nil }
    for key in ["slug", "title"] {
      let texts = entries.map { $0[key]?.string?.lowercased() ?? "" }
      if !texts.contains(""), zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }) {
        return Sorting(key: key, texts: texts)
      }
    }
    return nil
  }

  /// Adds the feeds that a collection does not have yet to its end. Creates a missing collection with the title and values.
  package mutating func add(
    _ slugs: [String], toCollection slug: String, title: String? = nil, values: SeedValues = SeedValues()
  ) throws(CommandFailure) {
    var known = additions.firstIndex { $0.slug == slug }
    if known == nil { known = try newAddition(to: slug, title, values) }
    let index = known ?? 0
    let before = additions[index].feeds.count
    for feed in slugs where additions[index].present.insert(feed).inserted {
      additions[index].feeds.append(feed)
    }
    guard before == 0, !additions[index].feeds.isEmpty else { return }
    let isNew = additions[index].title != nil
    let path = isNew ? "collections/\(slug).json" : places[SeedKind.collection.key(slug)]?.path ?? ""
    changes.append(
      Change(action: isNew ? .create : .update, kind: .collection, slug: slug, file: "\(folder)/\(path)"))
  }

  private mutating func newAddition(
    to slug: String, _ title: String?, _ values: SeedValues
  ) throws(CommandFailure) -> Int {
    let list = places[SeedKind.collection.key(slug)]?.node["feeds"]
    guard list != nil || title != nil else {
      throw .unknown("collection", slug, among: catalog.collections.map(\.slug))
    }
    let present = Set(list?.elements?.compactMap { $0.string?.composed } ?? [])
    additions.append(
      CollectionAddition(slug: slug, title: list == nil ? title : nil, values: values, present: present))
    return additions.count - 1
  }

  // MARK: Changing

  /// Sets a field of an entry; `nil` removes it. An entry of a new file cannot be changed.
  package mutating func set(_ field: String, of slug: String, kind: SeedKind, to value: JSONValue?) {
    guard let place = places[kind.key(slug)], let file = filesByPath[place.path] else {
      return
    }
    let old = place.node[field]?.value
    guard old != value else { return }
    let order = SeedFields.celestra[kind].map(\.key)
    edit(file) { $0.set(field, to: value, in: place.node, order: order) }
    let index = updates[kind.key(slug)] ?? changes.count
    if index == changes.count {
      updates[kind.key(slug)] = index
      changes.append(Change(action: .update, kind: kind, slug: slug, file: "\(folder)/\(place.path)"))
    }
    let inherited =
      kind == .feed && field == "category" ? fileCategory(ofFeed: slug).map(JSONValue.string) : nil
    changes[index].fields[field] = (old ?? inherited, value ?? inherited)
  }

  /// Adds a category, or a whole collection in a file of its own.
  package mutating func add(_ object: JSONObject, slug: String, kind: SeedKind) {
    var path = "categories.json"
    switch kind {
    case .category:
      guard let file = files.first(where: { $0.kind == .category }), let list = file.root["categories"]
      else { return }
      edit(file) { $0.add([.object(object)], to: list) }
    default:
      path = "collections/\(slug).json"
      wholeFiles[path] = withSchema(of: .collection, object)
    }
    changes.append(Change(action: .create, kind: kind, slug: slug, file: "\(folder)/\(path)"))
  }

  /// The file category that an entry inherits, which its own `category` need not repeat.
  package mutating func fileCategory(ofFeed slug: String) -> String? {
    places[SeedKind.feed.key(slug)].flatMap { filesByPath[$0.path] }?.root["category"]?.string
  }

  mutating func hasRecordName(feed slug: String) -> Bool {
    places[SeedKind.feed.key(slug)]?.node["recordName"].map { !$0.value.isNull } ?? false
  }

  // MARK: Writing

  /// The changed files with their new contents. Collections come last, so that what a command wrote that was killed has no
  /// names of feeds that are still to be written.
  package func edits() -> [FileEdit] {
    var copy = self
    var made = copy.wholeFiles
    for addition in additions where !addition.feeds.isEmpty {
      let slugs = addition.feeds.map(JSONValue.string)
      if let title = addition.title {
        var values = addition.values
        values["slug"] = .string(addition.slug)
        values["title"] = .string(title)
        values["feeds"] = .array(slugs)
        made["collections/\(addition.slug).json"] = withSchema(of: .collection, values.json(of: .collection))
      } else if let place = copy.places[SeedKind.collection.key(addition.slug)],
        let list = place.node["feeds"],
        let file = filesByPath[place.path]
      {
        copy.edit(file) { $0.add(slugs, to: list) }
      }
    }
    for (path, feeds) in newFeeds {
      guard let file = filesByPath[path], let list = file.root["feeds"] else { continue }
      let sorting = copy.sortings[path]
      let sorted = sorting.map { sorting in feeds.sorted { sorting.text(of: $0) < sorting.text(of: $1) } }
      copy.edit(file) { $0.add(sorted ?? feeds, to: list) { sorting?.position(of: $0) } }
    }
    for (path, category) in newFiles {
      made[path] = withSchema(
        of: .feed, ["category": category.json, "feeds": .array(newFeeds[path] ?? [])])
    }
    let changed = copy.editors.compactMap { path, editor in
      filesByPath[path].map { FileEdit("\(folder)/\(path)", before: $0.source.bytes, after: editor.bytes) }
    }
    let new = made.map { path, object in
      FileEdit("\(folder)/\(path)", before: nil, after: SeedFileFormat.canonical(.object(object)))
    }
    let edits = (changed + new).filter { $0.before != $0.after }.sorted { $0.path < $1.path }
    return edits.filter { !isOfCollection($0) } + edits.filter(isOfCollection)
  }

  /// Writes all changes. Nothing is written when a file changed since it was read, or when the changes together would
  /// leave seeds that have errors, such as two feeds with one address.
  ///
  /// - Returns: what was written.
  @discardableResult package func write() throws -> [FileEdit] {
    let edits = edits()
    try requireValid(with: edits)
    try FileEdits.write(edits, in: folder)
    return edits
  }

  private func isOfCollection(_ edit: FileEdit) -> Bool { path(of: edit).hasPrefix("collections/") }

  /// Below the folder.
  package func path(of edit: FileEdit) -> String { String(edit.path.dropFirst(folder.count + 1)) }

  /// The seeds with the changes.
  ///
  /// - Parameter edits: what ``edits()`` has returned.
  func changed(by edits: [FileEdit]) -> LoadedSeeds {
    var contents = filesByPath.mapValues(\.source.bytes)
    for edit in edits { contents[path(of: edit)] = edit.after }
    return SeedLoader(files: contents, named: folder).load()
  }

  /// Throws ``CommandFailure`` with the findings when the changes together would leave seeds that have errors.
  package func requireValid() throws(CommandFailure) { try requireValid(with: edits()) }

  private func requireValid(with edits: [FileEdit]) throws(CommandFailure) {
    guard !edits.isEmpty else { return }
    let seeds = changed(by: edits)
    guard seeds.catalog == nil else { return }
    throw CommandFailure(
      "the changes would leave seeds with errors; nothing was written", code: "bad-seeds",
      hint: "Resolve what the findings name in the files or in the container, then run this again.",
      diagnostics: seeds.diagnostics)
  }

  private mutating func edit(_ file: SeedFile, _ body: (inout JSONEditor) -> Void) {
    var editor = editors.removeValue(forKey: file.path) ?? JSONEditor(file)
    body(&editor)
    editors[file.path] = editor
  }

  /// With the `$schema` of other files of the kind; without any, with that of the folder `schemas`, if a file names one there.
  private func withSchema(of kind: SeedKind, _ object: JSONObject) -> JSONObject {
    var schema = files.first { $0.kind == kind && $0.root["$schema"] != nil }?.root["$schema"]?.value
    let isInSchemas = { (schema: String) in schema.split(separator: "/").dropLast().last == "schemas" }
    if schema == nil, files.contains(where: { $0.root["$schema"]?.string.map(isInSchemas) ?? false }) {
      schema = .string("../schemas/\(kind == .feed ? "feeds" : "collection").schema.json")
    }
    return JSONObject((schema.map { [(key: "$schema", value: $0)] } ?? []) + object.members)
  }
}
