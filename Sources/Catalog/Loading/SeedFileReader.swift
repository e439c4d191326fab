package import Diagnostics
import Platform

/// The files of a seed directory, on disk or in memory.
protocol SeedFileTree {
  /// The directory's name in messages.
  var path: String { get }

  /// The sorted names in a folder; `nil` if it does not exist. `""` is the directory itself.
  func names(in folder: String) throws(SeedFileError) -> [String]?

  /// Whether a path below the directory is a folder, or a link to one.
  func isFolder(_ relativePath: String) -> Bool

  /// A file's text, by its path below the directory.
  func source(_ relativePath: String) throws(SeedFileError) -> SourceText
}

/// Reads regular files in one directory. Links that lead out of the directory and other kinds of files are refused.
struct SeedFileReader: SeedFileTree {
  let path: String
  private let realPath: String

  /// Throws a finding if the directory cannot be read.
  init(_ path: String) throws(SeedFileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if let kind = try? FileKind(path), kind != .folder, kind != .missing {
      throw SeedFileError(
        .unreadable, "cannot read \(path): it is not a folder",
        help: "Name the folder that holds categories.json.")
    }
    let real = try resolved(path)
    realPath = real == "/" ? "" : real
  }

  func names(in folder: String) throws(SeedFileError) -> [String]? {
    let full = folder.isEmpty ? path : "\(path)/\(folder)"
    if (try? FileKind(full)) == .missing { return nil }
    let real = try resolved(full)
    try requireInside(real, named: full)
    return try explained { () throws(FileFailure) in try FileKind.names(inFolder: real, named: full) }
  }

  func isFolder(_ relativePath: String) -> Bool { (try? FileKind("\(path)/\(relativePath)")) == .folder }

  func source(_ relativePath: String) throws(SeedFileError) -> SourceText {
    let full = "\(path)/\(relativePath)"
    let real = try resolved(full)
    try requireInside(real, named: full)
    // Waiting for the writer of a named pipe could last forever.
    let file = try explained { () throws(FileFailure) in
      try ReadableFile(real, named: full, waitsForWriter: false)
    }
    guard let size = try explained({ () throws(FileFailure) in try file.size() }) else {
      throw SeedFileError(.unreadable, "cannot read \(full): it is not a file")
    }
    try SeedFileError.check(size, of: full)
    return SourceText(
      name: full, bytes: try explained { () throws(FileFailure) in try file.piece(atMost: size) })
  }

  private func requireInside(_ real: String, named full: String) throws(SeedFileError) {
    guard real == realPath || real.hasPrefix(realPath + "/") else {
      throw SeedFileError(.outsideTree, "\(full) points outside the seed directory, to \(real)")
    }
  }
}

struct SeedFileError: Error {
  let diagnostic: Diagnostic

  init(_ rule: SeedRule, _ message: String, help: String? = nil) {
    diagnostic = Diagnostic(rule, message, help: help)
  }

  static func check(_ size: Int, of file: String) throws(SeedFileError) {
    guard size <= SeedLoader.fileSizeLimit else {
      throw SeedFileError(
        .tooLarge, "\(file) has \(size) bytes; a seed file may have at most \(SeedLoader.fileSizeLimit)",
        help: "Split it into several files.")
    }
  }
}

/// Runs calls that read files, and turns their error into a finding.
private func explained<Result: ~Copyable>(
  _ body: () throws(FileFailure) -> Result
) throws(SeedFileError) -> Result {
  do { return try body() } catch { throw SeedFileError(.unreadable, error.message) }
}

private func resolved(_ path: String) throws(SeedFileError) -> String {
  try explained { () throws(FileFailure) in try FileKind.resolvedPath(path) }
}

/// Finds the entries of a seed directory that the loader does not read.
///
/// Each of them is a finding: a folder with a misspelled name would otherwise be an empty catalog, and `--prune` would
/// delete what its files declare. Three kinds of entries hold no seeds and are left out: hidden ones (`.DS_Store`,
/// `.gitkeep`, an editor's swap file), Markdown documents, and the JSON Schemas in `schemas`.
enum UnreadSeedFiles {
  private static let known = ["categories.json", "feeds", "collections"]
  private static let help = "A seed directory holds categories.json, feeds/*.json and collections/*.json."

