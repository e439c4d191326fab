internal import Diagnostics
internal import Platform

/// The git work tree that a folder is in, found without git.
///
/// Git itself also takes a folder with `HEAD`, `objects` and `refs` for a repository, and obeys its `config`. A clone
/// can carry such a folder as ordinary files, but never one named `.git`.
struct GitWorkTree: Sendable {
  /// The folder that holds `.git`, with links resolved.
  let root: String
  /// The repository: the folder `.git`, or the one that a file `.git` names (worktrees, submodules).
  let gitFolder: String
  /// The names on the path from the root to the folder.
  let folder: [String]

  /// Throws ``CommandFailure`` if the folder is in no work tree, or in a bare repository, and ``FileFailure``.
  ///
  /// - Parameter path: an absolute path.
  init(containing path: String) throws {
    let place = try FileKind.resolvedPath(path)
    var names = place.split(separator: "/").map(String.init)
    var below: [String] = []
    while true {
      let root = "/" + names.joined(separator: "/")
      if let found = try GitWorkTree.repository(of: root) {
        (self.root, gitFolder, folder) = (root, found, below)
        return
      }
      if GitWorkTree.isRepository(root) {
        throw CommandFailure(
          "\(root) is itself a git repository (it has HEAD, objects and refs), so git is not used in it",
          code: "bare-repository",
          hint: "Remove these files from the folder, or use a work tree of the repository.")
      }
      guard let last = names.popLast() else { break }
      below.insert(last, at: 0)
    }
    throw CommandFailure("\(path) is not in a git work tree", code: "no-git-repository")
  }

  func isOwn() throws -> Bool {
    try FileKind.isOwnedByUser(GitWorkTree.dotGit(in: root)) && FileKind.isOwnedByUser(gitFolder)
  }

  /// Whether a value of `safe.directory` trusts this work tree, as git reads the list: an empty value clears it, and
  /// `*` at the end of a path stands for all folders below it.
  func isTrusted(by safeDirectories: [String]) -> Bool {
    let start = safeDirectories.lastIndex(of: "").map { $0 + 1 } ?? 0
    return safeDirectories[start...].contains { value in
      if value == "*" { return true }
      if value.hasSuffix("/*") { return root.hasPrefix(value.dropLast()) }
      // The value may lead through links; one of a missing folder names no work tree.
      return (try? FileKind.resolvedPath(value)) == root
    }
  }

  private static func dotGit(in folder: String) -> String { folder == "/" ? "/.git" : "\(folder)/.git" }

  /// The repository that `.git` in a folder is or names; `nil` without one.
  private static func repository(of folder: String) throws -> String? {
    let path = dotGit(in: folder)
    switch try FileKind(path) {
    case .folder: return isRepository(path) ? try FileKind.resolvedPath(path) : nil
    case .file:
      let text = String(decoding: try RegularFile.read(path, upTo: 1 << 14), as: UTF8.self)
      let prefix = "gitdir: "
      guard text.hasPrefix(prefix), let line = text.dropFirst(prefix.count).split(separator: "\n").first
      else { throw FileFailure("\(path) does not name a git repository") }
      return try FileKind.resolvedPath(line.hasPrefix("/") ? String(line) : "\(folder)/\(line)")
    case .missing, .other: return nil
    }
  }

  /// Whether git would take a folder for a repository. One with `commondir` has its objects elsewhere.
  private static func isRepository(_ path: String) -> Bool {
    func kind(_ name: String) -> FileKind { (try? FileKind("\(path)/\(name)")) ?? .missing }
    guard kind("HEAD") != .missing else { return false }
    return kind("commondir") == .file || (kind("objects") == .folder && kind("refs") == .folder)
  }
}

extension ProcessContext {
  /// The names of the folders from the root of a git work tree to the working directory; empty outside of a work tree.
  /// Throws ``CommandFailure`` in a bare repository.
  package func foldersInWorkTree() throws -> [String] {
    do { return try GitWorkTree(containing: directory).folder } catch let failure as CommandFailure {
      guard failure.code == "no-git-repository" else { throw failure }
      return []
    }
  }
}

/// The path of a file in a commit, from the repository's root, with only names that a checkout can write. Trees are
/// data from others: git stores any bytes as names, and refuses bad ones only when it checks them out.
struct GitPath: Sendable, Hashable, CustomStringConvertible {
  let names: [String]

  var description: String { names.joined(separator: "/") }
}

extension GitPath {
  init?(_ text: String) {
    let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy(GitPath.isName) else { return nil }
    self.init(names: names)
  }

  /// The path that a user means in a folder: a path with `./` or `../` at its start is from the folder, any other
  /// from the root. `nil` if it leads out of the repository.
  init?(_ text: String, in folder: [String]) {
    guard text.hasPrefix("./") || text.hasPrefix("../") else {
      self.init(text)
      return
    }
    var names = folder
    for name in text.split(separator: "/").map(String.init) where name != "." {
      guard name == ".." else {
        names.append(name)
        continue
      }
      guard names.popLast() != nil else { return nil }
    }
    self.init(names: names)
  }

  /// Whether a name can be one of a file: not empty, `.`, `..` or `.git` in any case, and without a separator of
  /// any system.
  static func isName(_ name: String) -> Bool {
    !["", ".", "..", ".git"].contains(name.lowercased())
      && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0 == "\0" }
  }
}

/// A file in a commit: `git:REF:PATH`. Of a file in conflict `git::1:PATH` is the ancestor, `git::2:PATH` ours and
/// `git::3:PATH` theirs. The path is from the repository's root, or with `./` from the folder.
package struct GitReference: Sendable, CustomStringConvertible {
  package let revision: String
  package let path: String

  package static let prefix = "git:"

  /// Whether the revision is a stage of git's index, such as `:1`.
  package var isStage: Bool { revision.hasPrefix(":") }

  package var description: String { "\(GitReference.prefix)\(revision):\(path)" }

  func at(_ path: String) -> GitReference { GitReference(revision: revision, path: path) }

  /// The reference if the path was meant to be from the folder.
  var fromFolder: GitReference { at("./\(path.drop { $0 == "/" })") }
}

extension GitReference {
  /// Throws a usage error for anything but `git:REF:PATH` and `git::STAGE:PATH`.
  package init(_ text: String) throws {
    let rest = text.dropFirst(GitReference.prefix.count)
    let colon = rest.dropFirst(rest.hasPrefix(":") ? 1 : 0).firstIndex(of: ":") ?? rest.startIndex
    let (revision, path) = (String(rest[..<colon]), String(rest[colon...].dropFirst()))
    guard !revision.isEmpty, !path.isEmpty, !revision.hasPrefix(":") || [":1", ":2", ":3"].contains(revision)
    else {
      throw CommandFailure.usage("'\(text)' must be git:REF:PATH, such as git:origin/main:schema/app.ckdb")
    }
    self.init(revision: revision, path: path)
  }
}
