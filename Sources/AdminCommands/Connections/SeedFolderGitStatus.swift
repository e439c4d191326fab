internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// The git status of a seed folder. Outside a work tree, nothing can be compared and no uncommitted file is
/// protected.
struct SeedFolderGitStatus {
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

  /// The seeds of a revision; `nil` if the clone does not have it or its seeds have errors.
  ///
  /// - Parameters:
  ///   - revision: what ``revision()`` has returned, or any name of a commit.
  ///   - current: the seeds in the folder, which need not be read once more if the revision has the same files.
  func catalog(at revision: String, current: SeedCatalog) async throws -> SeedCatalog? {
    guard let repository, let tree = try await tree(of: revision, in: repository) else { return nil }
    if try await isUnchanged(since: tree, in: repository) { return current }
    let names = try await repository.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]).entries
    let folder = FileManager.default.temporaryDirectory.appending(path: "celestra-seeds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in names where name.hasSuffix(".json") && !name.hasPrefix("schemas/") {
      let blob = try await repository.run(["cat-file", "blob", "\(tree):\(name)"])
      guard blob.status == 0 else { continue }
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(blob.output).write(to: file)
    }
    return SeedLoader(directory: folder.path()).load().catalog
  }

  private func isUnchanged(since tree: String, in repository: GitRepository) async throws -> Bool {
    guard try await repository.run(["rev-parse", "--verify", "--quiet", "HEAD:./"]).text == tree,
      try await repository.run(["diff", "--quiet", "HEAD", "--", "."]).status == 0
    else { return false }
    let others = try await repository.run(["ls-files", "-z", "--others", "--", "*.json"])
    return others.status == 0 && others.output.isEmpty
  }

  /// The last commit and the tree of the folder in it; `nil` if the folder has uncommitted changes, or is in no commit.
  ///
  /// The commit of a pull request may be in no other clone: a merge makes another one, with the same tree.
  func revision() async throws -> String? {
    guard let repository, try await uncommitted().isEmpty else { return nil }
    let head = try await repository.run(["rev-parse", "HEAD^{commit}", "HEAD:./"])
    let lines = String(decoding: head.output, as: UTF8.self).split(separator: "\n")
    return head.status == 0 ? lines.joined(separator: " ") : nil
  }

  private func tree(of revision: String, in repository: GitRepository) async throws -> String? {
    let words = revision.split(separator: " ")
    for object in words.prefix(1).map({ "\($0):./" }) + words.dropFirst().prefix(1).map({ "\($0)^{tree}" }) {
      let found = try await repository.run(["rev-parse", "--verify", "--quiet", "--end-of-options", object])
      if found.status == 0 { return found.text }
    }
    return nil
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
