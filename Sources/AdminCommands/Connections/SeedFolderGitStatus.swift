internal import Catalog
internal import CommandLine
internal import Cryptography
internal import Curation
internal import Diagnostics
internal import Platform

/// The seeds of a folder, compared with the last commit. Outside a work tree, nothing can be compared and no
/// uncommitted file is protected.
struct SeedFolderGitStatus {
  /// `nil` if git is not installed, the folder is outside a work tree, or the work tree is another user's.
  private let repository: GitRepository?
  /// The files that were loaded, by their path below the folder.
  private let files: [String: [UInt8]]
  /// The last commit and the folder's tree in it; `nil` without a commit that has the folder.
  private let head: AppliedRevision?
  /// The seed files that may differ from the last commit, new and removed ones included.
  let uncommitted: [String: UncommittedSeedFile]

  /// Throws ``CommandFailure`` if the folder is in a bare repository, or the last commit cannot be read.
  ///
  /// - Parameter files: the seeds as they were loaded, so that what is compared is what is used.
  init(_ context: CommandContext, folder: String, files: [SeedFile]) async throws {
    self.files = Dictionary(files.map { ($0.path, $0.source.bytes) }) { first, _ in first }
    repository = try await Self.repository(context, folder)
    guard let repository else {
      (head, uncommitted) = (nil, [:])
      return
    }
    head = try await Self.head(of: repository)
    uncommitted = Self.differences(self.files, try await repository.seedFiles(in: head?.tree))
    for path in uncommitted.filter({ $0.value == .storedInLFS }).keys.sorted() {
      context.warn("\(folder)/\(path) \(UncommittedSeedFile.storedInLFS.rawValue)")
    }
  }

  var isInGit: Bool { repository != nil }

  /// Throws ``CommandFailure`` if the clone has no commit of a name that a user gave.
  func requireCommit(_ name: String) async throws {
    guard let repository, AppliedRevision(name)?.tree == nil, try await repository.commit(name) == nil else {
      return
    }
    throw try await repository.unknown(name, toRead: "the seeds of --base")
  }

  /// The last commit and the tree of the folder in it; `nil` if the folder has uncommitted seeds, or is in no commit.
  ///
  /// The commit of a pull request may be in no other clone: a merge makes another one, with the same tree. A tree
  /// that the folder had once before is left out: in a clone without the commit, it would be that of an older one.
  var revision: String? {
    get async throws {
      guard uncommitted.isEmpty, let repository, let head, let tree = head.tree else { return nil }
      do {
        return try await repository.returned(toFolderTree: tree) ? head.commit : head.description
      } catch let failure as CommandFailure where failure.code == "incomplete-clone" {
        return head.commit
      }
    }
  }

  /// The seeds of a revision; `nil` if the clone does not have it or its seeds have errors.
  ///
  /// Throws ``CommandFailure`` if the clone has the commit without its files, and for a tree with unusable names.
  ///
  /// - Parameters:
  ///   - revision: what ``revision`` has returned, or any name of a commit.
  ///   - former: what it had returned before.
  ///   - current: the seeds in the folder, which are the revision's if it has the same files.
  func catalog(
    at revision: String, after former: String? = nil, current: SeedCatalog
  ) async throws -> SeedCatalog? {
    guard let repository, let tree = try await tree(of: revision, after: former, in: repository) else {
      return nil
    }
    if uncommitted.isEmpty, tree == head?.tree { return current }
    let earlier = try await repository.seedFiles(in: tree)
    if let path = earlier.filter({ GitRepository.isLFSPointer($0.value) }).keys.sorted().first {
      throw CommandFailure(
        "cannot read the seeds of '\(revision.prefix(12))': \(path) is stored in Git LFS",
        code: "stored-in-lfs")
    }
    if Self.differences(files, earlier).isEmpty { return current }
    return SeedLoader(files: earlier, named: "git:\(revision)").load().catalog
  }

