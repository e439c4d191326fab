internal import SchemaLanguage

/// Checks the names read from a container file, which may come from an untrusted source, because they become part
/// of SQL and of schema text.
enum StoredNameCheck {
  /// The name, if the schema language allows it.
  ///
  /// Throws ``StorageFailure/damaged(_:)`` otherwise. The message leaves out the name, which may contain anything.
  static func checked(_ name: String, _ what: String) throws -> String {
    guard Schema.isName(name) else {
      throw StorageFailure.damaged("its schema has \(what) with an invalid name")
    }
    return name
  }

  /// The name of a table or a column, if `SchemaWriter` could have made it for `owner`: either the same name, or
  /// the name with a dot and a number that distinguishes it from one that differs only by case.
  static func checked(_ name: String, _ what: String, of owner: String) throws -> String {
    let isOwn = try checked(name, what).utf8.starts(with: owner.utf8)
    let rest = name.utf8.dropFirst(owner.utf8.count)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isNumbered =
      rest.count > 1 && rest.first == UInt8(ascii: ".") && rest.dropFirst().allSatisfy(digits.contains)
    guard isOwn, rest.isEmpty || isNumbered else {
      throw StorageFailure.damaged("its schema has \(what) whose name does not match")
    }
    return name
  }
}
