internal import SchemaLanguage

/// A comparison in a predicate: a field, and what it is compared by.
struct PredicateCondition: Sendable, Equatable {
  enum Subject: Sendable, Equatable {
    /// A field, as the schema names it.
    case field(String)
    /// The words of all fields.
    case everyField
    /// Only running the code shows it.
    case unknown
  }

  let subject: Subject
  let comparator: Comparator

  /// The condition for a member of a list: `ANY tags == %@`.
  fileprivate var ofMembers: PredicateCondition {
    let forMembers: [Comparator: Comparator] = [
      .equals: .listContains, .notEquals: .notListContains, .in: .listContainsAny,
      .beginsWith: .listMemberBeginsWith,
    ]
    return PredicateCondition(subject: subject, comparator: forMembers[comparator] ?? comparator)
  }
}

/// Reads the format of an `NSPredicate`, as far as CloudKit takes it.
enum PredicateFormat {
  /// The words of formats for ``Comparator/advice(for:in:)``.
  static let words: [(comparator: Comparator, word: String)] = [
    (.equals, "=="), (.in, "IN"), (.lessThan, "<"), (.greaterThan, ">"), (.beginsWith, "BEGINSWITH"),
    (.containsAllTokens, "self CONTAINS"), (.listContains, "CONTAINS"),
    (.near, "distanceToLocation:fromLocation:"),
  ]

  /// The conditions of a format.
  ///
  /// - Parameter arguments: the texts of the arguments in their order; `nil` for one that is not a constant.
  static func conditions(of format: String, arguments: [String?]) -> [PredicateCondition] {
    let words = words(of: format)
    var arguments = arguments[...]
    var conditions: [PredicateCondition] = []
    var left: Operand?
    var comparator: (upper: String, Void)?
    var isOfMembers = false
    for word in words {
      let upper = word.uppercased()
      if symbols[upper] != nil {
        comparator = (upper, ())
        continue
      }
      guard let operand = operand(word, upper, &arguments) else {
        if ["AND", "OR", "NOT", "&&", "||", "!"].contains(upper) {
          if left == .unknown { conditions.append(unknown) }
          (left, comparator) = (nil, nil)
        } else if ["ANY", "ALL", "SOME", "NONE"].contains(upper) {
          isOfMembers = true
        }
        continue
      }
      guard let first = left, let symbol = comparator else {
        // The place of a location is the first argument of distanceToLocation.
        if left == nil || left == .value { left = operand }
        continue
      }
      if let condition = condition(first, symbol.upper, operand) {
        conditions.append(isOfMembers ? condition.ofMembers : condition)
      }
      (left, comparator, isOfMembers) = (nil, nil, false)
    }
    return left == .unknown ? conditions + [unknown] : conditions
  }

  private static let unknown = PredicateCondition(subject: .unknown, comparator: .equals)

  private enum Operand: Equatable {
    case field(String)
    /// A field that is an argument of the code.
    case unknownField
    case value
    /// Text that only running the code shows.
    case unknown
    case everyField
    case location(String)
  }

  private static let symbols: [String: Comparator] = [
    "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals, "<": .lessThan, "<=": .lessThanOrEquals,
    "=<": .lessThanOrEquals, ">": .greaterThan, ">=": .greaterThanOrEquals, "=>": .greaterThanOrEquals,
    "IN": .in,
    "BEGINSWITH": .beginsWith, "CONTAINS": .listContains, "BETWEEN": .greaterThanOrEquals,
    "TOKENMATCHES": .containsAllTokens,
  ]

  private static func condition(_ left: Operand, _ symbol: String, _ right: Operand) -> PredicateCondition? {
    guard let comparator = symbols[symbol] else { return nil }
    switch (left, right) {
    case (.everyField, _): return PredicateCondition(subject: .everyField, comparator: .containsAllTokens)
    case (.location(let field), _): return PredicateCondition(subject: .field(field), comparator: .near)
    case (.field(let field), _): return PredicateCondition(subject: .field(field), comparator: comparator)
    // `%@ IN tags` asks whether a list has the value, `%@ CONTAINS title` whether the value has the field.
    case (.value, .field(let field)), (.unknown, .field(let field)):
      let turned: [Comparator: Comparator] = [.in: .listContains, .listContains: .in]
      return PredicateCondition(subject: .field(field), comparator: turned[comparator] ?? comparator)
    case (.unknownField, _), (_, .unknownField), (.unknown, _): return unknown
    default: return nil
    }
  }

