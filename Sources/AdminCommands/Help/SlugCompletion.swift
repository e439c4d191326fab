internal import ArgumentParser
internal import Catalog
internal import FoundationEssentials
internal import Platform

extension CompletionValues {
  static var categories: CompletionKind { slugs(of: .category) }
  static var feeds: CompletionKind { slugs(of: .feed) }
  static var collections: CompletionKind { slugs(of: .collection) }

  private static func slugs(of kind: SeedKind) -> CompletionKind {
    .custom { words, _, _ in SlugCompletion(words: words)?.slugs(of: kind) ?? [] }
  }

  /// The slugs of the record type that the command line has, where records are found by them.
  static var recordNames: CompletionKind {
    .custom { words, _, _ in
      let kinds = [SeedKind.category, .feed]
      guard let kind = kinds.first(where: { words.contains($0.recordType) }) else { return [] }
      return SlugCompletion(words: words)?.slugs(of: kind) ?? []
    }
  }
}

/// The slugs that a shell can complete: those of the seed folder that the command line names, or of the nearest one.
struct SlugCompletion {
  private let files: [SeedFile]

  /// - Parameter words: the command line. `nil` if there is no seed folder.
  init?(words: [String], directory: String = FileManager.default.currentDirectoryPath) {
    // A word that cannot be looked up is not a folder.
    let named = words.dropFirst().first { (try? FileKind("\($0)/categories.json")) == .file }
    guard let folder = named ?? SeedFolder.nearest(to: directory) else { return nil }
    // A catalog with mistakes is being edited; what can be read of it is completed.
    files = SeedLoader(directory: folder).load().files
  }

  /// The valid slugs of a kind, sorted. Others are left out: bash expands what it completes, and would run a command in
  /// a slug.
  func slugs(of kind: SeedKind) -> [String] {
    let found = files.filter { $0.kind == kind }.flatMap { file in file.entries.compactMap(file.slug(of:)) }
    return Set(found.filter(Slug.isValid)).sorted()
  }
}
