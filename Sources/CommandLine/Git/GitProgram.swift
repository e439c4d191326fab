internal import Diagnostics
internal import FoundationEssentials

/// The git program, used only to read objects. This is the only type that starts git.
///
/// Nothing that the configuration of a repository names is started:
///
/// - The caller names the repository, so git searches for none.
/// - `rev-parse`, `rev-list`, `ls-tree` and `cat-file` use no filter, diff driver, hook, pager or file of the work tree.
///   The options turn off what older versions might still use.
/// - Git would fetch a missing object of a partial clone. Versions before 2.45 do not know GIT_NO_LAZY_FETCH; in
///   these GIT_ALLOW_PROTOCOL stops the fetch before it starts a program.
///
/// The child process gets only the variables that are listed here, so it sees no secret.
struct GitProgram: Sendable {
  struct Answer: Sendable {
    let status: Int32
    let output: [UInt8]
    /// The last line of standard error, where git says why it failed.
    let errors: String

    var text: String { String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self) }
    var lines: [String] { String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) }
    var entries: [String] { output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } }
  }

  private static let options = [
    "-C", "/", "--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=",
    "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit",
  ]
  private static let variables = [
    "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat",
    "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
  ]

  private let path: String
  private let search: [String: String]
  private let home: [String: String]

  /// Throws ``CommandFailure`` if git is not installed.
  init(_ environment: [String: String]) throws {
    // Ignore relative folders in PATH: in an untrusted working directory they could contain another program named
    // git.
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":").filter { $0.hasPrefix("/") }
    guard let path = folders.map({ "\($0)/git" }).first(where: FileManager.default.isExecutableFile(atPath:))
    else { throw CommandFailure("git is not installed, or not on the PATH", code: "no-git") }
    self.path = path
    search = ["PATH": folders.joined(separator: ":")]
    home = environment.filter { ["HOME", "XDG_CONFIG_HOME"].contains($0.key) }
  }

  /// Runs a command that reads objects of a repository. The user's and the system's configuration is not read.
  func read(_ arguments: [String], in workTree: GitWorkTree, input: [UInt8] = []) async throws -> Answer {
    let place = ["--git-dir=\(workTree.gitFolder)", "--work-tree=\(workTree.root)"]
    return try await run(
      place + arguments, ["GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"], input)
  }

  /// The values of `safe.directory` in the user's and the system's configuration, never in a repository's.
  func safeDirectories() async throws -> [String] {
    let answer = try await run(
      ["--git-dir=/dev/null", "config", "-z", "--type=path", "--get-all", "safe.directory"], home, [])
    // The status is 1 if the key has no value.
    guard answer.status <= 1 else {
      throw CommandFailure("git cannot read its configuration: \(answer.errors)", code: "no-git")
    }
    return answer.output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func run(_ arguments: [String], _ more: [String: String], _ input: [UInt8]) async throws -> Answer {
    let child = ChildProcess(
      program: path, arguments: Self.options + arguments,
      environment: Self.variables.merging(search) { $1 }.merging(more) { $1 }, streams: .captured,
      input: input)
    let outcome = try await child.run()
    try Task.checkCancellation()
    let errors = outcome.errors.split(separator: 0x0A).last ?? []
    return Answer(
      status: outcome.status, output: outcome.output, errors: String(decoding: errors, as: UTF8.self))
  }
}
