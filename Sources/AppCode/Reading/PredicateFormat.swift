internal import Diagnostics
internal import SchemaLanguage

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
    /// The text of a constant, or a number as the code writes it.
    let text: String?
    let type: SwiftType?
    let place: SourceRange
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
    let all = source.range(range)
    var conditions: [PredicateCondition] = []
    var left: Operand?
    var comparator: String?
    var isOfMembers = false
    var negation = Negation()
    var rest = range
    var depthOfFunction = 0
    for word in Self.words(of: format) {
      if depthOfFunction > 0 {
        depthOfFunction += word.hasSuffix("(") ? 1 : word == ")" ? -1 : 0
        if word.count > 1, word.hasPrefix("%") { _ = arguments.popFirst() }
        continue
      }
      if word.hasPrefix("$"), word.hasSuffix("(") { depthOfFunction = 1 }
      let upper = word.uppercased()
      negation.move(over: word)
      if symbols[upper] != nil {
        comparator = upper
        continue
      }
      if refusedWords.contains(upper) || refusedComparisons.contains(upper) {
        let place = source.firstWord(word, in: rest).map { source.range($0) }
        conditions.append(.refused(.word(upper == "||" ? "OR" : upper), place ?? all))
        // What follows cannot be read as a comparison.
        if upper == "SUBQUERY" { return conditions }
      }
      if connectives.contains(upper) || refusedComparisons.contains(upper) {
        if let left, left.kind == .unknown { conditions.append(.unknown(left.place ?? all)) }
        (left, comparator) = (nil, nil)
        if upper == "NOT" || upper == "!" { negation.begin() }
        if upper == "AND" || upper == "&&", negation.isOfGroup { conditions.append(.refused(.not, all)) }
        continue
      }
      if ["ANY", "ALL", "SOME", "NONE"].contains(upper) {
        isOfMembers = true
        continue
      }
      guard var operand = operand(word, upper, &arguments) else { continue }
      if operand.place == nil, let name = operand.name, let found = source.firstWord(name, in: rest) {
        operand.place = source.range(found)
        rest = found.upperBound..<range.upperBound
      }
      guard let first = left, let symbol = comparator else {
        // The place of a location is the first argument of distanceToLocation.
        if left == nil || left?.kind == .value { left = operand }
        continue
      }
      if let condition = condition(first, symbol, operand, all) {
        let isNegated = negation.applies && (condition.refusesNot || symbol == "BETWEEN")
        conditions.append(
          isNegated
            ? .refused(.not, condition.place)
            : isOfMembers ? condition.ofMembers(isListFirst: first.kind == .value) : condition)
      }
      // `"count == 1" + more`
      if operand.kind == .unknown, word.count > 1 { conditions.append(.unknown(operand.place ?? all)) }
      (left, comparator, isOfMembers) = (nil, nil, false)
      negation.endComparison()
    }
    if let left, left.kind == .unknown { conditions.append(.unknown(left.place ?? all)) }
    return conditions
  }

  /// The words between comparisons, in capitals.
  private static let connectives: Set<String> = ["AND", "OR", "NOT", "&&", "||", "!"]

  /// What no predicate of a query has, in capitals (Documentation/reference/web-services.md#native-predicates).
  private static let refusedWords: Set<String> = ["OR", "||", "ALL", "SUBQUERY"]

  /// How no predicate of a query compares.
  static let refusedComparisons: Set<String> = ["LIKE", "MATCHES", "ENDSWITH"]

  /// What a `NOT` of a format is about: the next comparison, or those in the parentheses that follow.
  private struct Negation {
    private var depth = 0
    /// The depth at which a `NOT` stands.
    private var place: Int?

    var applies: Bool { place != nil }
    var isOfGroup: Bool { place.map { depth > $0 } ?? false }

    mutating func begin() { place = place ?? depth }

    mutating func move(over word: String) {
      if word == "(" { depth += 1 }
      if word == ")" {
        depth -= 1
        if place == depth { place = nil }
      }
    }

    mutating func endComparison() {
      if place == depth { place = nil }
    }
  }

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
      /// A field of another record: `owner.name`.
      case path(String)
    }

    let kind: Kind
    var type: SwiftType?
    var literal: JSONValue?
    /// The field's name in the format.
    var name: String?
    /// Where the code has it, if that is not in the format.
    var place: SourceRange?
  }

  private static let symbols: [String: Comparator] = [
    "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals, "<": .lessThan, "<=": .lessThanOrEquals,
    "=<": .lessThanOrEquals, ">": .greaterThan, ">=": .greaterThanOrEquals, "=>": .greaterThanOrEquals,
    "IN": .in,
    "BEGINSWITH": .beginsWith, "CONTAINS": .listContains, "BETWEEN": .greaterThanOrEquals,
    "TOKENMATCHES": .containsAllTokens,
  ]

  private static func condition(
    _ left: Operand, _ symbol: String, _ right: Operand, _ range: SourceRange
  ) -> PredicateCondition? {
    guard let comparator = symbols[symbol] else { return nil }
    if case .path(let path) = left.kind { return .refused(.path(path), left.place ?? range) }
    if case .path(let path) = right.kind { return .refused(.path(path), right.place ?? range) }
    func compared(_ field: String, _ side: Operand, _ comparator: Comparator, with other: Operand)
      -> PredicateCondition
    {
      PredicateCondition(
        subject: .field(field), comparator: comparator, type: fieldType(comparator, other.type),
        value: other.literal, place: side.place ?? range)
    }
    switch (left.kind, right.kind) {
    case (.everyField, _):
      return PredicateCondition(
        subject: .everyField, comparator: .containsAllTokens, place: left.place ?? range)
    case (.location, _) where comparator == .greaterThan || comparator == .greaterThanOrEquals:
      return .refused(.outside, left.place ?? range)
    case (.location(let field), _):
      return PredicateCondition(
        subject: .field(field), comparator: .near, type: SwiftType("CLLocation"), place: left.place ?? range)
    case (.field(let field), _): return compared(field, left, comparator, with: right)
    // `%@ IN tags` asks whether a list has the value, `%@ CONTAINS title` whether the value has the field.
    case (.value, .field(let field)), (.unknown, .field(let field)):
      let turned: [Comparator: Comparator] = [.in: .listContains, .listContains: .in]
      return compared(field, right, turned[comparator] ?? comparator, with: left)
    case (.unknownField, _), (.unknown, _): return .unknown(left.place ?? range)
    case (_, .unknownField): return .unknown(right.place ?? range)
    default: return nil
    }
  }

  /// The type of a field that is compared with a value.
  private static func fieldType(_ comparator: Comparator, _ value: SwiftType?) -> SwiftType? {
    if comparator == .beginsWith || comparator == .containsAllTokens { return SwiftType("String") }
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
    if word == "%K" { return field(of: arguments.popFirst()) }
    if word.hasPrefix("%") {
      let argument = arguments.popFirst()
      let type =
        switch word.last {
        case "@": argument?.type
        case "f", "g", "F": SwiftType("Double")
        default: SwiftType("Int")
        }
      // With %d, the memory of a text is read as a number.
      let value = argument.flatMap(literal).flatMap { word.last != "@" && $0.string != nil ? nil : $0 }
      return Operand(kind: .value, type: type, literal: value)
    }
    // A variable, or the result of a function.
    if word.hasPrefix("$") { return Operand(kind: .value) }
    if word.contains(SwiftConstants.unknownPart), word.first != "\"", word.first != "'" {
      return Operand(kind: .unknown)
    }
    if word.first == "\"" || word.first == "'" {
      var operand = Operand(kind: .value, type: SwiftType("String"))
      if !word.contains(SwiftConstants.unknownPart) {
        operand.literal = JSONValue.string(String(word.dropFirst().dropLast()))
      }
      return operand
    }
    if word.first?.isNumber ?? false || word.first == "-" || word.first == "." { return number(word) }
    switch upper {
    case "SELF", "ALLTOKENS": return Operand(kind: .everyField, name: word)
    case "TRUE", "FALSE", "YES", "NO":
      return Operand(
        kind: .value, type: SwiftType("Bool"), literal: JSONValue.bool(upper == "TRUE" || upper == "YES"))
    case "NULL", "NIL": return Operand(kind: .value)
    case "TRUEPREDICATE", "FALSEPREDICATE": return nil
    case _ where upper.hasPrefix("DISTANCETOLOCATION:"):
      let name = String(word.drop { $0 != "(" }.dropFirst()).filter { !$0.isWhitespace }
      if name == "%K" {
        let argument = field(of: arguments.popFirst())
        guard case .field(let name) = argument.kind else { return argument }
        return Operand(kind: .location(name), place: argument.place)
      }
      return Operand(kind: .location(storedNames[name] ?? name), name: name)
    default:
      guard let first = word.first, first.isLetter || first == "_" else { return nil }
      return field(word, place: nil)
    }
  }

  /// The value of a constant text or a number among the arguments.
  private static func literal(_ argument: Argument) -> JSONValue? {
    guard let text = argument.text, let type = argument.type, !type.isList else { return nil }
    switch type.dataType {
    case .string?: return .string(text)
    case .int64?, .double?: return number(text).literal
    default: return nil
    }
  }

  /// `12`, `0x1F`, `-1.5`, `1e3`
  private static func number(_ word: String) -> Operand {
    let (sign, digits) = (word.hasPrefix("-") ? "-" : "", word.drop { $0 == "-" })
    let radix = ["0x": 16, "0o": 8, "0b": 2][digits.prefix(2).lowercased()]
    if let whole = Int64(sign + digits.dropFirst(radix == nil ? 0 : 2), radix: radix ?? 10) {
      return Operand(kind: .value, type: SwiftType("Int"), literal: .integer(whole))
    }
    guard let number = Double(word) else { return Operand(kind: .value) }
    // A field of whole numbers may have 1e3.
    let isWhole = number == number.rounded() && !word.contains(".")
    return Operand(kind: .value, type: SwiftType("Double"), literal: isWhole ? nil : .double(number))
  }

  /// What `%K` stands for.
  private static func field(of argument: Argument?) -> Operand {
    guard let name = argument?.text else { return Operand(kind: .unknownField, place: argument?.place) }
    return field(name, place: argument?.place)
  }

  private static func field(_ text: String, place: SourceRange?) -> Operand {
    let name = text.lowercased().hasPrefix("self.") ? String(text.dropFirst(5)) : text
    return Operand(
      kind: name.contains(".") ? .path(name) : .field(storedNames[name] ?? name),
      name: place == nil ? name : nil,
      place: place)
  }

  /// The names in the schema of the fields that the frameworks name otherwise
  /// (Documentation/reference/web-services.md#system-fields).
  static let storedNames = [
    "recordID": "___recordID", "creationDate": "___createTime", "modificationDate": "___modTime",
    "creatorUserRecordID": "___createdBy", "lastModifiedUserRecordID": "___modifiedBy",
  ]

  /// Whether a word in capitals is an operator, not a function, where a parenthesis follows: `IN(%@)`, `NOT(`.
  static func isOperator(_ word: String) -> Bool {
    symbols[word] != nil || connectives.contains(word) || refusedWords.contains(word)
      || refusedComparisons.contains(word) || ["ANY", "SOME", "NONE"].contains(word)
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
