internal import Diagnostics
internal import Platform

/// The git repository whose work tree a folder is in. Its objects are read; nothing is written, checked out or fetched.
package struct GitRepository: Sendable {
  package struct Entry: Sendable {
    /// The kinds of entries. A submodule is `other`.
    package enum Kind: Sendable { case file, link, folder, other }

    package let kind: Kind
    package let id: String
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

  /// The repository of a folder; `nil` without git, and if the folder is in no work tree. Throws the other failures.
  package static func ifAny(_ process: ProcessContext, in directory: String) async throws -> GitRepository? {
    do { return try await GitRepository(process, in: directory) } catch let failure as CommandFailure
      where ["no-git", "no-git-repository"].contains(failure.code)
    {
      return nil
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

  func object(_ name: String) async throws -> String? { try await headers(of: [name])[0]?.id }

  package func folderTree(in commit: String) async throws -> String? {
    guard !workTree.folder.isEmpty else { return try await object("\(commit)^{tree}") }
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
    bytes.contains(0x0D) ? bytes.replacing("\r\n".utf8, with: "\n".utf8) : bytes
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

  /// The headers of objects, in the order of their names; `nil` for a missing one, and for all where one is not a line.
  private func headers(of names: [String]) async throws -> [Header?] {
    guard !names.contains(where: { $0.unicodeScalars.contains { $0.value < 0x20 } }) else {
      return names.map { _ in nil }
    }
    let answer = try await read(["cat-file", "--batch-check", "--buffer"], input: Self.lines(names))
    let lines = answer.output.split(separator: 0x0A).map { Header(String(decoding: $0, as: UTF8.self)) }
    return names.indices.map { $0 < lines.count ? lines[$0] : nil }
  }

  func entry(at path: GitPath, in commit: String) async throws -> Entry? {
    try await list([commit, "--", path.description]).first { $0.path == path.description }
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
    try await read(["rev-parse", "HEAD...\(commit)"]).lines.filter { $0.hasPrefix("^") }
      .map { String($0.dropFirst()) }
  }

  /// The last commit of ``history(since:upTo:_:of:)`` in which the folder had this tree.
  package func lastCommit(
    withFolderTree id: String, since commit: String? = nil, _ options: [String] = []
  ) async throws -> String? {
    try await folderTrees(since: commit, options).first { $0.tree == id }?.commit
  }

  /// Whether the folder had HEAD's tree before it had another one; also where a shallow clone may lack that.
  package func returned(toFolderTree id: String) async throws -> Bool {
    if try await read(["rev-parse", "--is-shallow-repository"]).text == "true" { return true }
    return try await folderTrees(since: nil, []).drop { $0.tree == id }.contains { $0.tree == id }
  }

  private func folderTrees(
    since commit: String?, _ options: [String]
  ) async throws -> [(commit: String, tree: String?)] {
    let commits = try await history(since: commit, upTo: 1_000, ["--date-order"] + options)
    let names = commits.map { "\($0):\(workTree.folder.joined(separator: "/"))" }
    return zip(commits, try await headers(of: names)).map { ($0, $1?.id) }
  }

  /// The last commits of a head that changed the folder, newest first, without those that another commit has in its history.
  package func history(
    since commit: String?, upTo limit: Int, _ options: [String] = [], of head: String = "HEAD"
  ) async throws -> [String] {
    let path = workTree.folder.isEmpty ? [] : ["--", workTree.folder.joined(separator: "/")]
    let arguments = ["rev-list", "--full-history", "--max-count=\(limit)"] + options + [head]
    return try await read(arguments + (commit.map { ["^\($0)"] } ?? []) + path).lines
  }

  /// The files of the folder in the last 50 of those commits that the other commit does not have: their ids, and their
  /// paths below the folder.
  package func newFiles(since commit: String?, of head: String) async throws -> [(id: String, path: String)] {
    let folder = workTree.folder.map { "\($0)/" }.joined()
    // A line is an id, and of a file or a folder a blank and its path.
    return try await history(since: commit, upTo: 50, ["--objects"], of: head).compactMap { line in
      let (id, path) = (line.prefix { $0 != " " }, line.drop { $0 != " " }.dropFirst())
      return path.hasPrefix(folder) ? (String(id), String(path.dropFirst(folder.count))) : nil
    }
  }

  func read(_ arguments: [String], input: [UInt8] = []) async throws -> GitProgram.Answer {
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
}
