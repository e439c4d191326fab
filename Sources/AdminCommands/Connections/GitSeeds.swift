internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// A seed folder as git knows it. Without a work tree there is nothing to compare with and nothing to protect.
struct GitSeeds {
  /// `nil` where git is not installed or the folder is in no work tree.
  private let repository: GitRepository?

  init(_ process: ProcessContext, folder: String) async throws {
    let path = folder.hasPrefix("/") ? folder : "\(process.directory)/\(folder)"
    guard let found = try? GitRepository(process, in: path) else {
      repository = nil
      return
    }
    repository = try await found.run(["rev-parse", "--is-inside-work-tree"]).text == "true" ? found : nil
  }

  var isInGit: Bool { repository != nil }

  /// The seeds of a commit; `nil` when it is not there or its seeds have errors.
  func catalog(at revision: String) async throws -> SeedCatalog? {
    guard let repository else { return nil }
    let commit = try await repository.run([
      "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}",
    ])
    guard commit.status == 0 else { return nil }
    let names = try await repository.run(["ls-tree", "-r", "-z", "--name-only", commit.text]).entries
    let folder = FileManager.default.temporaryDirectory.appending(path: "celestra-seeds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in names where name.hasSuffix(".json") && !name.hasPrefix("schemas/") {
      let blob = try await repository.run(["cat-file", "blob", "\(commit.text):./\(name)"])
      guard blob.status == 0 else { continue }
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(blob.output).write(to: file)
    }
    return SeedLoader(directory: folder.path()).load().catalog
  }

  /// The last commit, if the folder is as it has it; `nil` otherwise.
  func revision() async throws -> String? {
    guard let repository, try await uncommitted().isEmpty else { return nil }
    let head = try await repository.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    return head.status == 0 ? head.text : nil
  }

  /// The files below the folder that differ from the last commit, or that no commit has.
  func uncommitted() async throws -> Set<String> {
    guard let repository else { return [] }
    let changed = try await repository.run(["diff", "--name-only", "-z", "--relative", "HEAD", "--", "."])
    let new = try await repository.run(["ls-files", "-z", "--others", "--exclude-standard"])
    guard changed.status == 0 else {
      // There is no commit yet.
      return Set(new.entries + (try await repository.run(["ls-files", "-z"]).entries))
    }
    return Set(changed.entries + new.entries)
  }
}
