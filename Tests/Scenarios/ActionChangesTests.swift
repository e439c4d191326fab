import Foundation
import Testing

/// What the Action's review says with its defaults: no list of queries, `format: changed`, `policy: additive`.
@Suite("Changes in a pull request") struct ActionChangesTests {
  private static let file = "kitchen.ckdb"
  private static let variables = ["SCHEMAS": file, "SEEDS": ""]

  private static func kitchen() throws -> String {
    try String(contentsOf: projectRoot.appending(path: "Tests/Scenarios/additive/\(file)"), encoding: .utf8)
  }

  /// A repository whose base commit has the schema.
  private func withBase(_ schema: String, _ body: (ActionRepository) async throws -> Void) async throws {
    try await ActionRepository.with { repository in
      try repository.write(schema, Self.file)
      try await repository.commit()
      try await body(repository)
    }
  }

  // MARK: Additions

  /// A place in the schema, and the text that goes there.
  struct Addition: Sendable {
    let after: String
    let text: String
  }

  /// Changes that only add, as people make them by hand and as the Console's exports show them.
  static let additions: [String: Addition] = [
    "a text field": Addition(after: "    words STRING,\n", text: "    tip STRING,\n"),
    "a field with all indexes": Addition(
      after: "    servings INT64,\n", text: "    origin STRING QUERYABLE SEARCHABLE SORTABLE,\n"),
    "a number": Addition(after: "    servings INT64,\n", text: "    minutes INT64 QUERYABLE SORTABLE,\n"),
    "a list": Addition(after: "    servings INT64,\n", text: "    tags LIST<STRING> QUERYABLE,\n"),
    "a reference": Addition(
      after: "    course STRING QUERYABLE,\n", text: "    basedOn REFERENCE QUERYABLE, // -> Recipe\n"),
    "an asset": Addition(after: "    photo ASSET,\n", text: "    video ASSET,\n"),
    "a place": Addition(after: "    course STRING QUERYABLE,\n", text: "    region LOCATION QUERYABLE,\n"),
    "an encrypted field of a private type": Addition(
      after: "    recipe STRING QUERYABLE,\n", text: "    budget ENCRYPTED DOUBLE,\n"),
    "an index": Addition(after: "    servings INT64", text: " QUERYABLE SORTABLE"),
    "a second index": Addition(after: "    course STRING QUERYABLE", text: " SORTABLE"),
    "a search index": Addition(after: "    words STRING", text: " SEARCHABLE"),
    "an index of a system field": Addition(
      after: "    \"___recordID\"   REFERENCE QUERYABLE,\n", text: "    \"___modTime\" TIMESTAMP QUERYABLE,\n"
    ),
    "system fields as an export has them": Addition(
      after: "    \"___recordID\"   REFERENCE QUERYABLE,\n",
      text:
        "    \"___createdBy\" REFERENCE, \"___etag\" STRING, \"___modTime\" TIMESTAMP, \"___modifiedBy\" REFERENCE,\n"
    ),
    "a type of the team": Addition(
      after: "// What a member says",
      text: """
         about a recipe has a type of its own below.
        RECORD TYPE Course (
          "___recordID" REFERENCE QUERYABLE, name STRING QUERYABLE SORTABLE,
          GRANT READ, CREATE, WRITE TO Chef, GRANT READ TO "_world"
        );
        // What a member says
        """),
    "a type of the private database": Addition(
      after: ");\n\n// celestra:private",
      text:
        " what a member has at home\nRECORD TYPE Pantry ( item STRING, amount DOUBLE );\n\n// celestra:private"
    ),
    "a type of Core Data": Addition(
      after: ");\n\n// celestra:private",
      text:
        " of the app\nRECORD TYPE CD_List ( CD_entityName STRING QUERYABLE, CD_title STRING );\n\n// celestra:private"
    ),
    "a type as development makes it, without an index": Addition(
      after: ");\n\n// What a member",
      text: """
         wrote is above.
        RECORD TYPE Photo (
          "___createTime" TIMESTAMP, "___createdBy" REFERENCE, "___etag" STRING, "___modTime" TIMESTAMP,
          "___modifiedBy" REFERENCE, "___recordID" REFERENCE, caption STRING, file ASSET,
          GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
        );

        // What a member
        """),
    "a role": Addition(after: "CREATE ROLE Chef;\n", text: "CREATE ROLE Helper;\n"),
    "a public type that people write, with an index but not the one for listing": Addition(
      after: ");\n\n// What a member",
      text: """
         wrote is above.
        RECORD TYPE Cheer (
          recipe REFERENCE QUERYABLE,
          GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
        );

        // What a member
        """),
    "a comment": Addition(after: "RECORD TYPE Step (\n", text: "    // One step after the other.\n"),
  ]

