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
    /// A part that no query can have.
    case refused(PredicateRefusal)
  }

  let subject: Subject
  var comparator: Comparator
  /// The type of the field, where the other side shows it.
  var type: SwiftType?
  /// The other side, if it is a literal.
  var value: JSONValue?
  /// Where the code names the field.
  var place: SourceRange

  /// What only running the code shows, at a place.
  static func unknown(_ place: SourceRange) -> PredicateCondition {
    PredicateCondition(subject: .unknown, comparator: .equals, place: place)
  }

  /// What no query can have, at a place.
  static func refused(_ part: PredicateRefusal, _ place: SourceRange) -> PredicateCondition {
    PredicateCondition(subject: .refused(part), comparator: .equals, place: place)
  }

  /// Whether `NOT` before it makes a query that is refused (Documentation/reference/web-services.md#native-predicates).
  var refusesNot: Bool { comparator == .near || comparator == .containsAllTokens }

  /// The condition for a member of a list: `ANY tags == %@`. With a list of values in front, `ANY {1, 2} = count`, the field
  /// is one of them.
  func ofMembers(isListFirst: Bool) -> PredicateCondition {
    guard !isListFirst || comparator != .equals else {
      var condition = self
      condition.comparator = .in
      return condition
    }
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

/// A part of a predicate that no query can have (Documentation/reference/web-services.md#native-predicates).
enum PredicateRefusal: Sendable, Equatable {
  /// A word such as OR, ALL or LIKE.
  case word(String)
  /// NOT before what it cannot negate.
  case not
  /// A field of another record, or a collection operator.
  case path(String)
  case outside
  case block
  /// What NSPredicate cannot read, at a word.
  case malformed(String)
  /// Fewer arguments than placeholders.
  case arguments

  var message: String {
    switch self {
    case .word(let word): "a query cannot have \(word) in its predicate"
    case .not: "a query cannot have NOT before AND, BETWEEN, a search for words or a distance"
    case .path(let path): "a query cannot ask for '\(path)': only fields of the record itself can be compared"
    case .outside: "a query can ask for places within a distance, not for those beyond it"
    case .block: "a query cannot have a predicate with a block"
    case .malformed(let word): "NSPredicate cannot read the format at '\(word)'"
    case .arguments: "the format has more placeholders than arguments"
    }
  }

  var help: String {
    switch self {
    case .word("OR"):
      "make a query for each side and join the results, or use IN for several values of one field"
    case .word(let word) where PredicateFormat.refusedComparisons.contains(word):
      "use ==, IN, BEGINSWITH or self CONTAINS, or let the app choose"
    case .malformed: "correct the format: the app ends where it makes this predicate"
    case .arguments: "give each placeholder an argument: the app ends where it makes this predicate"
    case .path: "keep the value in a field of the record, or look the other record up"
    default: "ask for more, and let the app choose among the results"
    }
  }
}
