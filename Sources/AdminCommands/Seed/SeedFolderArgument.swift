internal import Catalog
internal import CommandLine
internal import Diagnostics

extension CommandContext {
  /// The seed folder of a command: the argument, otherwise the nearest folder `seeds`, here or in a parent folder.
  func seedFolder(_ given: String?) throws -> String {
    if let given { return given }
    if let nearest = SeedFolder.nearest(to: process.directory) {
      return nearest == "\(process.directory)/\(SeedFolder.name)" ? SeedFolder.name : nearest
    }
    throw CommandFailure(
      "no folder 'seeds' with a categories.json was found here or in a folder above", code: "no-seeds",
      hint: "Name the seed folder as an argument.", status: .usage)
  }

  /// The catalog of the nearest seed folder, to compare with; empty, with a note, if it cannot be read.
  func nearestCatalog() -> (SeedCatalog, [Diagnostic]) {
    guard let folder = SeedFolder.nearest(to: process.directory) else { return (SeedCatalog(), []) }
    if let catalog = SeedLoader(directory: folder).load().catalog { return (catalog, []) }
    let note = Diagnostic(
      SeedRule.unreadable, "the seeds in \(folder) have errors, so nothing was compared with them",
      severity: .note, help: "Run 'celestra-admin seed validate' to see them.")
    return (SeedCatalog(), [note])
  }
}
