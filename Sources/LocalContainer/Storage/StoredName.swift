internal import SchemaLanguage

/// Names read from a container file, which may come from anybody. They become part of SQL and of schema text.
enum StoredName {
  /// The name, if it is one of the schema language's.
  ///
  /// Throws ``StorageFailure/damaged(_:)`` otherwise, without the name: it may hold anything.
  static func checked(_ name: String, _ what: String) throws -> String {
    guard Schema.isName(name) else {
      throw StorageFailure.damaged("its schema has \(what) with a name that no schema can have")
    }
    return name
  }

  /// The name of a table or a column, if `SchemaWriter` could have made it for `owner`: the same, or with a dot and a
  /// number where SQLite would confuse it with another.
  static func checked(_ name: String, _ what: String, of owner: String) throws -> String {
    let isOwn = try checked(name, what).utf8.starts(with: owner.utf8)
    let rest = name.utf8.dropFirst(owner.utf8.count)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isNumbered =
      rest.count > 1 && rest.first == UInt8(ascii: ".") && rest.dropFirst().allSatisfy(digits.contains)
    guard isOwn, rest.isEmpty || isNumbered else {
      throw StorageFailure.damaged("its schema has \(what) that belongs to another name")
    }
    return name
  }
}
