internal import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

/// A person who asks for their data, named by the user record name in one container and environment.
///
/// Its description and its errors never contain the name.
package struct Person: Sendable {
  /// Personal data: only for requests to the container, and inside an encrypted export.
  let userRecordName: String
  /// The name, and what can stand for it in the container.
  private(set) var names: [String]
  /// What can stand for a text that names a person in a mirror; `nil` for a container that has the names themselves.
  package var standIns: (@Sendable (String) -> [String])? {
    didSet { names = names(for: userRecordName) }
  }

  /// Reads the name from the bytes of a file: one line, as apps get it from `fetchUserRecordID` or `users/caller`
  /// (Documentation/reference/web-services.md#users-endpoints).
  ///
  /// Throws ``CommandFailure`` for anything else, such as an email address.
  package init(parsing bytes: [UInt8]) throws {
    let words = String(decoding: bytes.prefix(Self.maxBytes), as: UTF8.self).split(
      whereSeparator: \.isWhitespace)
    guard bytes.count <= Self.maxBytes, words.count == 1, let name = words.first else {
      throw Self.refusal("does not contain one user record name and nothing else")
    }
    if name.hasSuffix("defaultOwner__") {
      throw Self.refusal("contains the alias that an app sees for its own user, not a user record name")
    }
    guard name.hasPrefix("_"), Self.lengths.contains(name.count - 1),
      name.dropFirst().allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
    else { throw Self.refusal("does not contain a user record name") }
    userRecordName = String(name)
    names = [userRecordName]
  }

  /// A text, such as a pseudonym, and what can stand for it in the container.
  func names(for text: String) -> [String] { [text] + (standIns?(text) ?? []) }

  /// The role of the key that answers requests (Documentation/Privacy.md#before-a-request-comes).
  package static let officer = "PrivacyOfficer"

  private static let maxBytes = 4096
  /// All names that were ever seen have 32 hexadecimal digits after the underscore; Apple documents no length.
  private static let lengths = 16...128

  private static func refusal(_ problem: String) -> CommandFailure {
    CommandFailure(
      "the file of --person \(problem)", code: "bad-person",
      hint:
        "Write one line, an underscore and 32 hexadecimal digits: what fetchUserRecordID gives in the person's app.",
      status: .usage)
  }

  /// The error without the person's name, which a service could repeat in its explanation.
  func redacted(_ error: any Error) -> any Error {
    guard var refusal = error as? ServerError else { return error }
    refusal.reason = refusal.reason.replacing(userRecordName, with: "[person]")
    return refusal
  }
}

extension Schema {
  /// The grant that answering requests needs on each type that users write; `nil` in a schema without the role for it.
  var officerGrant: Grant? {
    roles.contains(Role(Person.officer)) ? Grant([.read, .write], to: Person.officer) : nil
  }

  /// What a type lacks of that grant; `nil` if it lacks nothing, or users do not write it.
  func missingOfficerGrant(on type: RecordType) -> Grant? {
    guard type.isMadeByUsers, let grant = officerGrant else { return nil }
    let missing = grant.privileges.subtracting(type.privileges(of: grant.role))
    return missing.isEmpty ? nil : Grant(missing, to: grant.role)
  }
}

extension Person: CustomStringConvertible, CustomReflectable {
  package var description: String { "person [redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value in a field that stands for the person, such as a pseudonym that only the app can relate to them.
package struct PseudonymCondition: Sendable {
  let field: String
  /// Personal data, as ``Person/userRecordName``.
  let value: String

  /// Parses `FIELD=VALUE`; `nil` for another text, such as `TYPE.FIELD=VALUE`.
  package init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts.contains(""), !parts[0].contains(".") else { return nil }
    field = parts[0]
    value = parts[1]
  }
}
