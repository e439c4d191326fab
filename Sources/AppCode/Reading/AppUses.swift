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
  /// The type of the field's values, where the code shows it.
  package var dataType: DataType?
  /// The type that declarations, casts and comparisons show, which may be wrong.
  var shownType: DataType?
  /// Whether the code encrypts the field's values.
  package var isEncrypted = false
  /// Whether the code makes records of the type.
  var isMade = false
  /// Whether it is a part of a query.
  var isAsked = false
  package let place: SourceRange
}

/// The uses in the sources of an app, and the places where only running the code would show a name.
package struct AppUses: Sendable {
  package private(set) var uses: [AppUse] = []
  package private(set) var undecided: [SourceRange] = []
  /// The files that may be read wrong from a place on.
  package private(set) var problems: [Diagnostic] = []
  /// Whether Swift code was read, and none of it names the container that mirrors Core Data.
  package private(set) var lacksCoreDataMirror = false

  /// Reads Swift files, in which constants of one are known in the others.
  package init(swift sources: [SourceText]) {
    let files = sources.map { source in
      let (tokens, problem) = SwiftLexer.tokens(in: source)
      return (
        source: source, tokens: tokens, constants: SwiftConstants(of: tokens), problem: problem
      )
    }
    let shared = SwiftConstants(joining: files.map(\.constants))
    for file in files {
      var reader = SwiftUseReader(file.source, file.tokens, file.constants.elsewhere(shared))
      reader.read()
      uses += reader.uses
      undecided += reader.undecided
      guard let problem = file.problem else { continue }
      let place = file.source.range(problem.offset..<problem.offset)
      undecided.append(place)
      problems.append(
        Diagnostic(
          AppRule.unreadCode, "\(problem.text), so what follows is not checked for certain", at: place,
          help: "correct the file, and run the check again"))
    }
    lacksCoreDataMirror =
      !files.isEmpty
      && !files.contains { $0.tokens.contains { $0.word == "NSPersistentCloudKitContainer" } }
  }

  init(_ uses: [AppUse], undecided: [SourceRange]) {
    self.uses = uses
    self.undecided = undecided
  }

  /// Both together.
  package mutating func add(_ other: AppUses) {
    uses += other.uses
    undecided += other.undecided
  }
}