  /// The seeds of the last commit that HEAD and a revision have in common; `.some(nil)` if it is unknown. `nil` if HEAD
  /// contains the revision, or another commit with its seeds, as the merge of a pull request makes one.
  func catalogBefore(_ revision: String, current: SeedCatalog) async throws -> SeedCatalog?? {
    // Of a commit that the clone does not have, only seeds that HEAD contains are read.
    guard let repository, let applied = AppliedRevision(revision), applied.commit != head?.commit,
      let commit = try await repository.commit(applied.commit)
    else { return nil }
    let forkPoint = try await forkPoint(of: revision)
    if forkPoint == commit { return nil }
    if let tree = applied.tree,
      try await repository.lastCommit(withFolderTree: tree, since: commit) != nil
    {
      return nil
    }
    guard let forkPoint else { return .some(nil) }
    return .some(try await catalog(at: forkPoint, current: current))
  }

  /// The commit where the histories of HEAD and a revision part; `nil` if it is unknown, or if there are several.
  func forkPoint(of revision: String) async throws -> String? {
    guard let repository, let applied = AppliedRevision(revision),
      let commit = try await repository.commit(applied.commit)
    else { return nil }
    let forkPoints = try await repository.forkPoints(of: commit)
    return forkPoints.count == 1 ? forkPoints[0] : nil
  }

  /// The entries of the seed files that are new in the last commits of HEAD, or of the revision itself, since the histories
  /// of both parted, one catalog a file.
  func entriesAfter(_ revision: String, ofRevision: Bool) async throws -> [SeedCatalog] {
    guard let repository, let applied = AppliedRevision(revision) else { return [] }
    var known = try await forkPoint(of: revision)
    if known == nil { known = try await repository.commit(applied.commit) }
    if known == nil, let tree = applied.tree {
      // The commit of a pull request, which was merged as another one.
      known = try await repository.lastCommit(withFolderTree: tree)
    }
    return try await repository.newSeeds(since: known, of: ofRevision ? applied.commit : "HEAD").map {
      SeedLoader(files: [$0.path: $0.bytes], named: "git:\(revision)").entries()
    }
  }

  private func tree(
    of revision: String, after former: String?, in repository: GitRepository
  ) async throws -> String? {
    let applied = AppliedRevision(revision)
    if let head, head.commit == applied?.commit { return head.tree }
    let commit = try await repository.commit(applied?.commit ?? revision)
    if let commit, let tree = try await repository.folderTree(in: commit) { return tree }
    guard let tree = applied?.tree else { return nil }
    if commit != nil { return try await repository.hasTree(tree) ? tree : nil }
    // HEAD must have had the same seeds, in a commit that follows what was applied before: else they may be another
    // branch's, or older ones.
    var since: String?
    if let former = former.flatMap(AppliedRevision.init) {
      let commit = try await repository.commit(former.commit)
      since = try await forkPoint(of: former.commit) ?? commit
      if since == nil || since != commit, let tree = former.tree {
        since = try await repository.lastCommit(withFolderTree: tree) ?? since
      }
    }
    let options = since == nil ? [] : ["--ancestry-path"]
    return try await repository.lastCommit(withFolderTree: tree, since: since, options) == nil ? nil : tree
  }

  private static func repository(_ context: CommandContext, _ folder: String) async throws -> GitRepository? {
    let path = context.process.absolutePath(folder)
    do { return try await GitRepository.ifAny(context.process, in: path) } catch let failure as CommandFailure
      where failure.code == "untrusted-repository"
    {
      context.warn(failure.messageWithHint)
      return nil
    }
  }

  private static func head(of repository: GitRepository) async throws -> AppliedRevision? {
    guard let commit = try await repository.commit("HEAD"),
      let tree = try await repository.folderTree(in: commit)
    else { return nil }
    return AppliedRevision("\(commit) \(tree)")
  }

