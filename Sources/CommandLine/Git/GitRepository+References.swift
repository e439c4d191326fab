package import Diagnostics
internal import Platform

extension GitRepository {
  /// Reads a file in a commit, or a stage of a file in conflict. If the file was moved since the commit, reads it at its
  /// earlier path and returns that reference.
  ///
  /// Throws ``CommandFailure`` for an unknown commit, for a path that is not in the commit under any earlier name, for a
  /// stage that the file does not have, and for a file that is stored in Git LFS.
  package func read(_ reference: GitReference) async throws -> (bytes: [UInt8], from: GitReference) {
    if reference.isStage { return (try await staged(reference), reference) }
    guard let commit = try await commit(reference.revision) else {
      throw try await unknown(reference.revision, toRead: "\(reference)")
    }
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
    if let (id, path) = try await stage(reference) { return try await content(id, of: path) }
    let here = reference.fromFolder
    let isHere = try await stage(here) != nil
    throw CommandFailure(
      "cannot read \(reference): git has no stage \(reference.revision.dropFirst()) of that file"
        + (isHere ? Self.elsewhere(here) : ""),
      code: "not-in-git",
      hint: isHere
        ? nil
        : "Only a file in conflict has stages. One that both sides added has no ancestor: merge it without --ancestor."
    )
  }

  private func stage(_ reference: GitReference) async throws -> (id: String, path: GitPath)? {
    guard let path = GitPath(reference.path, in: workTree.folder) else { return nil }
    return try await object("\(reference.revision):\(path)").map { ($0, path) }
  }

  private static func elsewhere(_ here: GitReference) -> String {
    " at the repository's root; the file in this folder is \(here)"
  }

  private func content(_ id: String, of path: GitPath) async throws -> [UInt8] {
    let bytes = try await blobs([id])[id] ?? []
    guard !GitRepository.isLFSPointer(bytes) else {
      throw CommandFailure(
        "\(path) is stored in Git LFS, so the commit has only a pointer to it", code: "stored-in-lfs")
    }
    return bytes
  }

  package func unknown(_ revision: String, toRead what: String) async throws -> CommandFailure {
    let isShallow = try await read(["rev-parse", "--is-shallow-repository"]).text == "true"
    return CommandFailure(
      "cannot read \(what): "
        + (isShallow
          ? "this shallow clone does not have '\(revision)'; fetch it first, or check out with fetch-depth: 0"
          : "git knows no commit '\(revision)'"),
      code: "not-in-git",
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
    func failure(_ rest: String) -> CommandFailure {
      CommandFailure("'\(reference.revision)' has no file \(reference.path)\(rest)", code: "not-in-git")
    }
    let here = reference.fromFolder
    if let path = GitPath(here.path, in: workTree.folder),
      try await entry(at: path, in: commit)?.kind == .file
    {
      return failure(Self.elsewhere(here))
    }
    guard let first = schemas.first else { return failure(", nor any other schema") }
    let rest = schemas.dropFirst().prefix(4).map { ", \($0)" }.joined() + (schemas.count > 5 ? ", …" : "")
    return failure("; if it moved, name it as it was: \(reference.at(first.description))\(rest)")
  }
}

/// The lines of a file and how often each occurs, to compare contents as git does for renamed files.
private struct LineCounts {
  private let counts: [[UInt8]: Int]
  private var size: Int { counts.reduce(0) { $0 + $1.key.count * $1.value } }

  init(_ bytes: [UInt8]) {
    let lines = GitRepository.withUnixLineEnds(bytes).split(separator: 0x0A)
    counts = Dictionary(lines.map { (Array($0), 1) }, uniquingKeysWith: +)
  }

  /// The share of the larger file that both have, from 0 to 1.
  func share(of other: LineCounts) -> Double {
    let common = counts.reduce(0) { $0 + $1.key.count * min($1.value, other.counts[$1.key] ?? 0) }
    return Double(common) / Double(max(size, other.size, 1))
  }
}
