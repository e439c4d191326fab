import Diagnostics

/// Finds the entries of a seed directory that the loader does not read.
///
/// Each of them is a finding: a folder with a misspelled name would otherwise be an empty catalog, and `--prune` would
/// delete what its files declare. Three kinds of entries hold no seeds and are left out: hidden ones (`.DS_Store`,
/// `.gitkeep`, an editor's swap file), Markdown documents, and the JSON Schemas in `schemas`.
enum UnreadSeedFiles {
  private static let known = ["categories.json", "feeds", "collections"]
  private static let help = "A seed directory holds categories.json, feeds/*.json and collections/*.json."

  /// The entries of the directory itself, by their names.
  static func findings(_ names: [String], in tree: SeedFileReader) -> [Diagnostic] {
    names.filter { !known.contains($0) && $0 != "schemas" && $0.mayHoldSeeds }.map { name in
      let lower = name.lowercased()
      let meant = known.contains(lower) ? lower : SpellingSuggestion.nearest(to: lower, among: known)
      return finding(name, in: tree, help: meant.map { "Did you mean '\($0)'?" } ?? help)
    }
  }

  /// The entries of one of the directory's folders, by their names.
  static func findings(_ names: [String], ofFolder folder: String, in tree: SeedFileReader) -> [Diagnostic] {
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

  private static func finding(_ path: String, in tree: SeedFileReader, help: String) -> Diagnostic {
    let slash = tree.isFolder(path) ? "/" : ""
    return Diagnostic(.unexpectedFile, "\(tree.path)/\(path)\(slash) is not read", help: help)
  }
}

extension String {
  var isSeedFileName: Bool { hasSuffix(".json") && !hasPrefix(".") }

  fileprivate var mayHoldSeeds: Bool { !hasPrefix(".") && !lowercased().hasSuffix(".md") }
}
