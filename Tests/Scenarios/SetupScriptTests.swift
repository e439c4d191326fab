import Foundation
import Testing

/// Scripts/setup-cloudkit-schema.sh against the emulator.
@Suite struct SetupScriptTests {
  private func run(_ schema: String, faults: String = "", tool: String = Tool.path) async throws
    -> Tool.Outcome
  {
    try await withScratchFolder { folder in
      let overtaken = "\(folder)/overtaken"
      try Data(Self.overtaken.utf8).write(to: URL(filePath: overtaken))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: overtaken)
      try Data("DEFINE SCHEMA RECORD TYPE T ( f STRING );\n".utf8)
        .write(to: URL(filePath: "\(folder)/small.ckdb"))
      let script = projectRoot.appending(path: "Scripts/setup-cloudkit-schema.sh").path
      return try await Tool(directory: folder, environment: ["CELESTRA_ADMIN": tool]).shell(
        "celestra-admin emulator exec --schema small.ckdb \(faults) -- '\(script)' --yes \(schema)")
    }
  }

  @Test("it imports a schema and proves that the container has it")
  func imports() async throws {
    let outcome = try await run(
      "schema/celestra.ckdb --accept-risk data-loss --accept-risk permission-widening")
    #expect(outcome.status == 0, "\(outcome.err)")
    #expect(outcome.err.contains("reading it back") && outcome.out.contains("No differences."))
  }

  @Test("wrong usage ends with 64", arguments: ["--accept-risk", "--acept-risk data-loss"])
  func usage(arguments: String) async throws {
    #expect(try await run(arguments).status == 64)
  }

  @Test(
    "a container whose schema does not parse is never called up to date",
    arguments: ["<html>Sign in to the proxy</html>", "", "DEFINE SCHEMA RECORD TYPE T ( f GEOPOINT );"])
  func unparsed(body: String) async throws {
    let outcome = try await run(
      "small.ckdb", faults: "--fault 'status,endpoint=/schema,status=200,body=\(body)'")
    #expect(outcome.status == 1)
    #expect(outcome.err.contains("the container's schema does not parse"))
    #expect(!outcome.err.contains("up to date"))
  }

  @Test("a schema that somebody else changes right after the import is no proof")
  func changedMeanwhile() async throws {
    let outcome = try await run(
      "schema/celestra.ckdb --accept-risk data-loss --accept-risk permission-widening", tool: "./overtaken")
    #expect(outcome.err.contains("reading it back"), "\(outcome.err)")
    #expect(outcome.status == 2)
    #expect(!outcome.err.contains("done; the schema is in"))
  }

  /// The tool, and another person who imports one more type after each import.
  private static let overtaken = """
    #!/bin/sh
    celestra-admin "$@" || exit $?
    [ "$2" = apply ] || exit 0
    celestra-admin schema merge schema/celestra.ckdb small.ckdb --output merged.ckdb
    celestra-admin schema apply merged.ckdb --yes -q

    """
}
