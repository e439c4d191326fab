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
  var isOfPublicTypes = false

  init(_ code: String, in phase: Phase, check: @escaping Check<RuleContext>) {
    (self.code, self.phase, self.check, typeCheck) = (code, phase, check, nil)
  }

  /// - Parameter check: visits one record type at a time, after `whole` has looked at all of the schema.
  init(
    _ code: String, ofTypesIn phase: Phase, after whole: Check<RuleContext>? = nil,
    check: @escaping Check<RecordTypeDeclaration>
  ) {
    (self.code, self.phase, self.check, typeCheck) = (code, phase, whole, check)
  }

  /// - Parameter check: visits one record type of ``RuleContext/publicTypes`` at a time.
  init(_ code: String, ofPublicTypesIn phase: Phase, check: @escaping Check<RecordTypeDeclaration>) {
    self.init(code, ofTypesIn: phase, check: check)
    isOfPublicTypes = true
  }
}

extension Sequence where Element == SchemaRule {
  /// The findings of the rules. Visits the record types once for all rules, because these visits take most of the
  /// time: what one rule has read is near for the next.
  func diagnostics(_ context: RuleContext) -> [Diagnostic] {
    var findings = map { RuleFindings(code: $0.code, context: context) }
    for (place, rule) in enumerated() { rule.check?(context, &findings[place]) }
    let typeChecks = enumerated().compactMap { place, rule in
      rule.typeCheck.map { (place, rule.isOfPublicTypes, $0) }
    }
    var publicTypes = context.publicTypes[...]
    for type in context.parsed.recordTypes {
      let isPublic = publicTypes.first === type
      if isPublic { publicTypes = publicTypes.dropFirst() }
      for (place, isOfPublicTypes, check) in typeChecks where isPublic || !isOfPublicTypes {
        check(type, &findings[place])
      }
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
  /// The record types in the public database, without those that CloudKit manages, in the order of the text.
  var publicTypes: [RecordTypeDeclaration] = []

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
    publicTypes = parsed.recordTypes.filter { databases.isPublic($0) && !SystemNames.isManaged($0.name) }
  }
}

struct RuleFindings {
  fileprivate let code: String
  let context: RuleContext
  fileprivate(set) var diagnostics: [Diagnostic] = []
  // Both are found only if a field is suspected, because they take the whole file.
  private(set) lazy var nouns = PersonalDataNames.nouns(of: context.parsed)
  private(set) lazy var fieldsOfThings = SchemaRule.fieldsThatNameThings(context)

  var source: SourceText { context.parsed.source }

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
