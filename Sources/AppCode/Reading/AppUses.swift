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
  /// How a filter compares.
  package var comparator: Comparator?
  /// The literal that a filter compares with.
  var value: JSONValue?
  /// The type of the field's values, where the code shows it.
  package var dataType: DataType?
  /// The type that declarations, casts and comparisons show, which may be wrong.
  var shownType: DataType?
  /// Whether the code encrypts the field's values.
  package var isEncrypted = false
  /// Whether the code reads the field's value.
  var isRead = false
  /// Whether the code makes records of the type.
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
  /// Why places in Swift code are undecided.
  private(set) var reasons: [SourceRange: String] = [:]
  /// The files that may be read wrong from a place on.
  package private(set) var problems: [Diagnostic] = []
  /// Whether no Swift code that was read names the container that mirrors Core Data.
  package private(set) var lacksCoreDataMirror = false

  /// Reads Swift files, in which constants of one are known in the others.
  package init(swift sources: [SourceText]) {
    let read = sources.map { SwiftLexer.tokens(in: $0) }
    let names = SwiftTypes.otherNames(in: read.map(\.tokens))
    let files = zip(sources, read).map { source, read in
      let tokens = read.tokens.map { token in
        let name = token.word.flatMap { names[$0] }
        return name.map { SwiftToken(kind: .word($0), range: token.range, startsLine: token.startsLine) }
          ?? token
      }
      return (
        source: source, tokens: tokens, constants: SwiftConstants(of: tokens), problem: read.problem
      )
    }
    let shared = SwiftConstants(joining: files.map(\.constants))
    var readers = files.map {
      SwiftUseReader($0.source, $0.tokens, $0.constants.elsewhere(shared), predicates: [:])
    }
    for index in readers.indices { readers[index].read() }
    // Once more, with the predicates and records that properties and functions of any file give.
    let predicates = SwiftPredicates.joined(readers.map(\.named))
    var types = shared.types
    let hasNewTypes = types.add(recordTypes: readers.map(\.givenTypes))
    for index in readers.indices
    where hasNewTypes || !predicates.isEmpty && !readers[index].undecided.isEmpty {
      readers[index] = readers[index].knowing(predicates, types)
      readers[index].read()
    }
    var refused: Set<SourceRange> = []
    for (file, reader) in zip(files, readers) {
      uses += reader.uses
      reasons.merge(reader.reasons) { first, _ in first }
      undecided += reader.undecided
      problems += reader.refusals.filter { $0.range.map { refused.insert($0).inserted } ?? true }
      guard let problem = file.problem else { continue }
      add(
        AppUses(
          unread: file.source.range(problem.offset..<problem.offset),
          "\(problem.text), so what follows is not checked for certain"))
    }
    lacksCoreDataMirror = !files.contains {
      $0.tokens.contains { $0.word == "NSPersistentCloudKitContainer" }
    }
  }

  init(_ uses: [AppUse], undecided: [SourceRange]) {
    self.uses = uses
    self.undecided = undecided
  }

  /// What is known of a file that cannot be read, or not from a place on.
  init(unread place: SourceRange, _ message: String) {
    undecided = [place]
    problems = [
      Diagnostic(
        AppRule.unreadCode, message, at: place, help: "correct the file, and run the check again")
    ]
  }

  /// Both together.
  package mutating func add(_ other: AppUses) {
    uses += other.uses
    undecided += other.undecided
    problems += other.problems
  }
}
