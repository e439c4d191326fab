import Foundation
import Testing

/// The steps of the Action (Scripts/action), run as a workflow runs them.
@Suite("The workflow for GitHub") struct WorkflowTests {
  private static let steps = projectRoot.appending(path: "Scripts/action").path

  /// A repository with a base commit, and a folder for what a runner keeps.
  private func withRepository(_ body: (Tool) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      tool.environment = [
        "GITHUB_WORKSPACE": folder, "RUNNER_TEMP": "\(folder)/../\(UUID().uuidString)",
        "GITHUB_STEP_SUMMARY": "\(folder)/summary.md", "SCHEMAS": "schema/celestra.ckdb", "BASE": "HEAD",
      ]
      let made = try await tool.shell(
        """
        set -e; mkdir -p "$RUNNER_TEMP"; git init -q -b main
        git config user.name t; git config user.email t@example.invalid
        printf '.git\\nsummary.md\\n*.sqlite\\nready-*\\nplans\\n' > .gitignore; git add -A; git commit -qm base
        """)
      #expect(made.status == 0, "\(made.err)")
      try await body(tool)
      _ = try await tool.shell("rm -rf \"$RUNNER_TEMP\"")
    }
  }

  private func step(_ name: String, _ tool: Tool, _ environment: [String: String] = [:]) async throws
    -> Tool.Outcome
  {
    var tool = tool
    tool.environment.merge(environment) { $1 }
    return try await tool.shell("'\(Self.steps)/\(name)'")
  }

  @Test("a plan is applied to the container of the variables, whatever the checkout's own files say")
  func plansAndApplies() async throws {
    try await withRepository { tool in
      try Data("DEFINE SCHEMA".utf8).write(to: URL(filePath: "\(tool.directory)/empty.ckdb"))
      try await withEmulator(for: tool, file: "service.sqlite", schema: "empty.ckdb") { pointed in
        try Data(
          #"{"container": "local:development.sqlite", "cloudkit": {"environment": "production"}}"#.utf8
        )
        .write(
          to: URL(filePath: "\(tool.directory)/celestra-admin.json"))
        try Data("CLOUDKIT_ENVIRONMENT=production\n".utf8).write(to: URL(filePath: "\(tool.directory)/.env"))
        var job = pointed
        job.environment.merge([
          "CLOUDKIT_CONTAINER_ID": "iCloud.demo.celestra", "CLOUDKIT_ENVIRONMENT": "development",
          "SEEDS": "seeds",
          "PLAN_FOLDER": "plans",
        ]) { $1 }
        job.environment["CELESTRA_ADMIN_CONTAINER"] = nil
        let plan = try await step("plan", job)
        #expect(plan.status == 0, "\(plan.out)\(plan.err)")
        let markdown = try String(contentsOfFile: "\(tool.directory)/plans/plan.md", encoding: .utf8)
        #expect(
          markdown.contains("iCloud.demo.celestra") && markdown.contains("(development)"),
          "\(markdown.prefix(400))")
        let drift = try await step("drift", job)
        #expect(drift.status == 1 && drift.out.contains("::error"), "\(drift.out)\(drift.err)")
        let apply = try await step("apply", job, ["ACCEPT_RISK": "bug,accept-risk:index-loss"])
        #expect(apply.status == 0, "\(apply.out)\(apply.err)")
        let same = try await step("drift", job)
        #expect(same.status == 0, "\(same.out)\(same.err)")
        let kept = try await job.run(["history", "--history", "celestra-history", "--format", "json"])
        #expect(kept.status == 0 && kept.out.contains(#""command": "seed apply""#), "\(kept.out)\(kept.err)")
        let undo = try await job.run([
          "undo", "--history", "celestra-history", "--dry-run", "--format", "json",
        ])
        #expect(undo.status == 0 && undo.out.contains(#""conflicts": 0"#), "\(undo.out)\(undo.err)")
        let again = try await step("apply", job)
        #expect(
          again.status != 0 && again.err.contains("has changed since the plan was made"), "\(again.err)")
      }
      let count = try await tool.run([
        "records", "count", "PublicFeed", "--container", "local:service.sqlite", "--environment",
        "development",
      ])
      #expect(count.out.contains("104"), "\(count.out)\(count.err)")
      #expect(!FileManager.default.fileExists(atPath: "\(tool.directory)/development.sqlite"))
    }
  }

  @Test("a pull request without a mistake passes, and a file that is new or moved is not a removal")
  func reviews() async throws {
    try await withRepository { tool in
      let clean = try await step(
        "review", tool, ["SEEDS": "seeds", "QUERIES": "schema/queries.json", "SARIF": "lint.sarif"])
      #expect(clean.status == 0, "\(clean.out)\(clean.err)")
      #expect(FileManager.default.fileExists(atPath: "\(tool.directory)/lint.sarif"))
      let moved = try await tool.shell(
        "git mv schema/celestra.ckdb app.ckdb && cp schema/live-sessions.ckdb new.ckdb && git add new.ckdb")
      #expect(moved.status == 0, "\(moved.err)")
      let review = try await step("review", tool, ["SCHEMAS": "app.ckdb\n  new.ckdb\n"])
      #expect(review.status == 0, "\(review.out)\(review.err)")
      #expect(review.out.contains("::notice file=new.ckdb::the file is new"))
      #expect(review.err.contains("reading schema/celestra.ckdb, its earlier name"))
    }
  }

  @Test("what a pull request makes worse fails it, what the base has already does not")
  func refuses() async throws {
    try await withRepository { tool in
      let weak =
        "DEFINE SCHEMA\n\n    RECORD TYPE Note (\n        title STRING,\n        GRANT CREATE TO \"_icloud\"\n    );\n"
      let path = "\(tool.directory)/schema/celestra.ckdb"
      try Data(weak.utf8).write(to: URL(filePath: path))
      let commit = try await tool.shell("git commit -qam weak")
      #expect(commit.status == 0)
      let same = try await step("review", tool)
      #expect(same.status == 0, "\(same.out)\(same.err)")
      let all = try await step("review", tool, ["ONLY_NEW": "false"])
      #expect(all.status == 1 && all.out.contains("CK0203"))
      try Data(weak.replacingOccurrences(of: "title STRING,", with: "name STRING,").utf8).write(
        to: URL(filePath: path))
      let removal = try await step("review", tool)
      #expect(removal.status == 1 && removal.out.contains("CK0411"), "\(removal.out)\(removal.err)")
      let allowed = try await step("review", tool, ["POLICY": "none"])
      #expect(allowed.status == 0, "\(allowed.out)\(allowed.err)")
      let summary = try String(contentsOfFile: "\(tool.directory)/summary.md", encoding: .utf8)
      #expect(summary.contains("`name STRING`"))
      // A git that fails is no missing file.
      let lost = try await step("review", tool, ["BASE": "nothing"])
      #expect(
        lost.status == 1 && (lost.out + lost.err).contains("is not in this clone"), "\(lost.out)\(lost.err)")
    }
  }

  @Test(
    "a checkout that is made to start programs starts none, neither in the review nor with the plan's secrets"
  )
  func hostileCheckout() async throws {
    try await withRepository { tool in
      let made = try await tool.make(
        """
        plant drivers seeds; hooks; printf '*.ckdb filter=x diff=x\\n' > .gitattributes
        cp schema/live-sessions.ckdb new.ckdb; cp schema/celestra.ckdb moved.ckdb; git rm -q --cached schema/celestra.ckdb
        rm schema/celestra.ckdb; git add new.ckdb moved.ckdb; touch schema/*; traps drivers .git; rm -f markers/*
        """)
      try #require(made.status == 0 && tool.markers.isEmpty, "\(made.err)")
      let review = try await step("review", tool, ["SCHEMAS": "moved.ckdb\nnew.ckdb"])
      #expect(tool.markers.isEmpty, "\(tool.markers)")
      #expect(
        review.status == 0 && review.out.contains("::notice file=new.ckdb::the file is new"),
        "\(review.out)\(review.err)")
      #expect(review.err.contains("reading schema/celestra.ckdb, its earlier name"), "\(review.err)")
      try await withEmulator(for: tool, file: "service.sqlite", schema: "moved.ckdb") { pointed in
        var job = pointed
        job.environment.merge([
          "CLOUDKIT_CONTAINER_ID": "iCloud.demo.celestra", "CLOUDKIT_ENVIRONMENT": "development",
          "SCHEMAS": "", "SEEDS": "seeds", "PLAN_FOLDER": "plans",
        ]) { $1 }
        for name in ["plan", "drift"] {
          let outcome = try await step(name, job)
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
      const { bodyOf, isOwn } = require('\(Self.steps)/comment.js');
      const mark = bodyOf('', '').split('\\n')[0];
      const user = (type, login) => ({ user: { type, login }, body: mark + ' x' });
      console.log([
        isOwn(user('Bot', 'github-actions[bot]')), isOwn(user('User', 'mallory')), isOwn(user('Bot', 'other[bot]')),
        isOwn({ user: { type: 'Bot', login: 'github-actions[bot]' }, body: 'x' }),
        bodyOf('p'.repeat(60000), 'u').length > 60000, bodyOf('p'.repeat(70000), 'https://run').includes('https://run'),
        bodyOf('p'.repeat(70000), 'u').length < 1000,
      ].join(' '));
      """
    try await withScratchFolder { folder in
      try Data(script.utf8).write(to: URL(filePath: "\(folder)/test.js"))
      let outcome = try await Tool(directory: folder).shell("/usr/bin/node test.js")
      #expect(outcome.out == "true false false false true true true\n", "\(outcome.out)\(outcome.err)")
    }
  }

  @Test("no job has a secret as a whole, and every action is pinned to a commit")
  func pinned() throws {
    for name in [
      "Documentation/github/schema.yml", "Documentation/github/drift.yml",
      "Documentation/deploy/github-actions/recount.yml", "action.yml",
    ] {
      let text = try String(contentsOf: projectRoot.appending(path: name), encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("uses: ") && !line.contains("OWNER/") {
        #expect(line.contains(/@[0-9a-f]{40} # v/), "\(name): \(line)")
      }
      // Ten spaces are an environment of a step.
      for line in text.split(separator: "\n") where line.contains("secrets.") {
        #expect(line.hasPrefix("          CLOUDKIT_"), "\(name): \(line)")
      }
    }
  }
}