  @Test("twenty changes that only add pass")
  func additions() async throws {
    #expect(Self.additions.count == 20)
    let kitchen = try Self.kitchen()
    try await withBase(kitchen) { repository in
      var refused: [String: String] = [:]
      for (name, addition) in Self.additions {
        let place = try #require(kitchen.range(of: addition.after), "\(name)")
        var text = kitchen
        text.insert(contentsOf: addition.text, at: place.upperBound)
        try repository.write(text, Self.file)
        let review = try await repository.step("review", Self.variables)
        if review.status != 0 { refused[name] = review.out + review.err }
      }
      #expect(refused.isEmpty, "\(refused)")
    }
  }

  @Test(
    "additions that a rule is about are refused with its finding",
    arguments: [
      ("GRANT READ, CREATE, WRITE TO Chef, GRANT READ TO \"_world\"", "CK0203"),
      ("GRANT CREATE TO \"_creator\", GRANT READ TO \"_world\"", "CK0203"),
      ("GRANT CREATE, WRITE TO \"_icloud\"", "CK0301"),
    ])
  func refusals(grants: String, code: String) async throws {
    let kitchen = try Self.kitchen()
    try await withBase(kitchen) { repository in
      let added = "\nRECORD TYPE Course ( name STRING QUERYABLE, \(grants) );\n"
      try repository.write(kitchen + added, Self.file)
      let review = try await repository.step("review", Self.variables)
      #expect(review.status == 1 && review.out.contains(code), "\(review)")
    }
  }

  // MARK: Form

  @Test(
    "a file that was not in canonical form at the base does not have to be, and another one has to stay so")
  func form() async throws {
    let kitchen = try Self.kitchen()
    try await withBase(kitchen) { repository in
      let byHand = kitchen.replacingOccurrences(
        of: "    servings INT64,\n", with: "    servings INT64, minutes INT64,\n")
      try repository.write(byHand, Self.file)
      func review(_ form: String?, _ others: [String: String] = [:]) async throws -> Tool.Outcome {
        let variables = Self.variables.merging(form.map { ["FORMAT": $0] } ?? [:]) { $1 }
        return try await repository.step("review", variables.merging(others) { $1 })
      }
      let isAsked = "::error file=\(Self.file)::not in canonical form"
      for form in [nil, "changed", "off"] {
        let outcome = try await review(form)
        #expect(outcome.status == 0 && !outcome.out.contains(isAsked), "\(outcome)")
        #expect(outcome.out.contains("is not in canonical form, and does not have to be"), "\(outcome)")
        #expect(outcome.err.isEmpty, "\(outcome)")
      }
      let strict = try await review("check")
      #expect(strict.status == 1 && strict.out.contains(isAsked), "\(strict)")
      // Without a base nothing is known about what the file was.
      #expect(try await review(nil, ["BASE": ""]).status == 0)
      #expect(try await review("check", ["BASE": ""]).status == 1)
      let unknown = try await review("canged")
      #expect(
        unknown.status == 1 && unknown.err.contains("format is 'canged'; use check, off or changed"),
        "\(unknown)")

      // A new file, and one that the base has in canonical form.
      try repository.write(byHand, "new.ckdb")
      #expect(
        try await review(nil, ["SCHEMAS": "new.ckdb"]).out.contains("file=new.ckdb::not in canonical form"))
      try await repository.shell("rm new.ckdb; celestra-admin schema format --in-place \(Self.file)")
      try await repository.commit()
      #expect(try await review(nil).status == 0)
      try repository.write(byHand, Self.file)
      let worse = try await review(nil)
      #expect(worse.status == 1 && worse.out.contains(isAsked), "\(worse)")
      #expect(try await review("off").status == 0)
    }
  }

  @Test("a base that is no schema asks for no form, and its repair passes")
  func brokenBase() async throws {
    let kitchen = try Self.kitchen()
    try await withBase("<<<<<<< ours\n\(kitchen)=======\n>>>>>>> theirs\n") { repository in
      let broken = try await repository.step("review", Self.variables)
      #expect(broken.status == 1 && !broken.out.contains("canonical form"), "\(broken)")
      try repository.write(kitchen, Self.file)
      let repaired = try await repository.step("review", Self.variables)
      #expect(repaired.status == 0, "\(repaired)")
    }
  }
}
