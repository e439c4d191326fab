internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import Platform

extension CommandContext {
  /// The seed folder of a command: the argument, otherwise the nearest folder `seeds`, here or in a parent folder.
  /// Removes what a killed command left there, and says what it did.
  func seedFolder(_ given: String?) throws -> String {
    let folder = try namedSeedFolder(given)
    let left = try FileEdits.removeLeftovers(in: [folder] + SeedFolder.folders.map { "\(folder)/\($0)" })
    if !left.isEmpty {
      alert(
        "note: a command was killed while it wrote to \(folder), and did not replace \(listed(left, upTo: 20)). 'git diff' shows what it did replace. Run it again."
      )
    }
    return folder
  }

  private func namedSeedFolder(_ given: String?) throws -> String {
    if let given {
      hints?.repeatWords(
        [given],
        in: [
          SeedPlanCommand.self, SeedApply.self, SeedValidate.self, SeedPullCommand.self, SeedDuplicates.self,
          SeedMovesCommand.self, SeedFormat.self,
        ])
      return given
    }
    if let nearest = SeedFolder.nearest(to: process.directory) {
      return nearest == "\(process.directory)/\(SeedFolder.name)" ? SeedFolder.name : nearest
    }
    throw CommandFailure(
      "no folder 'seeds' with a categories.json was found here or in a folder above", code: "no-seeds",
      hint: "Name the seed folder as an argument, or make one with 'celestra-admin seed init'.",
      status: .usage)
  }
}
