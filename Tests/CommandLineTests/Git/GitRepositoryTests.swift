import Diagnostics
import Foundation
import Testing

@testable import CommandLine

@Suite("Reading a git repository") struct GitRepositoryTests {
  @Test(
    "safe.directory is read as git reads it",
    arguments: [
      ([], false), (["*"], true), (["ROOT"], true), (["ROOT/"], true), (["LINK"], true), (["PARENT/*"], true),
      (["ROOT/*"], false), (["PARENT"], false), (["ROOT", ""], false), (["*", "", "ROOT"], true),
      (["."], false),
      (["PARENT/wor*"], false), (["ROOT-other"], false),
    ])
  func trusted(_ values: [String], _ isTrusted: Bool) async throws {
    try await withFolder { folder in
      try run("git init -q work && ln -s work link", in: folder)
      let tree = try GitWorkTree(containing: "\(folder)/work")
      let paths = [
        "ROOT": tree.root, "LINK": "\(folder)/link",
        "PARENT": (tree.root as NSString).deletingLastPathComponent,
      ]
      let list = values.map { value in paths.reduce(value) { $0.replacing($1.key, with: $1.value) } }
      #expect(tree.isTrusted(by: list) == isTrusted, "\(list)")
    }
  }

  @Test("a folder that only looks like a repository is named, and one with a .git of its own is not")
  func bare() async throws {
    try await withFolder { folder in
      try run("git init -q --bare bare && mkdir -p bare/in worktrees && git init -q bare/own", in: folder)
      try run(
        "mkdir linked && echo ref: refs/heads/x > linked/HEAD && echo ../bare > linked/commondir", in: folder)
      for path in ["bare", "bare/in", "linked"] {
        #expect(code { _ = try GitWorkTree(containing: "\(folder)/\(path)") } == "bare-repository", "\(path)")
      }
      #expect(try GitWorkTree(containing: "\(folder)/bare/own").folder == [])
      #expect(code { _ = try GitWorkTree(containing: "\(folder)/worktrees") } == "no-git-repository")
      try run("echo nonsense > worktrees/.git", in: folder)
      #expect(throws: (any Error).self) { try GitWorkTree(containing: "\(folder)/worktrees") }
    }
  }

  @Test("git gets the variables that it needs, and none that can hold a secret or change what it does")
  func environment() async throws {
    try await withFolder { folder in
      try run(
        """
        git init -q . && mkdir bin
        printf '#!/bin/sh\\nenv >> "%s/seen"\\nexec /usr/bin/git "$@"\\n' "$PWD" > bin/git && chmod +x bin/git
        """, in: folder)
      var process = process(in: folder)
      process.environment["PATH"] = "\(folder)/bin:relative:/usr/bin:/bin"
      process.environment.merge([
        "CLOUDKIT_PRIVATE_KEY": "secret", "CELESTRA_ADMIN_PING_URL": "secret", "GIT_DIR": "/nowhere",
        "GIT_EXTERNAL_DIFF": "evil", "GIT_CONFIG_COUNT": "1", "LD_PRELOAD": "/nowhere",
        "GIT_TRACE": "/nowhere",
      ]) { $1 }
      #expect(try await GitRepository(process).commit("HEAD") == nil)
      #expect(try await GitProgram(process.environment).safeDirectories().isEmpty)
      let seen = try String(contentsOfFile: "\(folder)/seen", encoding: .utf8).split(separator: "\n")
      let names = Set(seen.compactMap { $0.split(separator: "=").first.map(String.init) })
      #expect(
        names.subtracting(["_", "PWD", "OLDPWD", "SHLVL"]) == [
          "PATH", "HOME", "LC_ALL", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_PAGER",
          "GIT_NO_LAZY_FETCH",
          "GIT_ALLOW_PROTOCOL", "GIT_NO_REPLACE_OBJECTS", "GIT_GRAFT_FILE", "GIT_CONFIG_NOSYSTEM",
          "GIT_CONFIG_GLOBAL",
        ])
      #expect(!seen.contains { $0.contains("relative") || $0.contains("secret") })
    }
  }

  @Test("blobs are read whole, empty ones and ones with newlines too, in any number")
  func blobs() async throws {
    try await withFolder { folder in
      try run(
        """
        git init -q . && : > empty && printf '\\n\\n' > lines && printf 'a\\0b' > nul && seq 200000 > long
        i=0; while [ $i -lt 300 ]; do echo $i > f$i; i=$((i+1)); done
        git add . && git -c user.name=t -c user.email=t@example.invalid commit -qm one
        """, in: folder)
      let repository = try await GitRepository(process(in: folder))
      let commit = try #require(try await repository.commit("HEAD"))
      let tree = try #require(try await repository.folderTree(in: commit))
      let entries = try await repository.entries(of: tree)
      let blobs = try await repository.blobs(entries.map(\.id))
      #expect(entries.count == 304)
      for entry in entries {
        #expect(
          blobs[entry.id].map { Data($0) } == FileManager.default.contents(atPath: "\(folder)/\(entry.path)"))
      }
      #expect(
        await failureCode { _ = try await repository.blobs([String(repeating: "1", count: 40)]) }
          == "incomplete-clone")
      for name in ["HEAD\n\(commit)", "--batch-all-objects", "-p", "nothing", "", "HEAD^{tree}"] {
        #expect(try await repository.commit(name) == nil, "\(name)")
      }
    }
  }

  @Test("only a line feed after it makes a carriage return part of a line end")
  func lineEnds() {
    #expect(GitRepository.withUnixLineEnds(Array("a\r\nb\rc\r\r\nd\r".utf8)) == Array("a\nb\rc\r\nd\r".utf8))
  }

  // MARK: Helpers

  private func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? CommandFailure)?.code }
    return nil
  }

  private func failureCode(_ body: () async throws -> Void) async -> String? {
    do { try await body() } catch { return (error as? CommandFailure)?.code }
    return nil
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "git-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private func run(_ line: String, in folder: String) throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-ec", line]
    shell.currentDirectoryURL = URL(filePath: folder)
    try shell.run()
    shell.waitUntilExit()
    try #require(shell.terminationStatus == 0, "\(line)")
  }

  private func process(in folder: String) -> ProcessContext {
    var process = ProcessContext.system
    process.directory = folder
    process.environment = ["HOME": folder, "PATH": "/usr/bin:/bin"]
    return process
  }
}