  private static func operand(
    _ word: String, _ upper: String, _ arguments: inout ArraySlice<String?>
  ) -> Operand? {
    if word == "%K" {
      guard let name = arguments.popFirst() ?? nil else { return .unknownField }
      return .field(storedName(name))
    }
    if word.hasPrefix("%") {
      _ = arguments.popFirst()
      return .value
    }
    if word.contains(SwiftConstants.unknownPart), word.first != "\"", word.first != "'" { return .unknown }
    if word.first == "\"" || word.first == "'" || word.first?.isNumber ?? false || word.first == "-" {
      return .value
    }
    switch upper {
    case "SELF", "ALLTOKENS": return .everyField
    case "TRUE", "FALSE", "YES", "NO", "NULL", "NIL": return .value
    case "TRUEPREDICATE", "FALSEPREDICATE", "ANY", "ALL", "SOME", "NONE": return nil
    case _ where upper.hasPrefix("DISTANCETOLOCATION:"):
      return .location(storedName(String(word.drop { $0 != "(" }.dropFirst())))
    default:
      guard let first = word.first, first.isLetter || first == "_", upper != "AND", upper != "OR",
        upper != "NOT"
      else {
        return nil
      }
      return .field(storedName(word))
    }
  }

  /// The name in the schema of a field that the frameworks name otherwise
  /// (Documentation/reference/web-services.md#system-fields).
  static func storedName(_ name: String) -> String {
    switch name {
    case "recordID": "___recordID"
    case "creationDate": "___createTime"
    case "modificationDate": "___modTime"
    case "creatorUserRecordID": "___createdBy"
    case "lastModifiedUserRecordID": "___modifiedBy"
    default: name
    }
  }

  private static func isUnknown(_ character: Character) -> Bool {
    String(character) == SwiftConstants.unknownPart
  }

  /// The words, symbols and quoted values of a format. `distanceToLocation:fromLocation:(a, %@)` is one word with its first
  /// argument.
  private static func words(of format: String) -> [String] {
    var words: [String] = []
    var rest = Substring(format)
    while let first = rest.first {
      if first == "\"" || first == "'" {
        let end = rest.dropFirst().firstIndex(of: first).map { rest.index(after: $0) } ?? rest.endIndex
        words.append(String(rest[..<end]))
        rest = rest[end...]
      } else if rest.lowercased().hasPrefix("distancetolocation:fromlocation:(") {
        let end = rest.firstIndex(of: ",") ?? rest.endIndex
        words.append(String(rest[..<end]))
        rest = rest[end...]
      } else if first == "%" {
        let end = rest.dropFirst().firstIndex { !$0.isLetter && $0 != "@" } ?? rest.endIndex
        let isObject = rest.dropFirst().first == "@" || rest.dropFirst().first == "K"
        let word = isObject ? rest.prefix(2) : rest[..<end]
        words.append(String(word))
        rest = rest[word.endIndex...]
      } else if first.isLetter || first.isNumber || first == "_" || first == "-" || isUnknown(first) {
        let word = rest.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) || isUnknown($0) }
        words.append(String(word))
        rest = rest[word.endIndex...]
        // The options of a comparison: CONTAINS[cd].
        if rest.first == "[", let end = rest.firstIndex(of: "]") { rest = rest[rest.index(after: end)...] }
      } else if "=!<>&|".contains(first) {
        let word = rest.prefix { "=!<>&|".contains($0) }
        words.append(String(word))
        rest = rest[word.endIndex...]
      } else {
        rest = rest.dropFirst()
      }
    }
    return words
  }
}