  private static func differences(
    _ files: [String: [UInt8]], _ committed: [String: [UInt8]]
  ) -> [String: UncommittedSeedFile] {
    let unix = GitRepository.withUnixLineEnds
    var found: [String: UncommittedSeedFile] = [:]
    for path in Set(files.keys).union(committed.keys) {
      let (file, blob) = (files[path], committed[path])
      if file != nil, blob.map(GitRepository.isLFSPointer) == true {
        found[path] = .storedInLFS
      } else if file != blob, file.map(unix) != blob.map(unix) {
        found[path] = .changed
      }
    }
    return found
  }
}

extension SeedFolderGitStatus {
  /// What a saved plan keeps about the files that it was made of.
  ///
  /// - Parameters:
  ///   - folder: as it was named. Where it is on this machine is left out.
  ///   - here: the working directory.
  func planned(in folder: String, from here: String) -> JSONObject {
    let below = folder.hasPrefix("\(here)/") ? String(folder.dropFirst(here.count + 1)) : nil
    let name =
      !folder.hasPrefix("/") ? folder : folder == SeedFolder.nearest(to: here) ? SeedFolder.name : below
    let uncommitted = uncommitted.keys.sorted().map { path -> JSONValue in
      .object(["file": path.json, "digest": files[path].map(Self.digest(_:))?.json])
    }
    return [
      "folder": name?.json, "digest": Self.digest(of: files).json, "commit": head?.commit.json,
      "uncommitted": uncommitted.isEmpty ? nil : .array(uncommitted),
    ]
  }

  /// Counts the files of a saved plan that were uncommitted and have not been committed since as they were, under any
  /// name; as they were, if the plan does not say where. Notes that the files have changed since.
  ///
  /// Throws ``CommandFailure``.
  static func uncommitted(_ planned: JSONObject, _ context: CommandContext) async throws -> Int {
    let uncommitted = planned["uncommitted"]?.array ?? []
    guard let name = planned["folder"]?.string else { return uncommitted.count }
    guard let folder = name == SeedFolder.name ? SeedFolder.nearest(to: context.process.directory) : name
    else { return 0 }
    let files = SeedLoader(directory: folder).load().files
    guard !files.isEmpty else { return 0 }
    let now = Dictionary(files.map { ($0.path, $0.source.bytes) }) { first, _ in first }
    if digest(of: now) != planned["digest"]?.string {
      context.note(
        "note: the seed files have changed since this plan was made; it is applied as it was saved")
    }
    guard !uncommitted.isEmpty, let repository = try await repository(context, folder) else { return 0 }
    guard try await repository.commit("HEAD") != nil else { return uncommitted.count }
    let committed = try await repository.seedFiles(in: try await head(of: repository)?.tree)
    // They may have been committed, and the files changed by later commits.
    var since: String?
    if let commit = planned["commit"]?.string { since = try await repository.commit(commit) }
    let later = try await repository.newSeeds(since: since).map(\.bytes)
    let known = Set((Array(committed.values) + later).map(digest(_:)))
    return uncommitted.count { file in
      file["digest"]?.string.map { !known.contains($0) } ?? (committed[file["file"]?.string ?? ""] != nil)
    }
  }

  private static func digest(_ file: [UInt8]) -> String { SHA256.hex(GitRepository.withUnixLineEnds(file)) }

  private static func digest(of files: [String: [UInt8]]) -> String {
    SHA256.hex(files.map { "\(digest($0.value)) \($0.key)\n" }.sorted().joined())
  }
}

extension GitRepository {
  /// The seed files of a seed folder's tree, by their path below the folder. A link to another of them is followed.
  fileprivate func seedFiles(in tree: String?) async throws -> [String: [UInt8]] {
    guard let tree else { return [:] }
    var found: [String: Entry] = [:]
    for entry in try await entries(of: tree) {
      if entry.kind == .folder, SeedFolder.folders.contains(entry.path) {
        for file in try await entries(of: entry.id) { found["\(entry.path)/\(file.path)"] = file }
      } else {
        found[entry.path] = entry
      }
    }
    found = found.filter { SeedFolder.reads($0.key) && ($0.value.kind == .file || $0.value.kind == .link) }
    let blobs = try await blobs(found.values.map(\.id))
    return found.reduce(into: [:]) { files, file in
      var entry = file.value
      if entry.kind == .link {
        let target = String(decoding: blobs[entry.id] ?? [], as: UTF8.self)
        entry = found[Self.target(target, ofLinkAt: file.key)] ?? entry
      }
      files[file.key] = blobs[entry.id]
    }
  }

