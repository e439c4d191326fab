import Foundation
import Testing

/// Clones whose files are made to start programs, or to be written elsewhere, when a command reads git.
@Suite("Hostile repositories") struct HostileRepositoryTests {
  /// A repository planted in a clone, and what is then done in the clone.
  struct Planted: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The lines that make the folder `made`, which is then cloned with its submodules.
    let lines: String
    /// The seed folder, or the folder of the schema.
    let folder: String
    var isSchema = false
  }

  private static let clones = [
    Planted(
      testDescription: "the seed folder", lines: "mkdir made; cp -R seeds made/seeds; plant KIND made/seeds",
      folder: "seeds"),
    Planted(
      testDescription: "a parent of the seed folder",
      lines: "mkdir -p made/data/catalog; cp -R seeds made/data/catalog/; plant KIND made/data",
      folder: "data/catalog/seeds"),
    Planted(
      testDescription: "a folder of a submodule",
      lines: """
        mkdir -p library/catalog; cp -R seeds library/catalog/; plant KIND library/catalog
        git init -q library; git -C library add -A; git -C library commit -qm one
        git init -q made; git -C made submodule --quiet add "file://$root/library" library
        """, folder: "library/catalog/seeds"),
    Planted(
      testDescription: "ordinary files in the place of a submodule",
      lines: """
        mkdir -p made/library; cp -R seeds made/library/; plant KIND made/library
        printf '[submodule "library"]\\n\\tpath = library\\n\\turl = ./library\\n' > made/.gitmodules
        """, folder: "library/seeds"),
    Planted(
      testDescription: "the schema's folder",
      lines: "mkdir made; cp -R schema made/schema; plant KIND made/schema", folder: "schema", isSchema: true),
    Planted(
      testDescription: "a parent of the schema's folder",
      lines: "mkdir -p made/a/b; cp -R schema made/a/b/; plant KIND made/a", folder: "a/b/schema",
      isSchema: true),
  ]

  @Test(
    "a bare repository in a clone starts nothing, and the command says why it stops",
    arguments: clones, HostileRepository.Trap.allCases)
  func planted(_ planted: Planted, _ trap: HostileRepository.Trap) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let made = try await tool.make(
        """
        \(planted.lines.replacing("KIND", with: trap.rawValue))
        git init -q made; git -C made add -A; git -C made commit -qm one
        git clone -q --recurse-submodules made clone; hooks; rm -f markers/*
        celestra-admin container init --schema schema/celestra.ckdb -q --container local:clone/c.sqlite
        """)
      try #require(made.status == 0 && tool.markers.isEmpty, "\(made.err)")
      let clone = Tool(
        directory: "\(folder)/clone",
        environment: ["HOME": folder, "CELESTRA_ADMIN_CONTAINER": "local:\(folder)/clone/c.sqlite"])
      for line in planted.isSchema ? Self.schemaLines : Self.seedLines {
        let outcome = try await clone.shell(line.replacing("FOLDER", with: planted.folder))
        #expect(tool.markers.isEmpty, "\(line): \(tool.markers)")
        #expect(outcome.status == 1, "\(line)\n\(outcome.out)\(outcome.err)")
        #expect(
          (outcome.out + outcome.err).contains("is itself a git repository"),
          "\(line)\n\(outcome.out)\(outcome.err)")
      }
      let count = try await clone.run(["records", "count", "PublicFeed"])
      #expect(count.out.contains("0"), "\(count.out)")
    }
  }

  @Test(
    "programs in the configuration of the repository itself are not started",
    arguments: HostileRepository.Trap.allCases)
  func ownConfiguration(_ trap: HostileRepository.Trap) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let made = try await tool.make(
        """
        mkdir clone; cp -R seeds schema clone; cd clone; printf '* filter=x diff=x\\n' > .gitattributes
        git init -q .; git add -A; git commit -qm one
        celestra-admin container init --schema schema/celestra.ckdb -q
        celestra-admin seed apply --yes -q; celestra-admin records update PublicFeed six-colors --set title=Six -q
        celestra-admin seed pull -q; git checkout -q seeds; rm .celestra/pulled
        git mv schema/celestra.ckdb schema/app.ckdb; sed 's/"NASA"/"N.A.S.A."/' seeds/feeds/science.json > kept
        cp kept seeds/feeds/science.json; rm kept; printf '.celestra\\n' > .gitignore; git add -A; git commit -qm two
        first=$(git rev-parse HEAD~1:seeds/feeds/science.json HEAD~1:schema/celestra.ckdb)
        git remote add nowhere "file://$root/nothing"; cd ..; hooks; traps \(trap.rawValue) clone/.git
        [ \(trap.rawValue) = drivers ] || for id in $first; do
          rm -f "clone/.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)"; done
        touch clone/seeds/*.json clone/seeds/*/*.json; rm -f markers/*
        """)
      try #require(made.status == 0 && tool.markers.isEmpty, "\(made.err)")
      // The second is git as it was before it knew GIT_NO_LAZY_FETCH.
      try Data("#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec /usr/bin/git \"$@\"\n".utf8).write(
        to: URL(filePath: "\(folder)/tmp/git"))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/tmp/git")
      for path in ["", "PATH=\(folder)/tmp:$PATH; "] {
        for (line, status) in try Self.ownLines(trap) {
          let outcome = try await Tool(directory: "\(folder)/clone", environment: ["HOME": folder])
            .shell(path + line)
          #expect(tool.markers.isEmpty, "\(path)\(line): \(tool.markers)")
          #expect(outcome.status == status, "\(line)\n\(outcome.out)\(outcome.err)")
          if trap == .missingObjects {
            #expect(
              (outcome.out + outcome.err).contains("cannot read")
                && (outcome.out + outcome.err).contains("etch"),
              "\(line)\n\(outcome.out)\(outcome.err)")
          }
        }
      }
    }
  }

  /// Commands in a repository with traps, with their exit status.
  private static func ownLines(_ trap: HostileRepository.Trap) throws -> [(String, Int32)] {
    guard trap == .drivers else {
      return [
        ("celestra-admin seed plan", 0), ("celestra-admin seed pull --dry-run", 0),
        ("celestra-admin seed pull --dry-run --base HEAD~1", 1),
        ("cd schema && celestra-admin schema diff git:HEAD~1:./app.ckdb app.ckdb", 1),
      ]
    }
    return [
      ("celestra-admin seed plan", 0), ("celestra-admin seed pull --dry-run", 0),
      ("celestra-admin seed pull", 0),
      ("celestra-admin seed pull --dry-run --base HEAD~1", 0),
      ("cd schema && celestra-admin schema diff git:HEAD:./app.ckdb app.ckdb --exit-code", 0),
      ("celestra-admin schema diff git:HEAD~1:schema/app.ckdb schema/app.ckdb --exit-code", 0),
      ("celestra-admin schema lint schema/app.ckdb --new-since git:HEAD:schema/app.ckdb", 0),
      ("celestra-admin seed apply --yes", 0),
    ]
  }

  private static let seedLines = [
    "celestra-admin seed plan FOLDER", "celestra-admin seed pull FOLDER --dry-run",
    "celestra-admin seed pull FOLDER",
    "celestra-admin seed pull FOLDER --base HEAD --dry-run", "celestra-admin seed apply FOLDER --yes",
  ]
  private static let schemaLines = [
    "validate git:HEAD:./celestra.ckdb", "format git:HEAD:./celestra.ckdb",
    "inspect git:HEAD:./celestra.ckdb",
    "lint celestra.ckdb --new-since git:HEAD:./celestra.ckdb", "docs git:HEAD:./celestra.ckdb",
    "diff git:HEAD:./celestra.ckdb celestra.ckdb", "merge celestra.ckdb git:HEAD:./celestra.ckdb",
    "plan git:HEAD:./celestra.ckdb", "diff git:HEAD:./moved.ckdb celestra.ckdb",
  ].map { "cd FOLDER && celestra-admin schema \($0)" }

  // MARK: Names in trees

  @Test(
    "a tree with a name that no checkout writes is refused, also when the container names it",
    arguments: ["..", ".", "", ".GIT", "c:\\x", "a/../../../b", "/abs"])
  func namesInTrees(_ name: String) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder, environment: ["TMPDIR": "\(folder)/tmp"])
      let made = try await tool.make(
        #"""
        printf '.celestra/\ntmp/\nmarkers/\n.gitconfig\nlease\n' > .gitignore; git init -q .; git add -A; git commit -qm one
        celestra-admin container init --schema schema/celestra.ckdb -q; celestra-admin seed apply --yes -q
        tree() {
          perl -e 'print "40000 $ARGV[1]\0", pack("H*", $ARGV[0])' "$1" "$2" |
            git hash-object -t tree --literally -w --stdin
        }
        blob=$(git rev-parse HEAD:seeds/categories.json)
        leaf=$(printf "100644 blob $blob\tescaped.json\n" | git mktree)
        inner=$(tree $leaf 'NAME'); outer=$(printf "040000 tree $inner\tfeeds\n100644 blob $blob\tcategories.json\n" | git mktree)
        top=$(printf "040000 tree $outer\tseeds\n" | git mktree)
        commit=$(git commit-tree -m two $top)
        printf '{"revision":{"type":"STRING","value":"%s %s"}}\n' $commit $outer > lease
        celestra-admin records update AdminLease lease-seed --fields-file lease -q
        sed 's/"NASA"/"N.A.S.A."/' seeds/feeds/science.json > lease; cat lease > seeds/feeds/science.json; echo $commit
        """#.replacing("NAME", with: name))
      try #require(made.status == 0, "\(made.err)")
      let before = try Self.paths(in: folder)
      let commit = made.out.split(separator: "\n").last.map(String.init) ?? ""
      let wanted = name.isEmpty ? "empty filename in tree entry" : "has an entry with the name"
      for (line, status): (String, Int32) in [
        ("seed plan", 0), ("seed pull --dry-run", 0), ("seed pull --dry-run --base \(commit)", 1),
      ] {
        let outcome = try await tool.shell("celestra-admin \(line)")
        #expect(outcome.status == status, "\(line)\n\(outcome.out)\(outcome.err)")
        #expect((outcome.out + outcome.err).contains(wanted), "\(line)\n\(outcome.out)\(outcome.err)")
        #expect(try Self.paths(in: folder) == before, "\(line)")
      }
    }
  }

  /// All files below a folder but those of the tool's state.
  private static func paths(in folder: String) throws -> Set<String> {
    Set(
      try FileManager.default.subpathsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".celestra/") })
  }

  @Test("a revision in the container that is not a full object id is not used")
  func revisionText() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let made = try await tool.make(
        #"""
        printf '.celestra/\ntmp/\nmarkers/\n.gitconfig\nlease\n' > .gitignore; git init -q .; git add -A; git commit -qm one
        celestra-admin container init --schema schema/celestra.ckdb -q; celestra-admin seed apply --yes -q
        printf '{"revision":{"type":"STRING","value":"HEAD"}}\n' > lease
        celestra-admin records update AdminLease lease-seed --fields-file lease -q
        """#)
      try #require(made.status == 0, "\(made.err)")
      let drift = try await tool.run(["seed", "pull", "--dry-run", "--format", "json"])
      #expect(drift.status == 0 && !drift.out.contains("\"base\""), "\(drift.out)\(drift.err)")
    }
  }
}
