import Foundation
import Testing

/// The commands of Documentation/deploy/README.md that put its files in place, word for word, in a copy of the folder.
/// `Scripts/package --test` runs those for the user, for cron and for the images in a clean Debian.
@Suite("The layout of the recipes") struct DeployLayoutTests {
  private static let folder = projectRoot.appending(path: "Documentation/deploy").path
  private static let page = Result { try String(contentsOfFile: "\(folder)/README.md", encoding: .utf8) }

  /// The commands of the first fenced block after a text.
  private func commands(after lead: String) throws -> String {
    let rest = try #require(try Self.page.get().components(separatedBy: lead).dropFirst().first, "\(lead)")
    let block = try #require(rest.components(separatedBy: "```\n").dropFirst().first)
    #expect(!block.isEmpty)
    return block.replacing("/usr/share/doc/celestra-admin/examples", with: Self.folder)
  }

  /// Runs as sudo would, below a folder instead of the machine's root, and only notes what changes the system. Owners are
  /// noted, because the tester need not be root.
  private static let sudo = """
    #!/bin/bash
    name=$1; shift; words=()
    echo "$name $*" >> "$ROOT/log"
    while [ $# -gt 0 ]; do
      case $1 in -g | -o) shift ;; /*) words+=("$ROOT$1") ;; *) words+=("$1") ;; esac
      shift
    done
    case $name in install) install "${words[@]}" ;; systemctl | useradd) ;; *) exit 99 ;; esac
    """

