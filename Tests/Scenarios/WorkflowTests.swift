import Foundation
import Testing

/// What the Action does without a container: its review, its comment and its installation, and the rules of its workflows.
@Suite("The workflow for GitHub") struct WorkflowTests {
  @Test("a pull request without a mistake passes, and a file that is new or moved is not a removal")
  func reviews() async throws {
    try await ActionRepository.with { repository in
      let tool = repository.tool
      let clean = try await repository.step(
        "review", ["SEEDS": "seeds", "QUERIES": "schema/app-queries.json", "SARIF": "lint.sarif"])
      #expect(clean.status == 0, "\(clean.out)\(clean.err)")
      #expect(FileManager.default.fileExists(atPath: "\(tool.directory)/lint.sarif"))
      let moved = try await tool.shell(
        "git mv schema/celestra.ckdb app.ckdb && cp schema/live-sessions.ckdb new.ckdb && git add new.ckdb")
      #expect(moved.status == 0, "\(moved.err)")
      let review = try await repository.step("review", ["SCHEMAS": "app.ckdb\n  new.ckdb\n"])
      #expect(review.status == 0, "\(review.out)\(review.err)")
      #expect(review.out.contains("::notice file=new.ckdb::the base commit has no such file"))
      #expect(review.err.contains("reading schema/celestra.ckdb, its earlier name"))
      try await repository.shell("tr -s ' ' < new.ckdb > 'b, c: 1%.ckdb'")
      let odd = try await repository.step("review", ["SCHEMAS": "b, c: 1%.ckdb", "FORMAT": "check"])
      #expect(
        odd.status == 1 && odd.out.contains("::error file=b%2C c%3A 1%25.ckdb::not in canonical form"),
        "\(odd)")
      #expect(odd.out.contains("--in-place 'b, c: 1%25.ckdb'\n"), "\(odd)")
      try await repository.shell("sed -i '/ slug  .*QUERYABLE/d' app.ckdb")
      let removal = try await repository.step("review", ["SCHEMAS": "app.ckdb"])
      #expect(removal.status == 1 && removal.out.contains("CK0411"), "\(removal.out)\(removal.err)")
    }
  }

  @Test("what a pull request makes worse fails it, what the base has already does not")
  func refuses() async throws {
    try await ActionRepository.with { repository in
      let tool = repository.tool
      let weak =
        "DEFINE SCHEMA\n\n    RECORD TYPE Note (\n        title STRING,\n        GRANT WRITE TO \"_world\"\n    );\n"
      let path = "\(tool.directory)/schema/celestra.ckdb"
      try Data(weak.utf8).write(to: URL(filePath: path))
      let commit = try await tool.shell("git commit -qam weak")
      #expect(commit.status == 0)
      let same = try await repository.step("review")
      #expect(same.status == 0, "\(same.out)\(same.err)")
      let all = try await repository.step("review", ["ONLY_NEW": "false"])
      #expect(all.status == 1 && all.out.contains("CK0301"))
      try Data(weak.replacingOccurrences(of: "title STRING,", with: "name STRING,").utf8).write(
        to: URL(filePath: path))
      let removal = try await repository.step("review")
      #expect(removal.status == 1 && removal.out.contains("CK0411"), "\(removal.out)\(removal.err)")
      let allowed = try await repository.step("review", ["POLICY": "none"])
      #expect(allowed.status == 0, "\(allowed.out)\(allowed.err)")
      let summary = try String(contentsOfFile: "\(tool.directory)/summary.md", encoding: .utf8)
      #expect(summary.contains("- `+` name STRING"))
      // A git that fails is no missing file.
      let lost = try await repository.step("review", ["BASE": "nothing"])
      #expect(
        lost.status == 1 && (lost.out + lost.err).contains("is not in this clone"), "\(lost.out)\(lost.err)")
    }
  }

  @Test(
    "a checkout that is made to start programs starts none, neither in the review nor with the plan's secrets"
  )
  func hostileCheckout() async throws {
    try await ActionRepository.with { repository in
      let tool = repository.tool
      let commit = try await tool.shell("git rev-parse HEAD")
      let sha = ["GITHUB_SHA": commit.out.trimmingCharacters(in: .whitespacesAndNewlines)]
      let made = try await tool.make(
        """
        plant drivers seeds; hooks; printf '*.ckdb filter=x diff=x\\n' > .gitattributes
        cp schema/live-sessions.ckdb new.ckdb; cp schema/celestra.ckdb moved.ckdb; git rm -q --cached schema/celestra.ckdb
        rm schema/celestra.ckdb; git add new.ckdb moved.ckdb; touch schema/*; traps drivers .git; rm -f markers/*
        """)
      try #require(made.status == 0 && tool.markers.isEmpty, "\(made.err)")
      let review = try await repository.step(
        "review", sha.merging(["SCHEMAS": "moved.ckdb\nnew.ckdb"]) { $1 })
      #expect(tool.markers.isEmpty, "\(tool.markers)")
      #expect(
        review.status == 0 && review.out.contains("::notice file=new.ckdb::the base commit has no such file"),
        "\(review.out)\(review.err)")
      #expect(review.err.contains("reading schema/celestra.ckdb, its earlier name"), "\(review.err)")
      try await withEmulator(for: tool, file: "service.sqlite", schema: "moved.ckdb") { pointed in
        var job = repository
        job.tool = pointed
        job.tool.environment.merge([
          "CLOUDKIT_CONTAINER_ID": "iCloud.demo.celestra", "CLOUDKIT_ENVIRONMENT": "development",
          "SCHEMAS": "", "SEEDS": "seeds", "PLAN_FOLDER": "plans",
        ]) { $1 }
        for name in ["plan", "drift"] {
          let outcome = try await job.step(name, sha)
          #expect(tool.markers.isEmpty, "\(name): \(tool.markers)")
          #expect(
            outcome.status == 1 && outcome.err.contains("is itself a git repository"),
            "\(outcome.out)\(outcome.err)")
        }
      }
    }
  }

  @Test(
    "the plan goes into the Action's own comment only, and whole or not at all",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node")))
  func comments() async throws {
    let script = """
      const { bodyOf, isOwn } = require('\(ActionRepository.steps)/comment.js');
      const head = '## Plan for A\\n\\nrisks';
      const user = (type, login, first = head) => ({ user: { type, login }, body: bodyOf(first + ' x', '', '') });
      const long = bodyOf('p'.repeat(70000), 'the risks', 'https://run');
      console.log([
        isOwn(user('Bot', 'github-actions[bot]'), head), isOwn(user('User', 'mallory'), head),
        isOwn(user('Bot', 'other[bot]'), head), isOwn({ ...user('Bot', 'github-actions[bot]'), body: head }, head),
        // A copy of the job plans another container.
        isOwn(user('Bot', 'github-actions[bot]', '## Plan for AB\\n\\n'), head),
        bodyOf('p'.repeat(60000), '', 'u').length > 60000, long.includes('https://run') && long.includes('the risks'),
        long.length < 1000,
      ].join(' '));
      """
    try await withScratchFolder { folder in
      try Data(script.utf8).write(to: URL(filePath: "\(folder)/test.js"))
      let outcome = try await Tool(directory: folder).shell("/usr/bin/node test.js")
      #expect(outcome.out == "true false false false false true true true\n", "\(outcome.out)\(outcome.err)")
    }
  }

  @Test(
    "only an approval of this environment counts as one",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node")))
  func approvals() async throws {
    let script = """
      const { approval } = require('\(ActionRepository.steps)/approval.js');
      const review = (state, ...names) => ({ state, environments: names.map((name) => ({ name })) });
      const cases = [
        [], [review('approved', 'production')], [review('rejected', 'development')], [review('pending', 'development')],
        [review('approved', 'other', 'development')],
        [review('rejected', 'development'), review('approved', 'development')],
      ];
      const context = { repo: { owner: 'o', repo: 'r' }, runId: 7 };
      const core = { setOutput: (name, value) => console.log(name, value) };
      process.env.ENVIRONMENT = 'development';
      (async () => {
        for (const data of cases) {
          const getReviewsForRun = async ({ owner, repo, run_id }) => ({ data: owner + repo + run_id === 'or7' && data });
          await approval({ github: { rest: { actions: { getReviewsForRun } } }, context, core });
        }
      })();
      """
    try await withScratchFolder { folder in
      try Data(script.utf8).write(to: URL(filePath: "\(folder)/test.js"))
      let outcome = try await Tool(directory: folder).shell("/usr/bin/node test.js")
      let answers = outcome.out.split(separator: "\n").map { $0.split(separator: " ").last }
      #expect(
        answers == ["false", "false", "false", "false", "true", "true"], "\(outcome.out)\(outcome.err)")
    }
  }

  @Test("what the Action sets for later steps brings no warning of the tool")
  func installs() async throws {
    try await ActionRepository.with { repository in
      try await repository.shell("GITHUB_WORKSPACE=.")
      let files = [
        "GITHUB_ENV": "\(repository.folder)/environment", "GITHUB_PATH": "\(repository.folder)/path",
      ]
      let install = try await repository.step("install-tool", files.merging(["BINARY": Tool.path]) { $1 })
      #expect(install.status == 0, "\(install.out)\(install.err)")
      let set = try repository.text("environment")
      #expect(set.hasSuffix("=\(ActionRepository.steps)\n"))
      let run = try await repository.tool.shell(
        "set -a; . ./environment; PATH=$(cat path):$PATH; celestra-admin schema validate schema/celestra.ckdb"
      )
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
      // The workflows use the variable that is set, and name the commit whose settings the step has.
      let name = try #require(set.split(separator: "=").first)
      for file in ["schema.yml", "drift.yml"] {
        let steps = try Self.workflow("Documentation/github/\(file)").components(separatedBy: "      - ")
          .filter { $0.contains("'\"$\(name)/") }
        #expect(!steps.isEmpty && steps.allSatisfy { $0.contains("\n          BASE: HEAD") }, "\(steps)")
      }
    }
  }

  @Test(
    "the pipeline for GitLab passes what changes nothing, and fails for a removal, also in a moved file, and for a new file's findings"
  )
  func gitLab() async throws {
    let lines = try Self.workflow("Documentation/gitlab/review.yml").split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: "  script:"))
    let script = lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.filter { $0.hasPrefix("    - ") }
      .map { "\($0.dropFirst(6))\n" }.joined()
    #expect(script.contains("schema diff") && script.contains("seed validate"))
    try await ActionRepository.with { repository in
      try repository.write("set -eo pipefail\n\(script)", "celestra-script")
      try await repository.shell("git tag base")
      func run(_ schema: String, target: String = "") async throws -> Tool.Outcome {
        let variables =
          "SCHEMA=\(schema) SEEDS=seeds CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse base) CI_MERGE_REQUEST_TARGET_BRANCH_SHA=\(target)"
        return try await repository.tool.shell("\(variables) bash celestra-script")
      }
      let same = try await run("schema/celestra.ckdb")
      #expect(same.status == 0, "\(same.out)\(same.err)")
      for report in ["lint.xml", "diff.xml", "seeds.xml"] {
        #expect(try repository.text(report).firstMatch(of: /<testsuites .*failures="0">/) != nil, "\(report)")
      }
      try repository.write(
        "DEFINE SCHEMA\n\n    RECORD TYPE Note (\n        title STRING,\n        GRANT WRITE TO \"_world\"\n    );\n",
        "new.ckdb")
      try await repository.commit()
      let new = try await run("new.ckdb")
      #expect(new.status == 3 && new.out.contains("CK0303"), "\(new.out)\(new.err)")
      #expect(!new.err.contains("fatal:"), "\(new.err)")
      let report = try repository.text("lint.xml")
      #expect(report.contains("<failure type=\"warning\"") && report.contains("CK0303"), "\(report)")
      let edit =
        "sed -i '/ slug  .*QUERYABLE/d' schema/celestra.ckdb; tail -n +2 new.ckdb >> schema/celestra.ckdb"
      try await repository.shell(edit)
      let removal = try await run("schema/celestra.ckdb")
      // The finding does not end the job before the comparison is printed.
      #expect(
        removal.status == 3 && removal.out.contains("CK0303") && removal.out.contains("a field is removed"),
        "\(removal.out)\(removal.err)")
      #expect(try repository.text("diff.xml").contains("<failure type=\"error\""))
      try await repository.shell("git mv schema/celestra.ckdb moved.ckdb")
      try await repository.commit()
      let moved = try await run("moved.ckdb")
      #expect(moved.status == 3 && moved.out.contains("a field is removed"), "\(moved.out)\(moved.err)")
      // With merged results, what the target branch changed itself is not the request's.
      let merged = try await run("moved.ckdb", target: "$(git rev-parse HEAD)")
      #expect(merged.out.contains("No differences"), "\(merged.out)\(merged.err)")
    }
  }

  private static func workflow(_ name: String) throws -> String {
    try String(contentsOf: projectRoot.appending(path: name), encoding: .utf8)
  }

  @Test("the Action refuses each mode that none of its steps has")
  func modes() throws {
    let text = try Self.workflow("action.yml")
    func modes(_ comparison: String) -> Set<Substring> {
      Set(
        text.components(separatedBy: "inputs.mode \(comparison) '").dropFirst().map {
          $0.prefix { $0 != "'" }
        })
    }
    #expect(modes("!=") == modes("==") && modes("==").count == 4)
  }

  @Test("a merge queue has a base, and a newer commit of a pull request ends the run of an older one")
  func events() throws {
    let bases = try Self.workflow("action.yml").split(separator: "\n").filter { $0.contains("'HEAD^1'") }
    #expect(bases.count == 1 && bases[0].contains("|| github.event.merge_group.base_sha || ''"))
    let schema = try Self.workflow("Documentation/github/schema.yml")
    let group = "\nconcurrency:\n  group: schema-${{ github.event.pull_request.number || github.run_id }}\n"
    #expect(schema.contains(group + "  cancel-in-progress: true\n"))
  }

  @Test("the applied plan comes from the run that applies it, and no label or other run is read")
  func ownRun() throws {
    let text = try Self.workflow("Documentation/github/schema.yml")
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.filter { $0.hasPrefix("run-id:") } == ["run-id: ${{ github.run_id }}"])
    #expect(
      lines.filter { $0.hasPrefix("PLAN_DIGEST:") } == ["PLAN_DIGEST: ${{ needs.plan.outputs.digest }}"])
    for word in ["label", "listArtifacts", "pull_request_target", "workflow_run", "contents: write"] {
      #expect(!text.contains(word), "\(word)")
    }
    // Names of artifacts are made of numbers that GitHub gives.
    for line in lines where line.hasPrefix("name: ") && line.contains("${{") {
      let allowed = ["github.run_id", "github.run_attempt", "needs.plan.outputs.artifact"]
      for use in line.matches(of: /\$\{\{ (.*?) \}\}/) { #expect(allowed.contains(String(use.1)), "\(line)") }
    }
  }

  @Test(
    "no job has a secret as a whole, every action is pinned to a commit, and no expression is part of a script"
  )
  func pinned() throws {
    for name in [
      "Documentation/github/schema.yml", "Documentation/github/drift.yml", "Documentation/github/review.yml",
      "Documentation/deploy/github-actions/recount.yml", "Documentation/deploy/github-actions/health.yml",
      ".github/workflows/seeds.yml", "action.yml",
    ] {
      let text = try Self.workflow(name)
      // An action of this repository is that of the checkout.
      for line in text.split(separator: "\n")
      where line.contains("uses: ") && !line.contains("OWNER/") && !line.contains("uses: ./") {
        #expect(line.contains(/@[0-9a-f]{40} # v/), "\(name): \(line)")
      }
      // Ten spaces are an environment of a step.
      for line in text.split(separator: "\n") where line.contains("secrets.") {
        #expect(line.contains(/^ {10}C[A-Z_]+: \$/), "\(name): \(line)")
      }
      // A value of a key, or a default in action.yml; never a line or a part of a script.
      for line in text.split(separator: "\n") where line.contains("${{") {
        #expect(
          line.contains(#/^ *(- )?[A-Za-z_-]+: /#) && !line.contains(#/(run|script): /#), "\(name): \(line)")
      }
    }
  }
}
