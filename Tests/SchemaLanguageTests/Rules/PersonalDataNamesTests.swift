import Testing

@testable import SchemaLanguage

@Suite("Names of personal data") struct PersonalDataNamesTests {
  @Test(
    "a field identifies a person by a person's word before an ending, or by an address",
    arguments: [
      ("uid", false, true), ("uuid", false, false), ("id", false, false), ("userId", false, true),
      ("userUID", false, true),
      ("email", false, true), ("workEmail", false, true), ("emailAddress", false, true),
      ("phoneNumber", false, true),
      ("ipAddress", false, true), ("address", false, false), ("emailed", false, false),
      ("user", false, false), ("user", true, true),
      ("postedBy", true, true), ("postedById", false, true), ("postedBy", false, false),
      ("feedPostedBy", true, true),
      ("hostRecordName", false, true), ("feedRecordName", false, false), ("recordName", false, false),
      ("recordID", false, false),
      ("userid", false, true), ("useruuid", false, true), ("feedid", false, false), ("id", true, false),
      ("feed", true, false),
      ("ownerIdentifier", false, true), ("identifierOfOwner", false, false), ("userIdHash", false, false),
      ("", false, false),
      ("appleReference", false, true), ("personRef", false, true), ("lastPerson", true, true),
      ("personLast", true, false),
    ])
  func identifiers(_ field: String, _ isReference: Bool, _ isIdentifier: Bool) {
    #expect(PersonalDataNames.isIdentifier(field, isReference: isReference, nouns: []) == isIdentifier)
  }

  @Test("a word that is a type of the schema names one of its records, if it may mean a thing")
  func nouns() {
    #expect(
      PersonalDataNames.nouns(of: ["BankAccount", "AccountRecord", "Record", "ItemModel", ""]) == [
        "account", "record", "model",
      ])
    func isIdentifier(_ field: String) -> Bool {
      PersonalDataNames.isIdentifier(field, isReference: false, nouns: ["account", "profile", "user"])
    }
    #expect(!isIdentifier("accountId"))
    #expect(!isIdentifier("profileRecordName"))
    #expect(isIdentifier("hostId"))
    #expect(isIdentifier("userId"))
  }

  @Test("fields of a whole schema are found with their types, without lists and system fields")
  func fields() {
    let type = RecordType(
      "T",
      fields: [
        Field("userId", .string), Field("author", .reference), Field("feed", .reference),
        Field("ownerId", .int64),
        Field("userIds", .list(.plain(.string))), Field("___createdBy", .reference),
        Field("secretUserId", .scalar(.encrypted(.string))),
      ])
    let found = Schema(recordTypes: [type]).personIdentifierFields(of: type)
    #expect(found.map(\.name) == ["userId", "author"])
  }

  @Test(
    "a type describes a person by one of its words, and a field is a detail by its last ones",
    arguments: [
      ("UserProfile", "birthday TIMESTAMP", true), ("Player", "birthDate TIMESTAMP", true),
      ("Member", "dateOfBirth TIMESTAMP", true),
      ("Patient", "gender STRING", true), ("Employee", "ssn STRING", true),
      ("Customer", "passportNumber STRING", true),
      ("Account", "date STRING", false), ("Account", "birthdayCard STRING", false),
      ("Account", "ofBirth STRING", false),
      ("Feed", "birthday TIMESTAMP", false), ("Users2", "religion STRING", true),
    ])
  func details(_ name: String, _ field: String, _ isFound: Bool) {
    let text =
      "DEFINE SCHEMA RECORD TYPE \(name) ( \"___recordID\" REFERENCE QUERYABLE, \(field), GRANT READ, CREATE TO \"_icloud\" );"
    #expect(SchemaLinter.diagnostics(parse(text)).codes == (isFound ? ["CK0311"] : []))
  }

  @Test(
    "names are taken apart at capitals and at what is no letter",
    arguments: [
      ("a", "a"), ("A", "a"), ("aB", "a b"), ("AB", "ab"), ("ABc", "a bc"), ("aBC", "a bc"),
      ("ABCd", "ab cd"), ("IDs", "id"), ("IDsX", "id x"),
      ("IDss", "i dss"), ("a1b", "a b"), ("a_b", "a b"), ("a1", "a"), ("1", ""), ("", ""), ("CD_a", "a"),
      ("cd_a", "cd a"), ("CD", "cd"),
      ("gas", "ga"), ("as", "as"), ("us", "us"), ("bus", "bus"), ("pass", "pass"), ("this", "this"),
      ("tags", "tag"),
      ("Zz", "zz"), ("zZ", "z z"), ("aAs", "a as"), ("aIDs", "a id"),
    ])
  func words(_ name: String, _ words: String) {
    #expect(IdentifierWords(name).words.joined(separator: " ") == words)
  }

  @Test(
    "the last two letters decide quickly, without numbers and the plural",
    arguments: [
      ("userId", true), ("userIds", true), ("userID_2", true), ("userId2s", false), ("email", true),
      ("emails", true), ("mai", false),
      ("il", true), ("l", false), ("", false), ("s", false), ("ils", true), ("ss", true), ("address", true),
      ("addres", false), ("access", true),
      ("2", false), ("_", false), ("ild", false),
    ])
  func endings(_ name: String, _ mayEnd: Bool) {
    #expect(NameEndingFilter(["userid", "email", "address"]).mayEnd(name) == mayEnd)
  }
}