  /// Runs the commands in a copy of the recipes, as the guide says to make one. Returns the machine's root.
  private func installed(_ leads: String..., body: (_ root: String) async throws -> Void) async throws {
    let make = try commands(after: "`cloudkit.pem`:")
    let setUp = try leads.map { try commands(after: $0) }.joined()
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      try FileManager.default.createDirectory(
        atPath: "\(folder)/root/etc/systemd/system", withIntermediateDirectories: true)
      for path in ["root/etc/cron.d", "root/usr/local/bin", "root/var/lib", "bin"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
      }
      let image = projectRoot.appending(path: "Scripts/image-root").path
      let tools = URL(filePath: Tool.path).deletingLastPathComponent().path
      let docker = "#!/bin/sh\necho \"docker $*\" >> \"$ROOT/log\"\nexec '\(image)' \"$@\"\n"
      for (name, text) in ["sudo": Self.sudo, "docker": docker] {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/bin/\(name)"))
      }
      tool.environment = ["ROOT": "\(folder)/root", "PATH": "\(folder)/bin:\(tools):/usr/bin:/bin"]
      let outcome = try await tool.shell(
        """
        set -e; chmod +x bin/*
        \(make)
        touch cloudkit.pem schema.ckdb celestra-admin_$(celestra-admin --version)_amd64.deb SHA256SUMS
        \(setUp)
        """)
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
      try await body("\(folder)/root")
    }
  }

  /// The names in a folder of the machine.
  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("the commands for systemd install and start the jobs, and not the emulator")
  func systemd() async throws {
    try await installed("for systemd and for cron:", "the jobs, with systemd:", "and then, with systemd:") {
      root in
      let jobs = ["health", "mirror", "purge", "recount", "verify"]
      let units = try names("\(root)/etc/systemd/system")
      #expect(units == jobs.flatMap { ["celestra-\($0).service", "celestra-\($0).timer"] })
      let log = try String(contentsOfFile: "\(root)/log", encoding: .utf8).split(separator: "\n")
      let enabled = log.filter { $0.hasPrefix("systemctl enable --now ") }
      #expect(
        enabled.flatMap { $0.split(separator: " ").dropFirst(3).map(String.init) }.sorted()
          == units.filter { $0.hasSuffix(".timer") })
      // The user exists before anything belongs to it, and is the one of the units.
      #expect(log.first?.hasPrefix("useradd --system ") == true && log.first?.hasSuffix(" celestra") == true)
      for unit in units where unit.hasSuffix(".service") {
        let text = try String(contentsOfFile: "\(root)/etc/systemd/system/\(unit)", encoding: .utf8)
        #expect(
          text.contains("\nUser=celestra\n") && text.contains("\nEnvironmentFile=/etc/celestra/admin.env\n"))
      }
      #expect(try names("\(root)/etc/celestra") == ["admin.env", "cloudkit.pem", "schema.ckdb"])
      #expect(try mode("\(root)/etc/celestra/cloudkit.pem") == 0o640)
      #expect(try mode("\(root)/etc/celestra") == 0o750)
    }
  }

  @Test("the commands for cron install the table and what its lines start")
  func cron() async throws {
    try await installed("for systemd and for cron:", "with cron:") { root in
      #expect(try names("\(root)/etc/cron.d") == ["celestra"])
      // Debian's cron ignores a table that others may write to.
      #expect(try mode("\(root)/etc/cron.d/celestra") == 0o644)
      let table = try String(contentsOfFile: "\(root)/etc/cron.d/celestra", encoding: .utf8)
      #expect(table.contains("\nPATH=/usr/local/bin:"))
      #expect(table.contains("\nJOB_ENVIRONMENT=/etc/celestra/admin.env\n"))
      #expect(try mode("\(root)/usr/local/bin/celestra-job") == 0o755)
      #expect(try names("\(root)/etc/systemd/system").isEmpty)
    }
  }

  @Test("the commands for the images find what they copy in the folder in which they are given")
  func images() async throws {
    try await installed("of the release in the folder:") { root in
      let log = try String(contentsOfFile: "\(root)/log", encoding: .utf8).split(separator: "\n")
      #expect(log.count == 2 && log.allSatisfy { $0.hasPrefix("docker build --file ") && $0.hasSuffix(" .") })
      // The second image is made from the first one.
      let tag = try #require(log.first?.firstMatch(of: /--tag (\S+)/)).1
      #expect(log.last?.contains("--build-arg IMAGE=\(tag) ") == true)
    }
  }

  @Test(
    "a file that an image copies from another folder is noticed, and so are an unknown argument and instruction",
    arguments: [
      ("COPY celestra-job SHA256SUMS /tmp/", "", "has no SHA256SUMS"),
      ("ARG VERSION\nCOPY a_${VERSION} /tmp/", "VERSION=2", "has no a_2"),
      ("COPY a_${VERSION} /tmp/", "", "${VERSION} has no value"),
      ("ARG VERSION", "RELEASE=2", "declares no ARG RELEASE"), ("ADD a b", "", "the instruction ADD"),
    ])
  func mistakes(_ lines: String, _ argument: String, _ message: String) async throws {
    try await withScratchFolder { folder in
      try Data("FROM debian\n\(lines)\n".utf8).write(to: URL(filePath: "\(folder)/Dockerfile"))
      try Data().write(to: URL(filePath: "\(folder)/celestra-job"))
      let option = argument.isEmpty ? "" : "--build-arg \(argument)"
      let image = projectRoot.appending(path: "Scripts/image-root").path
      let outcome = try await Tool(directory: folder).shell("'\(image)' build --file Dockerfile \(option) .")
      #expect(outcome.status == 1 && outcome.err.contains(message), "\(outcome)")
    }
  }

  @Test("the documents name the files and images of this version")
  func versions() async throws {
    let version = try await Tool(directory: "/").run(["--version"]).out.trimmingCharacters(in: .newlines)
    let recipes = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).map {
      "Documentation/deploy/\($0)"
    }
    var found = 0
    for path in recipes + ["README.md"] {
      let file = projectRoot.appending(path: path)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }  // A folder.
      for match in text.matches(of: /(?:celestra-(?:admin|lambda)[_:-]|VERSION=)([0-9]+\.[0-9]+\.[0-9]+)/) {
        #expect(match.1 == version, "\(path): \(match.0)")
        found += 1
      }
    }
    #expect(found >= 10)
  }
}
