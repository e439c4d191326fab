internal import Diagnostics
internal import Platform

/// The git repository whose work tree a folder is in. Its objects are read; nothing is written, checked out or fetched.
package struct GitRepository: Sendable {
  package struct Entry: Sendable {
    /// The kinds of entries. A submodule is `other`.
    package enum Kind: Sendable { case file, link, folder, other }

    package let kind: Kind
    package let id: String
    /// The path in the tree that was listed.
    package let path: String
  }

  let workTree: GitWorkTree
  private let program: GitProgram

  /// Throws ``CommandFailure`` if git is not installed (`no-git`), if the folder is in no work tree
  /// (`no-git-repository`) or in a bare repository (`bare-repository`), and if the work tree belongs to another user
  /// and `safe.directory` does not name it (`untrusted-repository`).
  ///
  /// - Parameter directory: an absolute path; the working directory unless given.
  package init(_ process: ProcessContext, in directory: String? = nil) async throws {
    workTree = try GitWorkTree(containing: directory ?? process.directory)
    program = try GitProgram(process.environment)
    if try workTree.isOwn() { return }
    guard workTree.isTrusted(by: try await program.safeDirectories()) else {
      throw CommandFailure(
        "the git repository of \(workTree.root) belongs to another user, so it is not read",
        code: "untrusted-repository",
        hint: "If you trust it, run: git config --global --add safe.directory \(workTree.root)")
    }
  }

  /// Where the work tree around the working directory has the file of a reference; `nil` if there is no such place.
  static func place(of reference: GitReference) -> String? {
    guard let workTree = try? GitWorkTree(containing: "."),
      let path = GitPath(reference.path, in: workTree.folder)
    else { return nil }
    return "\(workTree.root)/\(path)"
  }

  /// The id of a commit; `nil` if the repository does not have it.
  ///
  /// Throws ``CommandFailure`` if git cannot read the repository.
  ///
  /// - Parameter revision: any name of a commit, such as `HEAD~1`.
  package func commit(_ revision: String) async throws -> String? { try await object("\(revision)^{commit}") }

  private func object(_ name: String) async throws -> String? {
    // Each line of git's input is a name.
    guard !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else { return nil }
    return try await headers(of: [name])[0]?.id
  }

  package func folderTree(in commit: String) async throws -> String? {
    guard !workTree.folder.isEmpty else { return try await headers(of: ["\(commit)^{tree}"])[0]?.id }
    let entry = try await entry(at: GitPath(names: workTree.folder), in: commit)
    return entry?.kind == .folder ? entry?.id : nil
  }

  package func hasTree(_ id: String) async throws -> Bool {
    try await headers(of: [id])[0]?.type == "tree"
  }

  /// The entries of a tree. Throws ``CommandFailure`` if an object is missing, and for a tree with a name that no
  /// checkout can write, such as `..`.
  package func entries(of tree: String) async throws -> [Entry] {
    let entries = try await list([tree])
    if let bad = entries.first(where: { !GitPath.isName($0.path) }) {
      throw CommandFailure(
        "the git tree \(tree.prefix(12)) has an entry with the name '\(bad.path)', so it is not read",
        code: "bad-git-tree")
    }
    return entries
  }

  /// The contents of blobs, by their ids. Throws ``CommandFailure`` if one is missing, or if they do not fit in memory.
  package func blobs(_ ids: some Collection<String>) async throws -> [String: [UInt8]] {
    let ids = Array(Set(ids))
    guard !ids.isEmpty else { return [:] }
    var size = 0
    for (id, header) in zip(ids, try await headers(of: ids)) {
      guard let header, header.type == "blob" else { throw incomplete("object \(id.prefix(12)) is missing") }
      guard header.size <= InputFile.sizeLimit - size else {
        throw CommandFailure(
          "the files of the commit are larger than \(InputFile.sizeLimit >> 20) MB", code: "file-too-large")
      }
      size += header.size
    }
    let answer = try await read(["cat-file", "--batch", "--buffer"], input: Self.lines(ids))
    var blobs: [String: [UInt8]] = [:]
    var rest = answer.output[...]
    for id in ids {
      let line = rest.prefix { $0 != 0x0A }
      guard let header = Header(String(decoding: line, as: UTF8.self)), header.size < rest.count - line.count
      else { throw incomplete("object \(id.prefix(12)) is missing") }
      rest = rest.dropFirst(line.count + 1)
      blobs[id] = Array(rest.prefix(header.size))
      rest = rest.dropFirst(header.size + 1)
    }
    return blobs
  }

  package static func isLFSPointer(_ blob: [UInt8]) -> Bool {
    blob.starts(with: "version https://git-lfs.github.com/spec/v1\n".utf8)
  }

  /// The content with each CRLF as LF: `core.autocrlf` and attributes change line ends at the checkout.
  package static func withUnixLineEnds(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x0D) else { return bytes }
    return bytes.indices.filter { bytes[$0] != 0x0D || $0 + 1 == bytes.count || bytes[$0 + 1] != 0x0A }
      .map { bytes[$0] }
  }

  // MARK: Answers of git

  /// Line of `cat-file --batch-check`: `ID TYPE SIZE`.
  private struct Header {
    let id: String
    let type: String
    let size: Int

    /// `nil` for a line about a missing or ambiguous object.
    init?(_ line: String) {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, words[0].utf8.count >= 40, words[0].allSatisfy(\.isHexDigit),
        let size = Int(words[2]), size >= 0
      else { return nil }
      (id, type, self.size) = (String(words[0]), String(words[1]), size)
    }
  }

  /// The headers of objects, in the order of their names; `nil` for a missing one.
  private func headers(of names: [String]) async throws -> [Header?] {
    let answer = try await read(["cat-file", "--batch-check", "--buffer"], input: Self.lines(names))
    let lines = answer.output.split(separator: 0x0A).map { Header(String(decoding: $0, as: UTF8.self)) }
    return names.indices.map { $0 < lines.count ? lines[$0] : nil }
  }

  func entry(at path: GitPath, in commit: String) async throws -> Entry? {
    try await list([commit, "--", path.description]).first { $0.path == path.description }
  }

  private func submodule(of path: GitPath, in commit: String) async throws -> String? {
    let folders = path.names.indices.dropFirst().map { GitPath(names: Array(path.names[..<$0])).description }
    return try await list([commit, "--"] + folders).first { $0.kind == .other && folders.contains($0.path) }?
      .path
  }

  func list(_ arguments: [String]) async throws -> [Entry] {
    try await read(["ls-tree", "-z", "--full-tree"] + arguments).entries.compactMap { line in
      guard let tab = line.firstIndex(of: "\t") else { return nil }
      let words = line[..<tab].split(separator: " ")
      guard words.count == 3 else { return nil }
      let kind: Entry.Kind =
        switch (words[1], words[0]) {
        case ("tree", _): .folder
        case ("blob", "120000"): .link
        case ("blob", _): .file
        default: .other
        }
      return Entry(kind: kind, id: String(words[2]), path: String(line[line.index(after: tab)...]))
    }
  }

  /// The commits where the histories of HEAD and of another commit part. It is the other commit if HEAD contains it.
  package func forkPoints(of commit: String) async throws -> [String] {
    let answer = try await read(["rev-parse", "HEAD...\(commit)"])
    return String(decoding: answer.output, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("^") }
      .map { String($0.dropFirst()) }
  }

  /// Whether the folder had this tree in one of the commits of ``history(since:upTo:)``.
  package func hadFolderTree(_ id: String, since commit: String?) async throws -> Bool {
    let path = workTree.folder.joined(separator: "/")
    // Each line of git's input is a name.
    guard !path.unicodeScalars.contains(where: { $0.value < 0x20 }) else { return false }
    let commits = try await history(since: commit, upTo: 1_000)
    return try await headers(of: commits.map { "\($0):\(path)" }).contains { $0?.id == id }
  }

  /// The last commits of HEAD that changed the folder, newest first, without those that another commit has in its history.
  package func history(
    since commit: String?, upTo limit: Int, _ options: [String] = []
  ) async throws -> [String] {
    let path = workTree.folder.isEmpty ? [] : ["--", workTree.folder.joined(separator: "/")]
    let arguments = ["rev-list", "--full-history", "--max-count=\(limit)"] + options + ["HEAD"]
    let answer = try await read(arguments + (commit.map { ["^\($0)"] } ?? []) + path)
    return String(decoding: answer.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The files of the folder in those commits that the other commit does not have: their ids and paths below the folder.
  package func newFiles(since commit: String?, upTo limit: Int) async throws -> [(id: String, path: String)] {
    let folder = workTree.folder.map { "\($0)/" }.joined()
    // A line is an id, and of a file or a folder a blank and its path.
    return try await history(since: commit, upTo: limit, ["--objects"]).compactMap { line in
      let (id, path) = (line.prefix { $0 != " " }, line.drop { $0 != " " }.dropFirst())
      return path.hasPrefix(folder) ? (String(id), String(path.dropFirst(folder.count))) : nil
    }
  }

  private func read(_ arguments: [String], input: [UInt8] = []) async throws -> GitProgram.Answer {
    let answer = try await program.read(arguments, in: workTree, input: input)
    guard answer.status == 0 else { throw incomplete("git says '\(answer.errors)'") }
    return answer
  }

  /// The failure for a repository that git cannot read, which usually lacks an object.
  private func incomplete(_ reason: String) -> CommandFailure {
    CommandFailure(
      "cannot read the git repository of \(workTree.root): \(reason)", code: "incomplete-clone",
      hint:
        "If this is a partial or a shallow clone, fetch the commit with all its files first. In CI, check out with fetch-depth: 0 and without a filter."
    )
  }

  private static func lines(_ names: [String]) -> [UInt8] { names.flatMap { Array($0.utf8) + [0x0A] } }

  /// Reads a file in a commit, or a stage of a file in conflict. If the file was moved since the commit, reads it at its
  /// earlier path and returns that reference.
  ///
  /// Throws ``CommandFailure`` for an unknown commit, for a path that is not in the commit under any earlier name, for a
  /// stage that the file does not have, and for a file that is stored in Git LFS.
  package func read(_ reference: GitReference) async throws -> (bytes: [UInt8], from: GitReference) {
    if reference.isStage { return (try await staged(reference), reference) }
    guard let commit = try await commit(reference.revision) else { throw try await unknown(reference) }
    let path = GitPath(reference.path, in: workTree.folder)
    if let path, let bytes = try await file(at: path, in: commit) { return (bytes, reference) }
    let schemas = try await schemas(in: commit)
    if let path, let earlier = try await earlierPath(of: path, among: schemas),
      let bytes = try await file(at: earlier, in: commit)
    {
      return (bytes, reference.at(earlier.description))
    }
    throw try await missing(reference, commit, schemas.map(\.path))
  }

  /// The content of a file of the repository's folder in a commit, by default the last one; `nil` if there is no such
  /// commit, or none with the file. Throws ``CommandFailure`` for a file that is stored in Git LFS.
  package func committed(_ name: String, at revision: String = "HEAD") async throws -> [UInt8]? {
    guard let commit = try await commit(revision), let path = GitPath("./\(name)", in: workTree.folder) else {
      return nil
    }
    return try await file(at: path, in: commit)
  }

  /// Follows symbolic links in the commit, of folders too. `nil` if there is no such file, or a link leads to none.
  private func file(at path: GitPath, in commit: String, links: Int = 8) async throws -> [UInt8]? {
    let places = path.names.indices.map { GitPath(names: Array(path.names[...$0])).description }
    let entries = try await list([commit, "--"] + places)
    guard let entry = entries.first(where: { places.contains($0.path) && [.file, .link].contains($0.kind) }),
      let link = GitPath(entry.path), entry.kind == .link || link == path
    else { return nil }
    let bytes = try await content(entry.id, of: path)
    guard entry.kind == .link else { return bytes }
    let target = String(decoding: bytes, as: UTF8.self)
    let names = [".", target] + path.names.dropFirst(link.names.count)
    guard links > 0, !target.hasPrefix("/"),
      let next = GitPath(names.joined(separator: "/"), in: link.names.dropLast())
    else { return nil }
    return try await file(at: next, in: commit, links: links - 1)
  }

  private func staged(_ reference: GitReference) async throws -> [UInt8] {
    guard let path = GitPath(reference.path, in: workTree.folder),
      let id = try await object("\(reference.revision):\(path)")
    else {
      throw CommandFailure(
        "cannot read \(reference): git has no stage \(reference.revision.dropFirst()) of that file",
        code: "not-in-git",
        hint:
          "Only a file in conflict has stages. One that both sides added has no ancestor: merge it without --ancestor."
      )
    }
    return try await content(id, of: path)
  }

  private func content(_ id: String, of path: GitPath) async throws -> [UInt8] {
    let bytes = try await blobs([id])[id] ?? []
    guard !GitRepository.isLFSPointer(bytes) else {
      throw CommandFailure(
        "\(path) is stored in Git LFS, so the commit has only a pointer to it", code: "stored-in-lfs")
    }
    return bytes
  }

  private func unknown(_ reference: GitReference) async throws -> CommandFailure {
    let isShallow = try await read(["rev-parse", "--is-shallow-repository"]).text == "true"
    let sentence =
      isShallow
      ? "this shallow clone does not have '\(reference.revision)'; fetch it first, or check out with fetch-depth: 0"
      : "git knows no commit '\(reference.revision)'"
    return CommandFailure(
      "cannot read \(reference): \(sentence)", code: "not-in-git",
      hint: isShallow
        ? nil : "A branch or a tag of another repository must be fetched first, with 'git fetch'.")
  }

  // MARK: Files that were moved

  private typealias SchemaFile = (path: GitPath, id: String)

  private func schemas(in commit: String) async throws -> [SchemaFile] {
    try await list(["-r", commit]).filter { $0.kind == .file && $0.path.hasSuffix(".ckdb") }
      .compactMap { entry in GitPath(entry.path).map { ($0, entry.id) } }
  }

  /// The earlier path of a file that was moved. Only schemas that are no longer in the work tree count: the one that
  /// has at least half of the file's content, otherwise the only one with the file's name.
  private func earlierPath(of path: GitPath, among schemas: [SchemaFile]) async throws -> GitPath? {
    let gone = schemas.filter { (try? FileKind("\(workTree.root)/\($0.path)")) == .missing }
    if let bytes = try? RegularFile.read("\(workTree.root)/\(path)", upTo: InputFile.sizeLimit) {
      let blobs = try await blobs(gone.map(\.id))
      let file = LineCounts(bytes)
      let ranked = gone.map { (path: $0.path, share: file.share(of: LineCounts(blobs[$0.id] ?? []))) }
      if let best = ranked.max(by: { $0.share < $1.share }), best.share >= 0.5 { return best.path }
    }
    let named = gone.filter { $0.path.names.last == path.names.last }
    return named.count == 1 ? named[0].path : nil
  }

  private func missing(_ reference: GitReference, _ commit: String, _ schemas: [GitPath]) async throws
    -> CommandFailure
  {
    let sentence = "'\(reference.revision)' has no file \(reference.path)"
    let here = "./\(reference.path)"
    if let path = GitPath(here, in: workTree.folder), try await entry(at: path, in: commit)?.kind == .file {
      return CommandFailure(
        "\(sentence) at the repository's root; the file in this folder is \(reference.at(here))",
        code: "not-in-git")
    }
    if let path = GitPath(reference.path, in: workTree.folder),
      let submodule = try await self.submodule(of: path, in: commit)
    {
      return CommandFailure(
        "\(sentence): \(submodule) is a submodule, a repository of its own", code: "not-in-git",
        hint: "Run the command in the folder of the submodule, with a path from there.")
    }
    guard let first = schemas.first else {
      return CommandFailure("\(sentence), nor any other schema", code: "not-in-git")
    }
    let rest = schemas.dropFirst().prefix(4).map { ", \($0)" }.joined() + (schemas.count > 5 ? ", …" : "")
    return CommandFailure(
      "\(sentence); if it moved, name it as it was: \(reference.at(first.description))\(rest)",
      code: "not-in-git")
  }
}

/// The lines of a file and how often each occurs, to compare contents as git does for renamed files.
private struct LineCounts {
  private let counts: [[UInt8]: Int]
  private let size: Int

  init(_ bytes: [UInt8]) {
    let lines = GitRepository.withUnixLineEnds(bytes).split(separator: 0x0A).map(Array.init)
    counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
    size = lines.reduce(0) { $0 + $1.count }
  }

  /// The share of the larger file that both have, from 0 to 1.
  func share(of other: LineCounts) -> Double {
    let common = counts.reduce(0) { $0 + $1.key.count * min($1.value, other.counts[$1.key] ?? 0) }
    return Double(common) / Double(max(size, other.size, 1))
  }
}
