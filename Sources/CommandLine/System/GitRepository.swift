internal import Diagnostics
internal import FoundationEssentials

/// A file in a commit: `git:REF:PATH`. The path is from the repository's root, or with `./` from the folder.
public struct GitReference: Sendable, CustomStringConvertible {
  public let revision: String
  public let path: String

  public static let prefix = "git:"

  /// Throws a usage error for anything but `git:REF:PATH`.
  public init(_ text: String) throws {
    let rest = text.dropFirst(GitReference.prefix.count)
    guard let colon = rest.firstIndex(of: ":"), colon != rest.startIndex,
      rest.index(after: colon) != rest.endIndex
    else {
      throw CommandFailure.usage("'\(text)' must be git:REF:PATH, such as git:origin/main:schema/app.ckdb")
    }
    revision = String(rest[..<colon])
    path = String(rest[rest.index(after: colon)...])
  }

  public var description: String { "\(GitReference.prefix)\(revision):\(path)" }

  func at(_ path: String) -> GitReference { GitReference(revision: revision, path: path) }

  private init(revision: String, path: String) {
    self.revision = revision
    self.path = path
  }
}

/// The git repository that a folder is in. Reads only: git runs as a child process, without a shell.
public struct GitRepository: Sendable {
  private let program: String
  private let directory: String
  private let environment: [String: String]

  /// Throws ``CommandFailure`` if git is not installed.
  ///
  /// - Parameter directory: an absolute path; the working directory unless given.
  public init(_ process: ProcessContext, in directory: String? = nil) throws {
    // Ignore relative folders in PATH: in an untrusted working directory they could contain another program named
    // git.
    let folders = (process.environment["PATH"] ?? "/usr/bin").split(separator: ":").filter {
      $0.hasPrefix("/")
    }
    guard
      let program = folders.map({ "\($0)/git" }).first(where: FileManager.default.isExecutableFile(atPath:))
    else { throw CommandFailure("git is not installed, or not on the PATH", code: "no-git") }
    self.program = program
    self.directory = directory ?? process.directory
    environment = process.environment.merging([
      "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
    ]) { $1 }
  }

  /// Reads a file in a commit. If the file was moved since, reads it at its earlier path and returns that
  /// reference.
  ///
  /// Throws ``CommandFailure`` outside a work tree, for an unknown commit, and for a path that is not in the commit
  /// under any earlier name.
  public func read(_ reference: GitReference) async throws -> (bytes: [UInt8], from: GitReference) {
    let commit = try await commit(of: reference)
    if let bytes = try await blob(commit, reference.path) { return (bytes, reference) }
    let candidates = try await earlierPaths(of: reference.path, commit)
    if candidates.count == 1, let bytes = try await blob(commit, candidates[0]) {
      return (bytes, reference.at(candidates[0]))
    }
    throw CommandFailure(try await missing(reference, commit), code: "not-in-git")
  }

  private func commit(of reference: GitReference) async throws -> String {
    let inside = try await run(["rev-parse", "--is-inside-work-tree"])
    guard inside.status == 0, inside.text == "true" else {
      let isOutside = inside.status == 0 || inside.errors.contains("not a git repository")
      throw CommandFailure(
        isOutside
          ? "cannot read \(reference): \(directory) is not in a git work tree"
          : "cannot read \(reference): git says '\(inside.errors)'",
        code: "no-git-repository")
    }
    let found = try await run(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference.revision)^{commit}"])
    if found.status == 0 { return found.text }
    let isShallow = try await run(["rev-parse", "--is-shallow-repository"]).text == "true"
    throw CommandFailure(
      isShallow
        ? "cannot read \(reference): this shallow clone does not have '\(reference.revision)'; fetch it first, "
          + "or check out with fetch-depth: 0"
        : "cannot read \(reference): git knows no commit '\(reference.revision)'", code: "not-in-git")
  }

  /// The content of a file in a commit; `nil` if the commit does not have it.
  private func blob(_ commit: String, _ path: String) async throws -> [UInt8]? {
    let object = try await run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(commit):\(path)"])
    guard object.status == 0 else { return nil }
    let content = try await run(["cat-file", "blob", object.text])
    if content.status == 0 { return content.output }
    // The path is a folder or a submodule.
    if content.errors.contains("bad file") { return nil }
    throw CommandFailure("git cannot read \(path): \(content.errors)", code: "not-in-git")
  }

  /// Possible earlier paths of the file in the commit: the renamed file that git finds, otherwise the only file
  /// with the same name.
  private func earlierPaths(of path: String, _ commit: String) async throws -> [String] {
    let wanted = try await pathFromRoot(path)
    let moves = try await run([
      "diff-index", "-z", "--find-renames", "--diff-filter=R", "--name-status", commit, "--",
    ]).entries
    // The entries repeat: status, earlier path, path.
    for place in stride(from: 0, to: moves.count - 2, by: 3) where moves[place + 2] == wanted {
      return [moves[place + 1]]
    }
    let name = wanted.split(separator: "/").last
    return try await schemaFiles(commit).filter { $0.split(separator: "/").last == name }
  }

  private func pathFromRoot(_ path: String) async throws -> String {
    guard path.hasPrefix("./") || path.hasPrefix("../") else { return path }
    return try await run(["rev-parse", "--show-prefix"]).text + path.drop { $0 == "." }.drop { $0 == "/" }
  }

  private func schemaFiles(_ commit: String) async throws -> [String] {
    try await run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]).entries
      .filter { $0.hasSuffix(".ckdb") }
  }

  private func missing(_ reference: GitReference, _ commit: String) async throws -> String {
    let files = try await schemaFiles(commit)
    let sentence = "'\(reference.revision)' has no file \(reference.path)"
    guard let first = files.first else { return "\(sentence), nor any other schema" }
    let rest = files.dropFirst().prefix(4).map { ", \($0)" }.joined() + (files.count > 5 ? ", …" : "")
    return "\(sentence); if it moved, name it as it was: \(reference.at(first))\(rest)"
  }

  /// The exit status and output of a git command.
  public struct Answer: Sendable {
    public let status: Int32
    public let output: [UInt8]
    /// The first line.
    public let errors: String

    public var text: String { String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self) }
    /// The entries of NUL-terminated output.
    public var entries: [String] { output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } }
  }

  public func run(_ arguments: [String]) async throws -> Answer {
    let child = ChildProcess(
      program: program, arguments: ["-C", directory] + arguments, environment: environment, streams: .captured
    )
    let outcome = try await child.run()
    try Task.checkCancellation()
    let errors = String(decoding: outcome.errors.prefix { $0 != 0x0A }, as: UTF8.self)
    return Answer(status: outcome.status, output: outcome.output, errors: errors)
  }
}
