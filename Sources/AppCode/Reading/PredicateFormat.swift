internal import Diagnostics
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
  var comparator: Comparator
  /// The type of the field, where the other side shows it.
  var type: SwiftType?
  /// Where the code names the field.
  var place: Range<Int>

  /// The condition for a member of a list: `ANY tags == %@`.
  fileprivate var ofMembers: PredicateCondition {
    let forMembers: [Comparator: Comparator] = [
      .equals: .listContains, .notEquals: .notListContains, .in: .listContainsAny,
      .beginsWith: .listMemberBeginsWith,
    ]
    var condition = self
    condition.comparator = forMembers[comparator] ?? comparator
    condition.type = type.map { SwiftType($0.name, isList: true) }
    return condition
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

  /// What a format's `%@` or `%K` stands for.
  struct Argument {
    /// The text of a constant.
    let text: String?
    let type: SwiftType?
    let place: Range<Int>
  }

  /// The conditions of a format.
  ///
  /// - Parameters:
  ///   - range: where the code has the format.
  ///   - arguments: in their order.
  static func conditions(
    of format: String, in source: SourceText, at range: Range<Int>, arguments: [Argument]
  ) -> [PredicateCondition] {
    var arguments = arguments[...]
    var conditions: [PredicateCondition] = []
    var left: Operand?
    var comparator: String?
    var isOfMembers = false
    var rest = range
    for word in words(of: format) {
      let upper = word.uppercased()
      if symbols[upper] != nil {
        comparator = upper
        continue
      }
      guard var operand = operand(word, upper, &arguments) else {
        if ["AND", "OR", "NOT", "&&", "||", "!"].contains(upper) {
          if let left, left.kind == .unknown { conditions.append(unknown(left.place ?? range)) }
          (left, comparator) = (nil, nil)
        } else if ["ANY", "ALL", "SOME", "NONE"].contains(upper) {
          isOfMembers = true
        }
        continue
      }
      if operand.place == nil, let name = operand.name, let found = source.firstWord(name, in: rest) {
        operand.place = found
        rest = found.upperBound..<range.upperBound
      }
      guard let first = left, let symbol = comparator else {
        // The place of a location is the first argument of distanceToLocation.
        if left == nil || left?.kind == .value { left = operand }
        continue
      }
      if let condition = condition(first, symbol, operand, range) {
        conditions.append(isOfMembers ? condition.ofMembers : condition)
      }
      (left, comparator, isOfMembers) = (nil, nil, false)
    }
    if let left, left.kind == .unknown { conditions.append(unknown(left.place ?? range)) }
    return conditions
  }

  private static func unknown(_ place: Range<Int>) -> PredicateCondition {
    PredicateCondition(subject: .unknown, comparator: .equals, place: place)
  }

  /// One side of a comparison.
  private struct Operand {
    enum Kind: Equatable {
      case field(String)
      /// A field that is an argument of the code.
      case unknownField
      case value
      /// Text that only running the code shows.
      case unknown
      case everyField
      case location(String)
    }

    let kind: Kind
    /// The type of a value.
    var type: SwiftType?
    /// The field's name in the format.
    var name: String?
    /// Where the code has it, if that is not in the format.
    var place: Range<Int>?
  }

  private static let symbols: [String: Comparator] = [
    "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals, "<": .lessThan, "<=": .lessThanOrEquals,
    "=<": .lessThanOrEquals, ">": .greaterThan, ">=": .greaterThanOrEquals, "=>": .greaterThanOrEquals,
    "IN": .in,
    "BEGINSWITH": .beginsWith, "CONTAINS": .listContains, "BETWEEN": .greaterThanOrEquals,
    "TOKENMATCHES": .containsAllTokens,
  ]

  private static func condition(
    _ left: Operand, _ symbol: String, _ right: Operand, _ range: Range<Int>
  ) -> PredicateCondition? {
    guard let comparator = symbols[symbol] else { return nil }
    func condition(
      _ subject: PredicateCondition.Subject, _ comparator: Comparator, _ side: Operand, _ type: SwiftType?
    )
      -> PredicateCondition
    {
      PredicateCondition(subject: subject, comparator: comparator, type: type, place: side.place ?? range)
    }
    switch (left.kind, right.kind) {
    case (.everyField, _): return condition(.everyField, .containsAllTokens, left, nil)
    case (.location(let field), _): return condition(.field(field), .near, left, SwiftType("CLLocation"))
    case (.field(let field), _):
      return condition(.field(field), comparator, left, fieldType(comparator, right.type))
    // `%@ IN tags` asks whether a list has the value, `%@ CONTAINS title` whether the value has the field.
    case (.value, .field(let field)), (.unknown, .field(let field)):
      let turned: [Comparator: Comparator] = [.in: .listContains, .listContains: .in]
      let asked = turned[comparator] ?? comparator
      return condition(.field(field), asked, right, fieldType(asked, left.type))
    case (.unknownField, _), (.unknown, _): return unknown(left.place ?? range)
    case (_, .unknownField): return unknown(right.place ?? range)
    default: return nil
    }
  }

  /// The type of a field that is compared with a value.
  private static func fieldType(_ comparator: Comparator, _ value: SwiftType?) -> SwiftType? {
    switch comparator {
    case .beginsWith, .containsAllTokens: return SwiftType("String")
    default: break
    }
    // A reference is compared with the ID of its record, or the record.
    guard let value else { return nil }
    let isRecord = ["CKRecord.ID", "CKRecordID", "CKRecord"].contains(value.name)
    return SwiftType(
      isRecord ? "CKRecord.Reference" : value.name,
      isList: comparator == .listContains
        || value.isList && comparator != .in
          && comparator != .greaterThanOrEquals
    )
  }

  private static func operand(
    _ word: String, _ upper: String, _ arguments: inout ArraySlice<Argument>
  ) -> Operand? {
    if word == "%K" {
      let argument = arguments.popFirst()
      guard let name = argument?.text else { return Operand(kind: .unknownField, place: argument?.place) }
      return Operand(kind: .field(storedName(name)), place: argument?.place)
    }
    if word.hasPrefix("%") {
      let type = arguments.popFirst()?.type
      switch word.last {
      case "@": return Operand(kind: .value, type: type)
      case "f", "g", "F": return Operand(kind: .value, type: SwiftType("Double"))
      default: return Operand(kind: .value, type: SwiftType("Int"))
      }
    }
    if word.contains(SwiftConstants.unknownPart), word.first != "\"", word.first != "'" {
      return Operand(kind: .unknown)
    }
    if word.first == "\"" || word.first == "'" { return Operand(kind: .value, type: SwiftType("String")) }
    if word.first?.isNumber ?? false || word.first == "-" {
      return Operand(kind: .value, type: SwiftType(word.contains(".") ? "Double" : "Int"))
    }
    switch upper {
    case "SELF", "ALLTOKENS": return Operand(kind: .everyField, name: word)
    case "TRUE", "FALSE", "YES", "NO": return Operand(kind: .value, type: SwiftType("Bool"))
    case "NULL", "NIL": return Operand(kind: .value)
    case "TRUEPREDICATE", "FALSEPREDICATE", "ANY", "ALL", "SOME", "NONE": return nil
    case _ where upper.hasPrefix("DISTANCETOLOCATION:"):
      let name = String(word.drop { $0 != "(" }.dropFirst())
      return Operand(kind: .location(storedName(name)), name: name)
    default:
      guard let first = word.first, first.isLetter || first == "_", upper != "AND", upper != "OR",
        upper != "NOT"
      else {
        return nil
      }
      return Operand(kind: .field(storedName(word)), name: word)
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

extension SourceText {
  /// The first place of a whole word.
  fileprivate func firstWord(_ word: String, in range: Range<Int>) -> Range<Int>? {
    let wanted = Array(word.utf8)
    func isOfName(_ index: Int) -> Bool {
      range.contains(index) && bytes[index].isIdentifierByte
    }
    guard !wanted.isEmpty, range.count >= wanted.count else { return nil }
    return (range.lowerBound...range.upperBound - wanted.count).first { start in
      bytes[start..<start + wanted.count].elementsEqual(wanted) && !isOfName(start - 1)
        && !isOfName(start + wanted.count)
    }.map { $0..<$0 + wanted.count }
  }
}
