import Foundation
import Testing

/// The steps plan and apply of the Action, as the workflow runs them one after the other.
@Suite("The plan that CI applies") struct PlanStepsTests {
  @Test("schema and catalog are planned together, applied once, and applying again finds everything done")
  func plansAndApplies() async throws {
    try await ActionRepository.with { repository in
      try await repository.withContainer { job in
        // No file of the checkout chooses the container.
        try repository.write(
          #"{"container": "local:development.sqlite", "cloudkit": {"environment": "production"}}"#,
          "celestra-admin.json")
        try repository.write("CLOUDKIT_ENVIRONMENT=production\n", ".env")
        let plan = try await job.plan()
        #expect(plan.changes == "true")
        #expect(plan.markdown.contains("### Schema plan for `cloudkit:iCloud.demo.celestra` (development)"))
        #expect(plan.markdown.contains("**\(ProjectSeeds.records) to create.**"))
        #expect(try job.text("summary.md") == plan.markdown)
        #expect(try await job.step("drift").status == 1)
        let apply = try await job.apply(plan)
        #expect(apply.status == 0, "\(apply.out)\(apply.err)")
        #expect(
          apply.out.contains(" changes imported") && apply.out.contains("\(ProjectSeeds.records) created"),
          "\(apply.out)")
        #expect(
          apply.err.contains("celestra-admin undo --history celestra-history 20")
            && !apply.err.contains("celestra-isolated"), "\(apply.err)")
        let kept = try await job.tool.run(["history", "--history", "celestra-history", "--format", "json"])
        #expect(kept.out.contains(#""command": "seed apply""#), "\(kept.out)\(kept.err)")
        let again = try await job.apply(plan)
        #expect(again.status == 0, "\(again.out)\(again.err)")
        #expect(
          again.out.contains("already applied") && again.out.contains("\(ProjectSeeds.records) unchanged"),
          "\(again.out)")
        #expect(try await job.step("drift").status == 0)
        let next = try await job.plan()
        #expect(next.changes == "false" && next.markdown.contains("There is nothing to apply."))
        #expect(try await job.apply(next).status == 0)
        #expect(try await job.count("PublicFeed") == ProjectSeeds.feeds)
      }
      #expect(!FileManager.default.fileExists(atPath: "\(repository.folder)/development.sqlite"))
    }
  }

  @Test("after a service that became busy in the middle, the same step finishes")
  func finishesAfterFailure() async throws {
    try await ActionRepository.with { repository in
      try LargeSeeds.write(to: "\(repository.folder)/large")
      try await repository.commit()
      let fault = "status,endpoint=records/modify,status=429,retryAfter=600,after=3,count=1"
      try await repository.withContainer(seeds: "large", options: ["--fault", fault]) { job in
        let plan = try await job.plan()
        let first = try await job.apply(plan)
        #expect(first.status == 75, "\(first.out)\(first.err)")
        let written = try #require(try await job.count("PublicFeed"))
        #expect((1..<LargeSeeds.feeds).contains(written), "\(written)")
        let second = try await job.apply(plan)
        #expect(second.status == 0, "\(second.out)\(second.err)")
        #expect(second.out.contains("already applied"), "\(second.out)")
        #expect(try await job.count("PublicFeed") == LargeSeeds.feeds)
      }
    }
  }

  @Test(
    "a plan that development refuses asks nobody to accept its risks, and applies nothing",
    arguments: [
      ("b STRING", "1 change is refused by development; this plan cannot be applied."),
      ("b STRING, c STRING", "2 changes are refused by development; this plan cannot be applied."),
    ])
  func refused(dropped: String, sentence: String) async throws {
    try await ActionRepository.with { repository in
      let schema = try repository.text("schema/celestra.ckdb")
      let deployed = schema + "\nRECORD TYPE Extra ( a STRING, \(dropped) );\n"
      try repository.write(schema + "\nRECORD TYPE Extra ( a STRING );\n", "schema/celestra.ckdb")
      try await repository.commit()
      try await repository.withContainer(schema: deployed) { job in
        let promoted = try await job.tool.run([
          "schema", "promote", "--container", "cloudkit:iCloud.demo.celestra", "--yes",
          "--accept-risk", "permission-widening",
        ])
        #expect(promoted.status == 0, "\(promoted.err)")
        let plan = try await job.plan()
        #expect(plan.markdown.contains("**\(sentence)**"), "\(plan.markdown)")
        #expect(!plan.markdown.contains("Approving the plan") && !plan.markdown.contains("carries no risk"))
        let apply = try await job.apply(plan, approved: true)
        #expect(apply.status == 1 && apply.err.contains("development refuses"), "\(apply)")
        #expect(try await job.count("PublicFeed") == 0)
      }
    }
  }

  @Test("a schema that became another one in between is not overwritten")
  func overtaken() async throws {
    try await ActionRepository.with { repository in
      try await repository.withContainer { job in
        let plan = try await job.plan()
        try job.write("DEFINE SCHEMA RECORD TYPE Other ( f STRING );", "celestra-other.ckdb")
        let other = try await job.tool.run([
          "schema", "apply", "celestra-other.ckdb", "--container", "cloudkit:iCloud.demo.celestra", "--yes",
        ])
        #expect(other.status == 0, "\(other.err)")
        let refused = try await job.apply(plan)
        #expect(
          refused.status == 1 && refused.err.contains("has changed since the plan was made"), "\(refused.err)"
        )
        #expect(try await job.count("PublicFeed") == nil)
      }
    }
  }

  /// What somebody does to a plan on its way, and the sentence that refuses it.
  struct Forgery: Sendable {
    let name: String
    var edit = ":"
    var variables: [String: String] = [:]
    let refusal: String
  }

  private static let forgeries = [
    Forgery(
      name: "another feed address",
      edit: "sed -i s,https://stratechery.com,https://evil.example, $PLAN_FOLDER/seeds.json",
      refusal: "seeds.json was changed after the plan was made"),
    Forgery(
      name: "another page", edit: "echo harmless > $PLAN_FOLDER/plan.md",
      refusal: "plan.md was changed after the plan was made"),
    Forgery(
      name: "no saved plan", edit: "rm $PLAN_FOLDER/schema.json",
      refusal: "schema.json was changed after the plan was made"),
    Forgery(
      name: "an edited plan with new digests",
      edit: """
        sed -i s,stratechery,evil, $PLAN_FOLDER/seeds.json; sum=$(sha256sum < $PLAN_FOLDER/seeds.json | cut -c-64)
        sed -i "s,^file .* seeds.json,file $sum seeds.json," $PLAN_FOLDER/manifest
        """, refusal: "is not the plan that this run made"),
    Forgery(
      name: "no manifest", edit: "rm $PLAN_FOLDER/manifest", refusal: "there is no plan in"),
    Forgery(
      name: "no folder", edit: "rm -r $PLAN_FOLDER", refusal: "there is no plan in"),
    Forgery(
      name: "no digest", variables: ["PLAN_DIGEST": ""], refusal: "PLAN_DIGEST must be"),
    Forgery(
      name: "a digest of another run",
      variables: ["PLAN_DIGEST": String(repeating: "0", count: 64)],
      refusal: "is not the plan that this run made"),
    Forgery(
      name: "another commit", variables: ["GITHUB_SHA": String(repeating: "a", count: 40)],
      refusal: "the plan was made for another commit than aaaa"),
    Forgery(
      name: "no commit", variables: ["GITHUB_SHA": "main"], refusal: "GITHUB_SHA names no commit"
    ),
    Forgery(
      name: "another environment", variables: ["CLOUDKIT_ENVIRONMENT": "production"],
      refusal: "the plan was made for cloudkit:iCloud.demo.celestra (development)"),
  ]

  @Test("a plan that is not this run's, for this run's commit, writes nothing")
  func forged() async throws {
    try await ActionRepository.with { repository in
      try await repository.withContainer { job in
        var plan = try await job.plan()
        let folder = plan.folder
        for (number, forgery) in Self.forgeries.enumerated() {
          plan.folder = "\(folder)-\(number)"
          try await job.shell("PLAN_FOLDER=\(plan.folder); cp -r \(folder) $PLAN_FOLDER; \(forgery.edit)")
          let outcome = try await job.apply(plan, approved: true, forgery.variables)
          #expect(
            outcome.status != 0 && outcome.err.contains(forgery.refusal),
            "\(forgery.name): \(outcome.err)")
          #expect(try await job.count("PublicFeed") == nil, "\(forgery.name)")
        }
      }
    }
  }

  @Test("the digest of the job that planned also refuses the plan of an earlier commit")
  func earlierCommit() async throws {
    try await ActionRepository.with { repository in
      try await repository.withContainer { job in
        let earlier = try await job.plan()
        try job.write("\n", "schema/note.txt")
        try await job.commit()
        let outcome = try await job.apply(earlier)
        #expect(outcome.err.contains("the plan was made for another commit than "), "\(outcome.err)")
        let later = try await job.plan()
        let mixed = try await job.apply(earlier, ["PLAN_DIGEST": later.digest])
        #expect(mixed.err.contains("is not the plan that this run made"), "\(mixed.err)")
        #expect(try await job.count("PublicFeed") == nil)
      }
    }
  }

  @Test("risks come first, need the approval of a reviewer, and no label accepts them")
  func risks() async throws {
    try await ActionRepository.with { repository in
      let schema = try repository.text("schema/celestra.ckdb")
      try repository.write(
        schema.replacing("language        STRING QUERYABLE", with: "language        STRING"),
        "schema/celestra.ckdb")
      try #require(try repository.text("schema/celestra.ckdb") != schema)
      try await repository.commit()
      try await repository.withContainer(schema: schema) { job in
        let plan = try await job.plan()
        let head = "**Approving the plan accepts these risks:**\n\n- `index-loss` in the schema: queries"
        let (risks, section) = (plan.markdown.range(of: head), plan.markdown.range(of: "### Schema plan"))
        #expect(try #require(risks).upperBound < #require(section).lowerBound, "\(plan.markdown)")
        for variables in [[:], ["APPROVED": "1"], ["ACCEPT_RISK": "accept-risk:index-loss"]] {
          let outcome = try await job.apply(plan, variables)
          #expect(
            outcome.status == 1 && outcome.err.contains("(index-loss), and no reviewer approved this run"),
            "\(outcome.err)")
        }
        #expect(try await job.count("PublicFeed") == 0)
        let approved = try await job.apply(plan, approved: true)
        #expect(approved.status == 0, "\(approved.out)\(approved.err)")
        #expect(try await job.count("PublicFeed") == ProjectSeeds.feeds)
      }
    }
  }

  @Test("a field that the schema gains and the seeds use is planned before the container has it")
  func newField() async throws {
    try await ActionRepository.with { repository in
      let schema = try repository.text("schema/celestra.ckdb")
      let older = schema.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains("isRetired") && !$0.contains("replacedBy") }.joined(separator: "\n")
      try #require(older != schema)
      try repository.write(older, "schema/celestra.ckdb")
      try await repository.commit()
      try await repository.withContainer { job in
        let first = try await job.apply(try await job.plan())
        #expect(first.status == 0, "\(first.err)")
        try job.write(schema, "schema/celestra.ckdb")
        try await job.shell(#"sed -i 's/"slug": "le-monde",/& "retired": true,/' seeds/feeds/news.json"#)
        try await job.commit()
        let plan = try await job.plan()
        #expect(plan.markdown.contains("isRetired INT64") && plan.markdown.contains("isRetired: none → yes"))
        let apply = try await job.apply(plan)
        #expect(apply.status == 0, "\(apply.out)\(apply.err)")
        // Only the seeds change now.
        try await job.shell(#"sed -i 's/ "retired": true,//' seeds/feeds/news.json"#)
        try await job.commit()
        let catalogOnly = try await job.plan()
        #expect(catalogOnly.markdown.contains("No differences.") && catalogOnly.changes == "true")
        let last = try await job.apply(catalogOnly)
        #expect(last.out.contains("already up to date") && last.out.contains("1 updated"), "\(last.out)")
        // Only the schema changes now.
        try job.write(
          schema.replacing("DEFINE SCHEMA\n", with: "DEFINE SCHEMA\n\n    CREATE ROLE Guest;\n"),
          "schema/celestra.ckdb")
        try await job.commit()
        let schemaOnly = try await job.plan()
        #expect(schemaOnly.markdown.contains("Already up to date") && schemaOnly.changes == "true")
        let role = try await job.apply(schemaOnly)
        #expect(role.status == 0 && role.out.contains("1 change imported"), "\(role.out)\(role.err)")
      }
    }
  }

  @Test("a plan that is too long for GitHub's page is shown with its risks, and the log has all of it")
  func longPage() async throws {
    try await ActionRepository.with { repository in
      let feeds = (0..<400).map { number in
        [
          "slug": "f\(number)", "title": "\(number) " + String(repeating: "x", count: 2900),
          "feedURL": "https://feeds.example/\(number)",
        ]
      }
      let file: [String: Any] = ["category": "news", "feeds": feeds]
      try JSONSerialization.data(withJSONObject: file).write(
        to: URL(filePath: "\(repository.folder)/seeds/feeds/long.json"))
      try await repository.commit()
      try await repository.withContainer { job in
        let plan = try await job.plan()
        #expect(plan.markdown.utf8.count > 1 << 20)
        let summary = try job.text("summary.md")
        #expect(summary.hasPrefix("## Plan for `iCloud.demo.celestra` (development)\n"), "\(summary)")
        #expect(summary.contains("carries no risk") && summary.contains("in the log of this step"))
        #expect(summary.utf8.count < 1000)
        let drift = try await job.step("drift")
        #expect(drift.status == 1 && drift.out.contains("::error::the container's catalog differs"))
        #expect(drift.out.utf8.count > 1 << 20, "the log has what the page has not")
        #expect(try job.text("summary.md").utf8.count < 100_000)
      }
    }
  }

  @Test("a folder or link that the checkout has is not written to, and a container has one schema")
  func checkoutNames() async throws {
    try await ActionRepository.with { repository in
      try await repository.shell("mkdir elsewhere; ln -s elsewhere linked; mkdir present")
      for name in ["linked", "present"] {
        let outcome = try await repository.step("plan", ["PLAN_FOLDER": name])
        #expect(outcome.status == 1 && outcome.err.contains("the folder \(name) cannot be made"))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(repository.folder)/elsewhere").isEmpty)
      for step in ["plan", "drift"] {
        let two = try await repository.step(
          step, ["SCHEMAS": "schema/celestra.ckdb\nschema/live-sessions.ckdb", "PLAN_FOLDER": "p"])
        #expect(two.status == 1 && two.err.contains("SCHEMAS names 2 files"), "\(two.err)")
      }
    }
  }
}
