package import Catalog
package import Diagnostics
package import Platform

/// The layout of seed files that `seed format` writes and new files get.
package enum SeedFileFormat {
  /// Two spaces for each level, one member on each line, short lists of strings on one line, and each feed of a
  /// collection on its own line. Ends with a line end.
  package static func canonical(_ value: JSONValue) -> [UInt8] { bytes(JSONNode(value), readFrom: []) }

  /// A whole seed file in canonical form: the keys of its entries in the order of the table, unknown ones last. Numbers
  /// stay as they are written, also those that 64 bits cannot hold.
  package static func canonical(_ file: SeedFile) -> [UInt8] {
    let order = SeedFields.celestra[file.kind].map(\.key)
    var root = file.root
    if file.kind == .collection {
      root = root.sorted(order)
    } else {
      let list = file.kind == .feed ? "feeds" : "categories"
      root = root.sorted(["category", list]) { key, value in
        guard key == list, let entries = value.elements else { return value }
        return JSONNode(.array(entries.map { $0.sorted(order) }), range: value.range)
      }
    }
    return bytes(root, readFrom: file.source.bytes)
  }

  private static func bytes(_ node: JSONNode, readFrom source: [UInt8]) -> [UInt8] {
    Array((JSONLayout(canonicalFor: source).text(node, indent: "", isInline: false) + "\n").utf8)
  }

  /// The edits that bring the files of a seed folder into canonical layout. Throws ``CommandFailure`` with the findings
  /// when a file cannot be read.
  package static func edits(in folder: String) throws(CommandFailure) -> [FileEdit] {
    let seeds = SeedLoader(directory: folder).load()
    let blocking = Set([SeedRule.invalidJSON, .unreadable, .tooLarge, .outsideTree].map(\.code))
    guard !seeds.diagnostics.contains(where: { blocking.contains($0.code) && $0.severity == .error }) else {
      throw CommandFailure(
        "a seed file cannot be read; nothing was written", code: "bad-seeds",
        diagnostics: seeds.diagnostics.filter { blocking.contains($0.code) })
    }
    let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    return seeds.files.compactMap { file in
      let canonical = Self.canonical(file)
      return canonical == file.source.bytes
        ? nil : FileEdit("\(base)/\(file.path)", before: file.source.bytes, after: canonical)
    }
  }

  /// - Parameter isCheck: the files are only named, with the status of a difference.
  package static func report(_ edits: [FileEdit], isCheck: Bool) -> PlainReport {
    PlainReport(
      isCheck && !edits.isEmpty ? .differences : .done,
      json: ["files": edits.map(\.path).json, "check": isCheck.json],
      isConfirmation: edits.isEmpty || !isCheck
    ) {
      if edits.isEmpty { "All seed files are in canonical layout." }
      for edit in edits { isCheck ? "\(edit.path) is not in canonical layout" : "formatted \(edit.path)" }
    }
  }
}

extension JSONNode {
  /// An object with its members in the order of the keys: those that begin with `$` first, unknown ones last.
  fileprivate func sorted(
    _ order: [String], _ change: (String, JSONNode) -> JSONNode = { $1 }
  ) -> JSONNode {
    guard let members else { return self }
    let rank = { (key: String) in
      key.hasPrefix("$") ? -1 : order.firstIndex(of: key) ?? order.count
    }
    let sorted = members.sorted { rank($0.key) < rank($1.key) }
      .map { JSONMember(key: $0.key, keyRange: $0.keyRange, value: change($0.key, $0.value)) }
    return JSONNode(.object(sorted), range: range)
  }
}
