public import Catalog
public import Diagnostics
public import Platform

extension SeedFile.Kind {
  var noun: String {
    switch self {
    case .categories: "category"
    case .feeds: "feed"
    case .collection: "collection"
    }
  }

  /// The keys of an entry in the order of the shipped seeds.
  var keyOrder: [String] {
    switch self {
    case .categories:
      ["slug", "recordName", "name", "icon", "color", "sortOrder", "parentCategory", "description"]
    case .feeds: SeedFeedEntry.keys
    case .collection:
      [
        "slug", "recordName", "title", "description", "coverImageURL", "curatorName", "isFeatured", "tags",
        "feeds",
      ]
    }
  }
}

/// The layout of seed files that `seed format` writes and new files get.
public enum SeedFileFormat {
  /// Two spaces for each level, one member on each line, short lists of strings on one line, and each feed of a
  /// collection on its own line. Ends with a line end.
  public static func canonical(_ value: JSONValue) -> [UInt8] {
    Array((text(value, indent: "", isFeeds: false) + "\n").utf8)
  }

  private static func text(_ value: JSONValue, indent: String, isFeeds: Bool) -> String {
    let inner = indent + "  "
    switch value {
    case .array(let elements) where !elements.isEmpty:
      if value.isShortList, !isFeeds { return "[" + elements.map { $0.text() }.joined(separator: ", ") + "]" }
      let texts = elements.map { inner + text($0, indent: inner, isFeeds: false) }
      return "[\n" + texts.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let object) where !object.members.isEmpty:
      let texts = object.members.map {
        inner + JSONValue.string($0.key).text() + ": "
          + text($0.value, indent: inner, isFeeds: $0.key == "feeds")
      }
      return "{\n" + texts.joined(separator: ",\n") + "\n\(indent)}"
    default: return value.text()
    }
  }

  /// A whole seed file in canonical form: the keys of its entries in the usual order, unknown ones last.
  public static func canonical(_ file: SeedFile) -> [UInt8] {
    func sorted(_ value: JSONValue, _ order: [String]) -> JSONValue {
      guard let object = value.object else { return value }
      let rank = { (key: String) in
        key.hasPrefix("$") ? -1 : order.firstIndex(of: key) ?? order.count
      }
      let members = object.members.enumerated().sorted {
        (rank($0.element.key), $0.offset) < (rank($1.element.key), $1.offset)
      }
      return .object(JSONObject(members.map(\.element)))
    }
    let order = file.kind.keyOrder
    guard file.kind != .collection, let object = file.root.value.object else {
      return canonical(sorted(file.root.value, order))
    }
    let list = file.kind == .feeds ? "feeds" : "categories"
    var whole = object
    whole[list] = object[list]?.array.map { .array($0.map { sorted($0, order) }) } ?? object[list]
    return canonical(sorted(.object(whole), ["category", list]))
  }
}

/// The report of `seed format`: formats the files of a seed folder, or lists those that are not formatted.
public struct SeedFormatReport: Report {
  /// The files that are not in canonical layout.
  public let edits: [FileEdit]
  private let isCheck: Bool

  /// Throws ``CommandFailure`` with the findings when a file cannot be read.
  public init(folder: String, isCheck: Bool) throws(CommandFailure) {
    let seeds = SeedLoader(directory: folder).load()
    let blocking: Set = [SeedRule.invalidJSON, .unreadable, .tooLarge, .outsideTree].map(\.code).reduce(
      into: []) { $0.insert($1) }
    guard !seeds.diagnostics.contains(where: { blocking.contains($0.code) && $0.severity == .error }) else {
      throw CommandFailure(
        "a seed file cannot be read; nothing was written", code: "bad-seeds",
        diagnostics: seeds.diagnostics.filter { blocking.contains($0.code) })
    }
    self.isCheck = isCheck
    let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    edits = seeds.files.compactMap { file in
      let canonical = SeedFileFormat.canonical(file)
      return canonical == file.source.bytes
        ? nil : FileEdit("\(base)/\(file.path)", before: file.source.bytes, after: canonical)
    }
  }

  public var status: ExitStatus { isCheck && !edits.isEmpty ? .differences : .done }
  public var isConfirmation: Bool { edits.isEmpty || !isCheck }
  public var json: JSONValue { ["files": .array(edits.map { .string($0.path) }), "check": .bool(isCheck)] }

  public func text(_ style: TerminalStyle) -> PrintableText {
    guard !edits.isEmpty else { return "All seed files are in canonical layout.\n" }
    return edits.map { edit -> PrintableText in
      isCheck ? "\(edit.path) is not in canonical layout\n" : "formatted \(edit.path)\n"
    }
    .joined()
  }
}