  /// The entries of the directory itself, by their names.
  static func findings(_ names: [String], in tree: any SeedFileTree) -> [Diagnostic] {
    names.filter { !known.contains($0) && $0 != "schemas" && $0.mayHoldSeeds }.map { name in
      let lower = name.lowercased()
      let meant = known.contains(lower) ? lower : SpellingSuggestion.nearest(to: lower, among: known)
      return finding(name, in: tree, help: meant.map { "Did you mean '\($0)'?" } ?? help)
    }
  }

  /// The entries of one of the directory's folders, by their names.
  static func findings(_ names: [String], ofFolder folder: String, in tree: any SeedFileTree) -> [Diagnostic]
  {
    names.filter { $0.mayHoldSeeds && !$0.isSeedFileName }.map { name in
      let path = "\(folder)/\(name)"
      if tree.isFolder(path) {
        return finding(path, in: tree, help: "Move its files to \(folder)/: folders below it are not read.")
      }
      let help =
        name.lowercased().hasSuffix(".json")
        ? "Write the ending in lower case: .json." : "Only files whose names end in .json are read."
      return finding(path, in: tree, help: help)
    }
  }

  private static func finding(_ path: String, in tree: any SeedFileTree, help: String) -> Diagnostic {
    let slash = tree.isFolder(path) ? "/" : ""
    return Diagnostic(SeedRule.unexpectedFile, "\(tree.path)/\(path)\(slash) is not read", help: help)
  }
}

extension String {
  var isSeedFileName: Bool { hasSuffix(".json") && !hasPrefix(".") }

  fileprivate var mayHoldSeeds: Bool { !hasPrefix(".") && !lowercased().hasSuffix(".md") }
}

