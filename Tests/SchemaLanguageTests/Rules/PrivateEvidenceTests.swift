import Testing

@testable import SchemaLanguage

/// Documentation/reference/schema-language.md#databases
@Suite("Signs of the private database") struct PrivateEvidenceTests {
  private static let all =
    "GRANT READ TO \"_world\", GRANT CREATE TO \"_icloud\", GRANT WRITE TO \"_creator\""
  private static let chosen = "GRANT READ, CREATE TO \"_icloud\""

  @Test(
    "the first sign counts",
    arguments: [
      ("a STRING", "T", nil, "no-grants"), ("a STRING, \(all)", "T", nil, "no-index"),
      ("a STRING QUERYABLE, \(all)", "T", nil, "not-listed"),
      ("a ENCRYPTED STRING", "T", nil, "encrypted-field"),
      ("CD_a ENCRYPTED STRING", "T", nil, "core-data-names"),
      ("a STRING, \(all)", "CD_T", nil, "core-data-names"), ("a STRING", "T", "private database", "comment"),
      ("a STRING, GRANT READ TO Mods", "CD_T", nil, nil),
      ("a STRING, GRANT READ TO Mods", "T", "private database", "comment"),
      ("a STRING QUERYABLE, \(chosen)", "T", nil, nil),
      ("\"___recordID\" REFERENCE QUERYABLE, \(all)", "T", nil, nil),
      ("\"___recordID\" REFERENCE SORTABLE, \(all)", "T", nil, "not-listed"),
      (
        "a STRING QUERYABLE, GRANT READ TO \"_creator\", GRANT CREATE TO \"_icloud\"", "T", nil,
        "read-by-creator"
      ),
      ("a STRING QUERYABLE, GRANT READ, WRITE TO \"_creator\", GRANT READ TO \"_icloud\"", "T", nil, nil),
      ("a STRING QUERYABLE, GRANT CREATE TO \"_icloud\"", "T", nil, nil),
      (
        "a STRING QUERYABLE, GRANT READ, WRITE TO \"_world\", GRANT CREATE TO \"_icloud\", GRANT WRITE TO \"_creator\"",
        "T", nil, nil
      ),
      (
        "a STRING QUERYABLE, GRANT READ TO \"_world\", GRANT READ, CREATE TO \"_icloud\", GRANT WRITE TO \"_creator\"",
        "T", nil, nil
      ),
      (
        "a STRING QUERYABLE, GRANT READ TO \"_world\", GRANT CREATE TO \"_icloud\", GRANT READ, WRITE TO \"_creator\"",
        "T", nil, nil
      ),
    ] as [(String, String, String?, String?)])
  func signs(_ members: String, _ name: String, _ comment: String?, _ evidence: String?) throws {
    let text = "DEFINE SCHEMA CREATE ROLE Mods; RECORD TYPE \(name) ( \(members) );"
    let type = try #require(parse(text).recordTypes.first)
    #expect(PrivateEvidence(type, among: [name], mentioned: comment != nil)?.rawValue == evidence)
  }

  @Test("a twin with Core Data's prefix is a sign, and other names are none")
  func twins() throws {
    let type = try #require(parse(schema("a STRING QUERYABLE, \(Self.chosen)")).recordTypes.first)
    #expect(PrivateEvidence(type, among: ["T", "CD_T"], mentioned: false) == .coreData)
    #expect(PrivateEvidence(type, among: ["T", "CD_U"], mentioned: false) == nil)
  }

  @Test("only strong signs keep the rules about readers from a type")
  func strength() {
    #expect(
      PrivateEvidence.allCases.filter(\.isStrong) == [.comment, .coreData, .encryptedField, .noGrants])
  }
}
