internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// The git state of a seed folder. Outside a work tree, nothing can be compared and no uncommitted file is
/// protected.
struct GitSeeds {
  /// `nil` if git is not installed or the folder is outside a work tree.
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

  /// The seeds in a commit; `nil` if the commit does not exist or its seeds have errors.
  ///
  /// - Parameter current: the seeds in the folder, which need not be read once more if the commit has the same files.
  func catalog(at revision: String, current: SeedCatalog) async throws -> SeedCatalog? {
    guard let repository else { return nil }
    let commit = try await repository.run([
      "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}",
    ])
    guard commit.status == 0 else { return nil }
    if try await isUnchanged(since: commit.text, in: repository) { return current }
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

  private func isUnchanged(since commit: String, in repository: GitRepository) async throws -> Bool {
    guard try await repository.run(["diff", "--quiet", commit, "--", "."]).status == 0 else { return false }
    let others = try await repository.run(["ls-files", "-z", "--others", "--", "*.json"])
    return others.status == 0 && others.output.isEmpty
  }

  /// The last commit, if the folder has no uncommitted changes; otherwise `nil`.
  func revision() async throws -> String? {
    guard let repository, try await uncommitted().isEmpty else { return nil }
    let head = try await repository.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    return head.status == 0 ? head.text : nil
  }

  /// Files in the folder that are untracked or differ from the last commit.
  func uncommitted() async throws -> Set<String> {
    guard let repository else { return [] }
    let changed = try await repository.run(["diff", "--name-only", "-z", "--relative", "HEAD", "--", "."])
    let new = try await repository.run(["ls-files", "-z", "--others", "--exclude-standard"])
    guard changed.status == 0 else {
      // The repository has no commits yet.
      return Set(new.entries + (try await repository.run(["ls-files", "-z"]).entries))
    }
    return Set(changed.entries + new.entries)
  }
}
