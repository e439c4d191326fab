package import Diagnostics
package import SchemaLanguage

/// What an app's code says about records: a record type, a field, a filter or a sort.
package struct AppUse: Sendable, Hashable {
  package enum Kind: String, Sendable {
    case type, field, filter, sort
  }

  package let kind: Kind
  /// `nil` for a field of a record whose type the code does not show.
  package var recordType: String?
  /// `nil` for a use of the type itself, and for a filter by the words of all fields.
  package let field: String?
  package var comparator: Comparator?
  /// The literal that a filter compares with.
  var value: JSONValue?
  /// The type of the field's values, where the code shows it.
  package var dataType: DataType?
  /// The type that declarations, casts and comparisons show, which may be wrong.
  var shownType: DataType?
  package var isEncrypted = false
  var isRead = false
  var isMade = false
  /// Whether it is a part of a query.
  var isAsked = false
  /// How grave it is that the schema lacks a field that only values too large for a record need; `nil` for other uses.
  var largeValues: Diagnostic.Severity?
  package let place: SourceRange
}

/// The uses in the sources of an app, and the places where only running the code would show a name.
package struct AppUses: Sendable {
  package private(set) var uses: [AppUse] = []
  package private(set) var undecided: [SourceRange] = []
  /// Why places are undecided.
  private(set) var reasons: [SourceRange: String] = [:]
  /// The files that may be read wrong from a place on.
  package private(set) var problems: [Diagnostic] = []
  /// Whether no Swift code that was read names the container that mirrors Core Data.
  package private(set) var lacksCoreDataMirror = false
  /// The comments that accept findings, each with its line of code, and what is wrong with others.
  private(set) var exceptions: [(comment: IgnoreComment, line: Int)] = []
  private(set) var misread: [Diagnostic] = []

  /// Reads Swift files, in which constants of one are known in the others.
  package init(swift sources: [SourceText]) {
    let read = sources.map { SwiftLexer.tokens(in: $0.bytes) }
    let names = SwiftTypes.otherNames(in: read.map(\.tokens))
    let files = zip(sources, read).map { source, read in
      var tokens = read.tokens
      for index in tokens.indices {
        if let name = tokens[index].word.flatMap({ names[$0] }) { tokens[index].kind = .word(name) }
      }
      return SwiftFile(source, tokens)
    }
    let constants = files.map { SwiftConstants(of: $0) }
    let shared = SwiftConstants(joining: constants)
    let unread = zip(files, constants).map { SwiftUseReader($0, $1.elsewhere(shared)) }
    var readers = unread
    for index in readers.indices { readers[index].read() }
    // Once more, where a file names a property or function of any file that gives a predicate or a record, until no more
    // is known.
    var types = shared.types
    var predicates: [String: [PredicateCondition]] = [:]
    for _ in 0..<4 {
      let known = (types, predicates)
      predicates = Self.predicates(of: readers)
      let given = types.add(recordTypes: readers.map(\.givenTypes)) + predicates.keys
      guard (types, predicates) != known else { break }
      let givers = Set(given.map { $0.split(separator: ".").last.map(String.init) ?? $0 })
      for index in readers.indices
      where unread[index].tokens.contains(where: { $0.word.map(givers.contains) ?? false }) {
        readers[index] = unread[index]
        readers[index].predicates = predicates
        readers[index].constants.types = types
        readers[index].read()
      }
    }
    var refused: Set<SourceRange> = []
    for ((file, lexed), reader) in zip(zip(files, read), readers) {
      addComments(lexed.comments, lexed.tokens, of: file.source)
      uses += reader.uses
      reasons.merge(reader.reasons) { first, _ in first }
      undecided += reader.undecided
      problems += reader.refusals.filter { $0.range.map { refused.insert($0).inserted } ?? true }
      guard let problem = lexed.problem else { continue }
      add(
        AppUses(
          unread: file.source.range(problem.offset..<problem.offset),
          "\(problem.text), so what follows is not checked for certain"))
    }
    lacksCoreDataMirror = !files.contains {
      $0.tokens.contains { $0.word == "NSPersistentCloudKitContainer" }
    }
  }

  /// What the predicates of properties and functions ask for. A body with branches gives one of them, so all count; a name
  /// with none that is known is left out.
  private static func predicates(of readers: [SwiftUseReader]) -> [String: [PredicateCondition]] {
    var all: [String: [PredicateCondition]] = [:]
    for (key, found) in readers.lazy.flatMap(\.givenPredicates) {
      for condition in found where all[key]?.contains(condition) != true {
        all[key, default: []].append(condition)
      }
    }
    return all.filter { $0.value.contains { $0.subject != .unknown } }
  }

  init(_ uses: [AppUse]) { self.uses = uses }

  /// - Parameter reason: why only running the code shows what is used.
  init(undecided place: SourceRange, _ reason: String) {
    undecided = [place]
    reasons = [place: reason]
  }

  /// What is known of a file that cannot be read, or not from a place on.
  init(
    unread place: SourceRange, _ message: String, help: String = "correct the file, and run the check again"
  ) {
    self.init(undecided: place, "what follows is not read for certain")
    problems = [Diagnostic(AppRule.unreadCode, message, at: place, help: help)]
  }

  /// A comment accepts what is found in the code before it on its line, else in the next line with code.
  private mutating func addComments(_ comments: [Range<Int>], _ tokens: [SwiftToken], of source: SourceText) {
    for range in comments {
      guard let comment = IgnoreComment(source, range) else {
        misread += [IgnoreComment.misread(source, range)].compactMap(\.self)
        continue
      }
      let own = source.lineNumber(at: range.lowerBound)
      let before = tokens.last { !$0.isEdge && $0.range.upperBound <= range.lowerBound }
      let isBeside = before.map { source.lineNumber(at: $0.range.upperBound) == own } ?? false
      let next = isBeside ? nil : tokens.first { !$0.isEdge && $0.range.lowerBound >= range.upperBound }
      exceptions.append((comment, next.map { source.lineNumber(at: $0.range.lowerBound) } ?? own))
    }
  }

  package mutating func add(_ other: AppUses) {
    uses += other.uses
    undecided += other.undecided
    reasons.merge(other.reasons) { first, _ in first }
    problems += other.problems
  }
}

extension DataType {
  /// Whether a field takes values of another type: a DOUBLE whole numbers, an encrypted field what its type takes.
  func takes(_ other: DataType) -> Bool {
    switch (primitive, other.primitive) {
    case (.encrypted(let left), .plain(let right)): left == right
    case (.plain(.double), .plain(.int64)), (.number, .plain(.int64)), (.number, .plain(.double)): true
    default: false
    }
  }
}
