import Diagnostics

package struct SchemaRule: Sendable {
  enum Phase: Sendable {
    /// For declarations, even in a file with syntax errors.
    case declaration
    /// Only if all statements could be parsed; errors within a field are allowed.
    case statements
    /// Only for a file without syntax errors.
    case file
    /// Only for a valid schema, by the linter.
    case lint
  }

  typealias Check<Subject> = @Sendable (Subject, inout RuleFindings) -> Void

  let code: String
  let phase: Phase
  let check: Check<RuleContext>?
  let typeCheck: Check<RecordTypeDeclaration>?

  init(_ code: String, in phase: Phase, check: @escaping Check<RuleContext>) {
    (self.code, self.phase, self.check, typeCheck) = (code, phase, check, nil)
  }

  /// - Parameter check: visits one record type at a time.
  init(_ code: String, ofTypesIn phase: Phase, check: @escaping Check<RecordTypeDeclaration>) {
    (self.code, self.phase, self.check, typeCheck) = (code, phase, nil, check)
  }
}

extension Sequence where Element == SchemaRule {
  /// The findings of the rules. Visits the record types once for all rules, because these visits take most of the
  /// time.
  func diagnostics(_ context: RuleContext) -> [Diagnostic] {
    var findings = map { RuleFindings(code: $0.code, source: context.parsed.source) }
    for (place, rule) in enumerated() { rule.check?(context, &findings[place]) }
    let typeChecks = enumerated().compactMap { place, rule in rule.typeCheck.map { (place, $0) } }
    for type in typeChecks.isEmpty ? [] : context.parsed.recordTypes {
      for (place, check) in typeChecks { check(type, &findings[place]) }
    }
    return findings.flatMap(\.diagnostics)
  }
}

struct RuleContext: Sendable {
  let parsed: ParsedSchema
  /// Made once for all that the linter asks of comments.
  var comments: CommentAttachment?
  /// The queries about the schema, with what keeps the service from answering them.
  var queryProblems: [(query: AppQuery, problems: [AppQueryProblem])] = []
  /// Why another schema of the project may have a type that is missing, behind what is said of it.
  var otherSchemasGap = ""
  /// The schema that the file takes the place of, if known.
  var older: Schema?
  var otherRoles: [Role] = []
  /// The relations of the settings by field. One to a thing counts only if a schema of the project has its type.
  var declared: [String: DeclaredRelation] = [:]
  var databases = RecordTypeDatabases()
  /// The record types in the public database, without those that CloudKit manages.
  var publicTypes: [RecordTypeDeclaration] = []
  /// Types that are not declared private, even if the text suggests that they are: for rules about grants, which
  /// were written explicitly.
  var grantedTypes: [RecordTypeDeclaration] = []

  init(validating parsed: ParsedSchema, knowing otherRoles: [Role] = []) {
    self.parsed = parsed
    self.otherRoles = otherRoles
  }

  /// - Parameter name: the name of the file with the schema, or that takes its place.
  init(
    linting parsed: ParsedSchema, _ options: LintOptions, named name: String, _ comments: CommentAttachment
  ) {
    self.parsed = parsed
    self.comments = comments
    let (queries, gap) = options.queries(about: parsed, named: name)
    if let gap { otherSchemasGap = ", and the other schemas of the project are not known: \(gap)" }
    if !queries.isEmpty {
      let check = AppQueryCheck(queries, against: parsed.schema)
      queryProblems = queries.map { ($0, check.problems(of: $0)) }
    }
    older = options.older?.schema.schema
    let relations = options.configuration.relations
    var types = Set(parsed.recordTypes.map(\.name))
    if relations.contains(where: { $0.namesPerson == false && !types.contains($0.target) }) {
      types.formUnion(options.elsewhere().names)
    }
    declared = relations.filter { $0.namesPerson != false || types.contains($0.target) }.byField
    databases = RecordTypeDatabases(of: parsed, comments, options, queried: Set(queries.map(\.recordType)))
    for type in parsed.recordTypes {
      if databases.isPublic(type), !SystemNames.isManaged(type.name) { publicTypes.append(type) }
      if !databases.isDeclaredPrivate(type) { grantedTypes.append(type) }
    }
  }
}

struct RuleFindings {
  fileprivate let code: String
  let source: SourceText
  fileprivate(set) var diagnostics: [Diagnostic] = []

  mutating func report(
    _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil,
    notes: [(message: String, range: Range<Int>)] = []
  ) {
    report(message, in: source.range(range), help: help, fix: fix, notes: notes)
  }

  /// A finding that may be in another file, such as the list of queries; its fix and its notes are about the schema.
  mutating func report(
    _ message: String, in place: SourceRange, help: String?, fix: (range: Range<Int>, text: String)?,
    notes: [(message: String, range: Range<Int>)]
  ) {
    diagnostics.append(
      Diagnostic(
        code, SchemaRules.page[code].severity, message.withShortWords, at: place,
        notes: notes.map { Diagnostic.Note($0.message, at: source.range($0.range)) },
        help: help?.withShortWords,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
  }
}

extension RecordTypeDeclaration {
  func grant(of privilege: Privilege, to role: String) -> GrantDeclaration? {
    grants.first { $0.grant.role == role && $0.grant.privileges.contains(privilege) }
  }

  var isReadByStrangers: Bool {
    grant(of: .read, to: Role.world) != nil || grant(of: .read, to: Role.icloud) != nil
  }

  package func field(_ name: String) -> FieldDeclaration? { fields.first { $0.name == name } }
}
