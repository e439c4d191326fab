import Foundation
import Testing

/// What the Action's review says, with its defaults, about successive versions of schemas that the Console made: in
/// canonical form, with the grants that development gives each type, and edited by hand since.
@Suite("Versions of a schema in a pull request") struct ActionVersionsTests {
  private static let file = "library.ckdb"
  private static let defaultGrants = [
    "GRANT WRITE TO \"_creator\"", "GRANT CREATE TO \"_icloud\"", "GRANT READ TO \"_world\"",
  ]
  private static let chosenGrants = [
    "GRANT READ, WRITE TO \"_creator\"", "GRANT CREATE TO \"_icloud\"", "GRANT READ TO \"_world\"",
  ]

  /// A type as an export prints it. The fields are lines whose names have 15 columns.
  private static func type(
    _ name: String, _ fields: [String], isListed: Bool = true, system: Bool = true,
    grants: [String] = defaultGrants
  ) -> String {
    let stamps = [
      "\"___createTime\" TIMESTAMP", "\"___createdBy\"  REFERENCE", "\"___etag\"       STRING",
      "\"___modTime\"    TIMESTAMP", "\"___modifiedBy\" REFERENCE",
      "\"___recordID\"   REFERENCE\(isListed ? " QUERYABLE" : "")",
    ]
    let members = ((system ? stamps : []) + fields + grants).map { "        \($0)" }.joined(separator: ",\n")
    return "\n    RECORD TYPE \(name) (\n\(members)\n    );\n"
  }

  private static func schema(_ types: String...) -> String { "DEFINE SCHEMA\n" + types.joined() }

  private static let book = type("Book", ["title           STRING QUERYABLE SORTABLE"])
  private static let copy = type("Copy", ["book            REFERENCE QUERYABLE"])
  private static let shelf = type("Shelf", ["room            STRING QUERYABLE"], isListed: false)
  private static let listedShelf = type("Shelf", ["room            STRING QUERYABLE"])
  private static let loan = type("Loan", ["copy            REFERENCE QUERYABLE"], isListed: false)
  private static func visit(_ field: String, system: Bool = true) -> String {
    type("Visit", [field], isListed: false, system: system, grants: chosenGrants)
  }

  /// Two versions, and what the review prints about the newer one.
  struct Versions: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let base: String
    let changed: String
    var prints: [String] = []
    var printsNot = ["CK0203", "canonical form"]
  }

  private static let passing = [
    Versions(
      testDescription: "the same", base: schema(book, copy, shelf), changed: schema(book, copy, shelf)),
    Versions(
      testDescription: "a type at the end that is in order nowhere, and that no index lists",
      base: schema(book, copy, shelf), changed: schema(book, copy, shelf, loan),
      prints: ["2 of 4 record types look private: Shelf, Loan because no index lists them"]),
    Versions(
      testDescription: "a type in its place", base: schema(book, copy, listedShelf),
      changed: schema(book, copy, loan, listedShelf), prints: ["CK0207", "Loan"]),
    Versions(
      testDescription: "the first types of an empty schema", base: schema(),
      changed: schema(book, copy, shelf), prints: ["CK0207", "Shelf"]),
    Versions(
      testDescription: "the first types, each with the index for listing", base: schema(),
      changed: schema(book, copy, listedShelf)),
    Versions(
      testDescription: "the index for listing", base: schema(book, copy, shelf),
      changed: schema(book, copy, listedShelf)),
    Versions(
      testDescription: "the index for listing, in a file whose types are in another order",
      base: schema(shelf, book, copy), changed: schema(listedShelf, book, copy)),
    Versions(
      testDescription: "a field as an export prints it", base: schema(book),
      changed: schema(
        type("Book", ["pages           INT64 QUERYABLE", "title           STRING QUERYABLE SORTABLE"]))),
    Versions(
      testDescription: "the first index of a type that the base only asks about",
      base: schema(visit("day             TIMESTAMP")),
      changed: schema(visit("day             TIMESTAMP QUERYABLE"))),
    Versions(
      testDescription: "the lines of an export, with a finding that the base has too",
      base: schema(visit("day TIMESTAMP QUERYABLE", system: false)),
      changed: schema(visit("day             TIMESTAMP QUERYABLE"))),
    Versions(
      testDescription: "fields by hand in a file that never was canonical",
      base: schema(book).replacingOccurrences(of: "    ", with: "\t"),
      changed: schema(book).replacingOccurrences(of: "    ", with: "\t").replacingOccurrences(
        of: "title", with: "pages INT64, title"), prints: ["does not have to be"], printsNot: ["CK0203"]),
  ]

  @Test("versions that only add pass", arguments: passing)
  func additions(versions: Versions) async throws {
    let review = try await review(versions)
    #expect(review.status == 0, "\(review)")
    for text in versions.prints { #expect(review.out.contains(text), "\(text): \(review)") }
    for text in versions.printsNot { #expect(!review.out.contains(text), "\(text): \(review)") }
  }

  @Test(
    "a line by hand that leaves the columns of an export is refused, and the command that is named corrects it"
  )
  func columns() async throws {
    let versions = Versions(
      testDescription: "columns", base: Self.schema(Self.book, Self.copy),
      changed: Self.schema(Self.copy, Self.book).replacingOccurrences(
        of: "        title ", with: "        pageCountOfEdition INT64,\n        title "))
    let refused = try await review(versions) { repository in
      let command = "celestra-admin schema format --in-place --keep-order '\(Self.file)'"
      let before = try await repository.step("review", ["SCHEMAS": Self.file])
      #expect(before.out.contains("not in canonical form; run: \(command)"), "\(before)")
      #expect(before.status == 1 && !before.out.contains("CK0203"), "\(before)")
      try await repository.shell(command)
      let text = try repository.text(Self.file)
      #expect(text.contains("        pageCountOfEdition INT64,\n"), "\(text)")
      // The order of the types is kept.
      let first = try #require(text.range(of: "Copy")), second = try #require(text.range(of: "Book"))
      #expect(first.lowerBound < second.lowerBound, "\(text)")
    }
    #expect(refused.status == 0, "\(refused)")
    let strict = try await review(versions, ["FORMAT": "check"])
    #expect(strict.status == 1, "\(strict)")
    #expect(strict.out.contains("run: celestra-admin schema format --in-place '\(Self.file)'"), "\(strict)")
  }

  @Test("a finding of a type that the change adds is refused")
  func newFinding() async throws {
    let review = try await review(
      Versions(
        testDescription: "", base: Self.schema(Self.book),
        changed: Self.schema(Self.book, Self.visit("day             TIMESTAMP QUERYABLE"))))
    #expect(review.status == 1 && review.out.contains("CK0203"), "\(review)")
  }

  /// The review of a change in a repository of its own, after `correct`.
  private func review(
    _ versions: Versions, _ variables: [String: String] = [:],
    correct: (ActionRepository) async throws -> Void = { _ in }
  ) async throws -> Tool.Outcome {
    var outcome: Tool.Outcome?
    try await ActionRepository.with { repository in
      try repository.write(versions.base, Self.file)
      try await repository.commit()
      try repository.write(versions.changed, Self.file)
      try await correct(repository)
      outcome = try await repository.step(
        "review", variables.merging(["SCHEMAS": Self.file, "SEEDS": ""]) { $1 })
    }
    return try #require(outcome)
  }
}