  /// The seed files among the new files of a head.
  fileprivate func newSeeds(
    since commit: String?, of head: String = "HEAD"
  ) async throws -> [(path: String, bytes: [UInt8])] {
    let files = try await newFiles(since: commit, of: head).filter { SeedFolder.reads($0.path) }
    let blobs = try await blobs(files.map(\.id))
    return files.compactMap { file in blobs[file.id].map { (file.path, $0) } }
  }

  /// The path below the seed folder to which a relative link leads.
  private static func target(_ target: String, ofLinkAt path: String) -> String {
    var names = path.split(separator: "/").dropLast()
    for name in target.split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return names.joined(separator: "/")
  }
}

extension CommandContext {
  /// The file of the state folder that says what one clone had of the container, whose own memory is about all clones. Each
  /// line is a JSON object for a folder of seeds: `value` is a line of ``AgreedValues`` that a run of this machine took,
  /// declined or replaced; `file` and `digest` are what a pull wrote.
  private static let ownName = "pulled"
  private static let maxOwnSize = 1 << 24
  private static let maxOwnLines = 10_000

  private func ownEntries(ofSeeds folder: String?) -> [JSONValue] {
    do {
      guard let state = try StateFolder.existing(stateDirectory) else { return [] }
      let seeds = try folder.map(path(ofSeeds:))
      return try state.lines(of: Self.ownName, upTo: Self.maxOwnSize)
        .compactMap { try? JSONValue(parsing: $0) }.filter { seeds == nil || $0["seeds"]?.string == seeds }
    } catch {
      noteOnce("note: what this clone wrote into the seeds is not known: \(CommandFailure(error).message)")
      return []
    }
  }

  private func path(ofSeeds folder: String) throws -> String {
    try FileKind.resolvedPath(process.absolutePath(folder))
  }

  /// As of `AgreedValues/noteOwn(_:)`, of all folders unless one is given; empty, with a note, where they cannot be read.
  func ownValues(ofSeeds folder: String? = nil) -> Set<String> {
    Set(ownEntries(ofSeeds: folder).compactMap { $0["value"]?.string })
  }

  /// The files of the folder that are as the last pull of this clone that changed them wrote them, so that no change of a person
  /// is in them.
  func filesAsPulled(_ workspace: SeedWorkspace) -> [String] {
    // Where they cannot be read, each uncommitted file is protected.
    let files = ownEntries(ofSeeds: workspace.folder)
      .compactMap { entry in entry["file"]?.string.map { ($0, entry["digest"]?.string ?? "") } }
    let last = Dictionary(files) { $1 }
    return workspace.files.filter { last[$0.path] == SHA256.hex($0.source.bytes) }.map(\.path)
  }

  /// Throws `FileFailure`.
  func rememberPulled(_ written: [FileEdit], in workspace: SeedWorkspace) throws {
    try remember(
      written.map { ["file": workspace.path(of: $0).json, "digest": SHA256.hex($0.after).json] },
      ofSeeds: workspace.folder)
  }

  /// Throws `FileFailure`.
  func remember(_ values: AgreedValues, ofSeeds folder: String) throws {
    try remember(values.lines.map { ["value": $0.json] }, ofSeeds: folder)
  }

  private func remember(_ entries: [JSONObject], ofSeeds folder: String) throws {
    guard !entries.isEmpty else { return }
    let seeds: JSONValue = ["seeds": try path(ofSeeds: folder).json]
    let lines = entries.map { seeds.adding($0).text() }
    let new = Set(lines)
    let state = try StateFolder.open(stateDirectory, making: true)
    try state.changeLines(of: Self.ownName, upTo: Self.maxOwnSize) { former in
      Array((former.filter { !new.contains($0) } + lines).suffix(Self.maxOwnLines))
    }
  }
}
