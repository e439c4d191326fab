import Foundation
import Testing

/// The step of the Action that downloads the package of its own release, from a server on loopback: the repository by
/// git's protocol for plain files, and the files of the release.
@Suite("The Action's own release") struct ActionDownloadTests {
  /// What differs from a release that the Action can use, and what the step says.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Is run in the folder that is served; `$release` is the folder of the release, `$package` the package's name.
    var edit = ":"
    /// The words of the shell that print the Action's commit, tag or branch.
    var reference = "git -C admin rev-parse v$version^{commit}"
    var repository = "octo/admin"
    var isStopped = false
    let says: String
    var isDownloaded: Bool { says.hasPrefix("downloaded") }
  }

  @Test(
    "only the release of the Action's own commit is downloaded, and a wrong checksum stops the job",
    arguments: [
      Case(testDescription: "the commit of the release", says: "downloaded version"),
      Case(testDescription: "the tag", reference: "echo v$version", says: "downloaded version"),
      Case(
        testDescription: "a branch at the commit", reference: "echo release/next", says: "downloaded version"),
      Case(
        testDescription: "a tag without a message",
        edit: "git -C admin tag -f v$version v$version^{} && publish",
        says: "downloaded version"),
      Case(
        testDescription: "a later commit", reference: "git -C admin rev-parse main",
        says: "the Action's commit is not the one of version"),
      Case(
        testDescription: "a branch with a later commit", reference: "echo main",
        says: "the Action's commit is not the one of version"),
      Case(
        testDescription: "a branch that does not exist", reference: "echo gone",
        says: "the Action's commit is not the one of version"),
      Case(
        testDescription: "no tag", edit: "git -C admin tag -d v$version && publish", reference: "echo main",
        says: "is not released"),
      Case(testDescription: "a draft", edit: "rm -r $release", says: "has no published release"),
      Case(
        testDescription: "another architecture", edit: "sed -i s/_$architecture/_mips/ $release/SHA256SUMS",
        says: "has no package for this machine"),
      Case(
        testDescription: "a package that is missing", edit: "rm $release/$package",
        says: "::warning::celestra-admin_"),
      Case(
        testDescription: "another package", edit: "echo x >> $release/$package", isStopped: true,
        says: "::error::the checksum of"),
      Case(
        testDescription: "checksums that are none", edit: "echo \"0000  $package\" > $release/SHA256SUMS",
        isStopped: true, says: "::error::the checksum of"),
      Case(
        testDescription: "two checksums of one package",
        edit: "echo \"$(printf %064d 0)  $package\" >> $release/SHA256SUMS", isStopped: true,
        says: "::error::the checksum of"),
      Case(
        testDescription: "a package that is not attested", edit: "echo other > ../../attested",
        isStopped: true,
        says: "::error::GitHub does not attest that"),
      Case(
        testDescription: "no gh", edit: "rm ../../bin/gh", says: "this machine has no gh"),
      Case(
        testDescription: "a package of another version", edit: "pack 9.9.9", isStopped: true,
        says: "contains version 9.9.9"),
      Case(testDescription: "an Action of the checkout", repository: "", says: "comes from no repository"),
      Case(
        testDescription: "a repository that does not exist", repository: "octo/other",
        says: "::warning::"),
      Case(
        testDescription: "a repository of another server", repository: "octo/admin?x",
        says: "comes from no repository"),
      Case(
        testDescription: "an option as a branch", reference: "echo --upload-pack=x", says: "with a plain name"
      ),
    ])
  func downloads(_ tested: Case) async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      tool.environment = [
        "EDIT": tested.edit, "REFERENCE": tested.reference, "REPOSITORY": tested.repository,
      ]
      let outcome = try await tool.shell(Self.script)
      let log = outcome.out + outcome.err
      #expect(outcome.status == (tested.isStopped ? 1 : 0), "\(log)")
      #expect(log.contains(tested.says), "\(log)")
      let output = try String(contentsOfFile: "\(folder)/output", encoding: .utf8)
      guard tested.isDownloaded else {
        #expect(output.isEmpty)
        return
      }
      let path = try #require(output.split(separator: "=").last.map { $0.trimmingCharacters(in: .newlines) })
      try await Self.install(path, with: tool)
    }
  }

  /// The next step puts the downloaded tool, and nothing beside it, on the path.
  private static func install(_ path: String, with tool: Tool) async throws {
    var tool = tool
    tool.environment = [
      "RUNNER_TEMP": "\(tool.directory)/runner", "GITHUB_ENV": "\(tool.directory)/environment",
      "GITHUB_PATH": "\(tool.directory)/path", "BINARY": path,
    ]
    let installed = try await tool.shell("'\(ActionRepository.steps)/install-tool' && ls $(cat path)")
    let version = try await tool.run(["--version"])
    #expect(installed.out == "\(version.out)celestra-admin\n", "\(installed)")
  }

  /// Serves a repository and its release on a free port, and runs the step.
  private static let script = """
    set -e
    version=$(celestra-admin --version) architecture=$(dpkg --print-architecture)
    package=celestra-admin_${version}_$architecture.deb
    mkdir -p served/octo runner && cd served/octo
    export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.invalid GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.invalid
    git init -q --bare -b main admin
    tree=$(git -C admin mktree < /dev/null)
    first=$(git -C admin commit-tree -m first "$tree"); second=$(git -C admin commit-tree -m second -p "$first" "$tree")
    git -C admin update-ref refs/heads/main "$second"; git -C admin update-ref refs/heads/release/next "$first"
    git -C admin tag -a -m release "v$version" "$first"
    publish() { git -C admin update-server-info; }
    release=admin/releases/download/v$version
    mkdir -p "$release"
    pack() {
      mkdir -p pack/DEBIAN pack/usr/bin
      printf 'Package: celestra-admin\\nVersion: %s\\nArchitecture: %s\\nMaintainer: t <t@example.invalid>\\nDescription: t\\n' \
        "$1" "$architecture" > pack/DEBIAN/control
      printf '#!/bin/sh\\necho %s\\n' "$1" > pack/usr/bin/celestra-admin
      chmod +x pack/usr/bin/celestra-admin
      dpkg-deb --root-owner-group --build pack "$release/$package" > ../../log
      (cd "$release" && sha256sum "$package" > SHA256SUMS)
    }
    mkdir ../../bin; echo "$first" > ../../attested; export ATTESTED=$(cd ../..; pwd)/attested PATH="$(cd ../..; pwd)/bin:$PATH"
    cat > ../../bin/gh <<'GH'
    #!/bin/sh
    [ "$1 $2" = "attestation verify" ] || exit 1
    [ "$3" = --help ] || exec test "$4 $5 $6 $7 $8 $9" = "--repo octo/admin \\
    --signer-workflow octo/admin/.github/workflows/release.yml --source-digest $(cat "$ATTESTED")"
    GH
    chmod +x ../../bin/gh
    pack "$version"; publish; eval "$EDIT"
    reference=$(eval "$REFERENCE")
    cd ..
    python3 -u -m http.server --bind 127.0.0.1 0 > ../port 2> /dev/null & server=$!
    trap 'kill $server' EXIT
    until grep -q 'port [0-9]' ../port; do kill -0 $server; done
    port=$(sed 's/.* port \\([0-9]*\\).*/\\1/' ../port)
    cd ..; : > output
    GITHUB_SERVER_URL=http://127.0.0.1:$port ACTION_REPOSITORY=$REPOSITORY ACTION_REF=$reference GITHUB_OUTPUT=$PWD/output \
      RUNNER_TEMP=$PWD/runner '\(ActionRepository.steps)/download-tool'
    """

  @Test("a server that does not answer is no reason to stop: the tool is built")
  func unreachable() async throws {
    try await withScratchFolder { folder in
      // Nothing listens on a port that was just closed.
      let port = try { try Listener().port }()
      var tool = Tool(directory: folder)
      tool.environment = [
        "GITHUB_SERVER_URL": "http://127.0.0.1:\(port)", "ACTION_REPOSITORY": "octo/admin",
        "ACTION_REF": "main",
        "GITHUB_OUTPUT": "\(folder)/output", "RUNNER_TEMP": folder,
      ]
      let outcome = try await tool.shell("'\(ActionRepository.steps)/download-tool'")
      #expect(outcome.status == 0 && outcome.out.contains("::warning::"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/output"))
    }
  }

  @Test("the libraries are installed, and the tool is built, only where nothing was downloaded")
  func steps() throws {
    let text = try String(contentsOf: projectRoot.appending(path: "action.yml"), encoding: .utf8)
    let steps = text.components(separatedBy: "    - name: ").dropFirst()
    func step(_ name: String) throws -> String { try #require(steps.first { $0.hasPrefix("\(name)\n") }) }
    for name in ["Install the libraries", "Restore the build"] {
      #expect(
        try step(name).contains("inputs.binary == '' && steps.download.outputs.tool == ''\n"), "\(name)")
    }
    #expect(try step("Download the tool").contains("      id: download\n"))
    #expect(
      try step("Install the tool").contains("BINARY: ${{ inputs.binary || steps.download.outputs.tool }}\n"))
  }
}