/// Finds the seed folder for commands without a folder argument.
package enum SeedFolder {
  package static let name = "seeds"

  /// The folders in a seed folder whose files are read.
  package static let folders = ["feeds", "collections"]

  /// Whether the loader reads a file, by its path below the seed folder.
  package static func reads(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 1 { return path == "categories.json" }
    return parts.count == 2 && folders.contains(String(parts[0])) && String(parts[1]).isSeedFileName
  }

  /// The folder `seeds` with a `categories.json`, in a folder or in the nearest one above it.
  ///
  /// - Parameter directory: an absolute path.
  package static func nearest(to directory: String) -> String? {
    var folder = directory
    while true {
      let candidate = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      // Why a folder cannot be accessed is reported when it is read.
      if [nil, .folder].contains(try? FileKind(candidate)),
        [nil, .file].contains(try? FileKind("\(candidate)/categories.json"))
      {
        return candidate
      }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }
}

/// The files of a seed directory that is not on disk, such as that of an earlier commit.
struct SeedFilesInMemory: SeedFileTree {
  let path: String
  /// By their paths below the directory.
  let files: [String: [UInt8]]

  func names(in folder: String) -> [String]? {
    let start = folder.isEmpty ? "" : folder + "/"
    let below = files.keys.filter { $0.hasPrefix(start) }
    let names = Set(below.map { String($0.dropFirst(start.count).prefix { $0 != "/" }) })
    return names.isEmpty && !folder.isEmpty ? nil : names.sorted()
  }

  func isFolder(_ relativePath: String) -> Bool { names(in: relativePath) != nil }

  func source(_ relativePath: String) throws(SeedFileError) -> SourceText {
    let full = "\(path)/\(relativePath)"
    guard let bytes = files[relativePath] else {
      throw SeedFileError(.unreadable, "cannot read \(full): it is not a file")
    }
    try SeedFileError.check(bytes.count, of: full)
    return SourceText(name: full, bytes: bytes)
  }
}

// Converts the JSON object of an entry to its values and reports findings. An invalid value is left out; its finding
// is an error, so the catalog is not used.

extension JSONObjectReader {
  init(_ node: JSONNode, in source: SourceText, kind: SeedKind) {
    self.init(source: source, node: node, phrase: "a \(kind.rawValue)")
    checkKeys(of: SeedFields.celestra[kind], computedIn: kind.recordType)
  }

  /// The values of an entry. A default that is written out is left out.
  mutating func values(of kind: SeedKind, fileCategory: String? = nil) -> SeedValues {
    var values: [(key: String, value: JSONValue)] = []
    values.reserveCapacity((node.members?.count ?? 0) + 1)
    for field in SeedFields.celestra[kind] {
      if let member = member(field.key) {
        if let value = value(of: field, member), value != field.usual { values.append((field.key, value)) }
      } else if let fileCategory, field.key == "category" {
        values.append((field.key, .string(fileCategory)))
      } else if field.isRequired {
        reportMissing(field.key)
      }
    }
    return SeedValues(JSONObject(values))
  }

  private mutating func value(of field: SeedField, _ member: JSONNode) -> JSONValue? {
    let key = field.key
    switch field.form {
    case .flag: return flag(member, key).map(JSONValue.bool)
    case .integer: return integer(member, key).map(JSONValue.integer)
    case .tags: return .array(tags(member, key).map(JSONValue.string))
    case .slugs, .references: return .array(texts(member, key).map { .string($0.text) })
    case .language: return language(member, key).map(JSONValue.string)
    case .text, .slug, .recordName, .address, .icon, .color, .reference:
      guard let text = text(member, key) else { return nil }
      if field.isRequired, !text.unicodeScalars.contains(where: \.isVisible) {
        report(.unusableText, "'\(key)' is blank", at: member)
        return nil
      }
      if let (rule, message) = member.string.flatMap(field.problem) {
        report(
          rule, message, at: member,
          help: rule == .badURL ? WebAddress.escaped(text).map { "Write \($0)." } : nil)
      }
      return .string(field.form == .text ? text.trimmingWhitespace : text)
    }
  }

  /// A feed, with what an entry may leave out: slug, category, and that a replaced feed is retired. A language that is
  /// written is kept, also the usual one, so that exports show that it is known.
  mutating func feed(fileCategory: String?) -> SeedFeed {
    var feed = SeedFeed(values(of: .feed, fileCategory: fileCategory))
    if member("slug") == nil { feed.slug = Slug.derived(fromTitle: feed.title) ?? "" }
    if member("language") != nil { feed.language = feed.language }
    if feed.replacedBy != nil { feed.values["retired"] = .bool(member("retired") == nil || feed.isRetired) }
    return feed
  }

  mutating func collection() -> SeedCollection {
    let collection = SeedCollection(values(of: .collection))
    if let list = node["feeds"], list.elements?.isEmpty == true {
      report(.emptyCollection, "the collection '\(collection.title)' has no feeds", at: list)
    }
    return collection
  }
}

package enum SeedRule: String, RuleCode {
  case unreadable = "SE0101"
  case outsideTree = "SE0102"
  case tooLarge = "SE0103"
  case invalidJSON = "SE0104"
  case unexpectedFile = "SE0105"

  case wrongType = "SE0201"
  case missing = "SE0202"
  case unknownKey = "SE0203"
  case computedField = "SE0204"
  case unusableText = "SE0205"
  case notComposed = "SE0206"

  case badSlug = "SE0301"
  case badURL = "SE0302"
  case badLanguage = "SE0303"
  case badColor = "SE0304"
  case badTag = "SE0305"
  case badRecordName = "SE0306"
  case badIcon = "SE0307"

  case duplicateSlug = "SE0401"
  case duplicateName = "SE0402"
  case duplicateURL = "SE0403"
  case duplicateRecordName = "SE0404"
  case unknownCategory = "SE0405"
  case cyclicParent = "SE0406"
  case unknownFeed = "SE0407"
  case repeatedFeed = "SE0408"
  case recordTooLarge = "SE0409"
  case emptyCollection = "SE0410"
  case nearDuplicate = "SE0411"
  case retiredFeed = "SE0412"
  case badReplacement = "SE0413"

  package static let page = RulePage(.seed, PackageResources.SeedRules_md)
}
