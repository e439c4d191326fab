internal import Diagnostics
internal import Platform

extension GitRepository {
  /// Reads a file in a commit. If the file was moved since, reads it at its earlier path and returns that
  /// reference.
  ///
  /// Throws ``CommandFailure`` for an unknown commit, for a path that is not in the commit under any earlier name, and
  /// for a file that is stored in Git LFS.
  package func read(_ reference: GitReference) async throws -> (bytes: [UInt8], from: GitReference) {
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

  private func file(at path: GitPath, in commit: String) async throws -> [UInt8]? {
    guard let entry = try await entry(at: path, in: commit), entry.kind == .file || entry.kind == .link else {
      return nil
    }
    let bytes = try await blobs([entry.id])[entry.id] ?? []
    guard !GitRepository.isLFSPointer(bytes) else {
      throw CommandFailure(
        "\(path) is stored in Git LFS, so the commit has only a pointer to it", code: "stored-in-lfs")
    }
    return bytes
  }

  private func unknown(_ reference: GitReference) async throws -> CommandFailure {
    let sentence =
      try await isShallow()
      ? "this shallow clone does not have '\(reference.revision)'; fetch it first, or check out with fetch-depth: 0"
      : "git knows no commit '\(reference.revision)'"
    return CommandFailure(
      "cannot read \(reference): \(sentence)", code: "not-in-git",
      hint: "A branch or a tag of another repository must be fetched first, with 'git fetch'.")
  }

  // MARK: Files that were moved

  private struct SchemaFile {
    let path: GitPath
    let id: String
  }

  private func schemas(in commit: String) async throws -> [SchemaFile] {
    try await list(["-r", commit]).filter { $0.path.hasSuffix(".ckdb") }
      .compactMap { entry in GitPath(entry.path).map { SchemaFile(path: $0, id: entry.id) } }
  }

  /// The earlier path of a file: a schema that is no longer in the work tree and has at least half of the file's
  /// content, otherwise the only such schema with the file's name.
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
