import Foundation
import Testing

/// What `schema init` writes, and what a first pull request does with it.
@Suite("schema init") struct SchemaInitTests {
  private static let workflow = ".github/workflows/schema.yml"

  @Test("in a folder of a repository it writes a schema there, and settings and a workflow into the root")
  func writes() async throws {
    try await ActionRepository.with { repository in
      let names = ["apps/ios/public.ckdb", "celestra-admin.json", Self.workflow]
      try await repository.shell("mkdir -p apps/ios")
      let planned = try await repository.tool.shell(
        "cd apps/ios && celestra-admin schema init public.ckdb --dry-run")
      #expect(
        planned.status == 0 && planned.out.contains("would write ../../celestra-admin.json\n"), "\(planned)")
      for name in names { #expect(throws: (any Error).self) { try repository.text(name) } }

      try await repository.shell("cd apps/ios && celestra-admin schema init public.ckdb")
      let texts = try names.map(repository.text)
      // None of it brings a warning, and a container takes the schema.
      let checks = try await repository.tool.shell(
        """
        set -e; celestra-admin schema lint apps/ios/public.ckdb --fail-on note --format json
        celestra-admin schema format --check apps/ios/public.ckdb
        celestra-admin container init --schema apps/ios/public.ckdb --container local:celestra-new.sqlite
        """)
      #expect(checks.status == 0 && checks.err.isEmpty, "\(checks)")
      #expect(!checks.out.contains("CK0207"), "\(checks.out)")

      // Done again it changes nothing.
      try repository.write(texts[0] + "// mine\n", names[0])
      let again = try await repository.tool.shell("cd apps/ios && celestra-admin schema init public.ckdb")
      #expect(again.status == 0 && again.out.contains("kept public.ckdb\n"), "\(again)")
      #expect(try names.map(repository.text) == [texts[0] + "// mine\n", texts[1], texts[2]])
    }
  }

  @Test(
    "a pull request that adds a field to the first schema passes with the workflow's inputs, a removal does not"
  )
  func pullRequest() async throws {
    try await ActionRepository.with { repository in
      try await repository.shell("celestra-admin schema init app/public.ckdb")
      try await repository.commit()
      let inputs = try repository.text(Self.workflow)
      func input(_ name: String) throws -> String {
        let line = try #require(inputs.split(separator: "\n").first { $0.hasPrefix("          \(name): ") })
        return String(try #require(line.split(separator: " ").last))
      }
      let variables = [
        "SCHEMAS": try input("schema"), "FORMAT": try input("format"), "POLICY": try input("policy"),
        "FAIL_ON": try input("fail-on"), "SEEDS": "",
      ]
      #expect(variables["SCHEMAS"] == "app/public.ckdb")
      #expect(try repository.text("celestra-admin.json").contains("app/app-queries.json"))
      for path in ["app/public.ckdb", "app/app-queries.json", "\"**.swift\"", Self.workflow] {
        #expect(inputs.contains("\n      - \(path)\n"), "\(path)")
      }
      let first = try repository.text("app/public.ckdb")
      let line = "        text            STRING,\n"
      try #require(first.contains(line))
      try repository.write(
        first.replacingOccurrences(of: line, with: line + "        language        STRING QUERYABLE,\n"),
        "app/public.ckdb")
      try await repository.shell("celestra-admin schema format --in-place app/public.ckdb")
      let added = try await repository.step("review", variables)
      #expect(added.status == 0, "\(added.out)\(added.err)")
      try repository.write(first.replacingOccurrences(of: line, with: ""), "app/public.ckdb")
      let removed = try await repository.step("review", variables)
      #expect(removed.status == 1 && removed.out.contains("CK0411"), "\(removed.out)\(removed.err)")
    }
  }

  @Test(
    "a path that a workflow cannot name, or above the folder, writes nothing",
    arguments: [
      "../app.ckdb", "/tmp/app.ckdb", "a b.ckdb", "app${{ x }}.ckdb", "[app].ckdb", "été.ckdb", "-",
      "git:HEAD:a",
    ])
  func refuses(path: String) async throws {
    try await withScratchFolder { folder in
      let outcome = try await Tool(directory: folder).run(["schema", "init", "--", path])
      #expect(outcome.status == 64, "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/celestra-admin.json"))
    }
  }
}
