package import Diagnostics

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
