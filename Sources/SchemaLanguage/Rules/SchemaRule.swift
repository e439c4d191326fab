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

  enum Check: Sendable {
    case schema(@Sendable (RuleContext, inout RuleFindings) -> Void)
    case recordTypes(@Sendable (RecordTypeDeclaration, inout RuleFindings) -> Void)
  }

  let code: String
  let phase: Phase
  let check: Check

  init(_ code: String, in phase: Phase, check: @escaping @Sendable (RuleContext, inout RuleFindings) -> Void)
  {
    self.code = code
    self.phase = phase
    self.check = .schema(check)
  }

  init(
    _ code: String, in phase: Phase,
    eachRecordType check: @escaping @Sendable (RecordTypeDeclaration, inout RuleFindings) -> Void
  ) {
    self.code = code
    self.phase = phase
    self.check = .recordTypes(check)
  }

  var rule: Rule { SchemaRules.page[code] }
}

extension Sequence where Element == SchemaRule {
  /// The findings of the rules. Visits the record types once for all rules, because these visits take most of the
  /// time.
  ///
  /// - Parameter limit: the maximum number of findings of each rule; a note gives the number of the others.
  func diagnostics(_ context: RuleContext, limit: Int = .max) -> [Diagnostic] {
    var findings = map { RuleFindings($0.code, in: context.parsed.source, limit: limit) }
    var typeChecks: [(place: Int, check: @Sendable (RecordTypeDeclaration, inout RuleFindings) -> Void)] = []
    for (place, rule) in enumerated() {
      switch rule.check {
      case .schema(let check): check(context, &findings[place])
      case .recordTypes(let check): typeChecks.append((place, check))
      }
    }
    guard !typeChecks.isEmpty else { return findings.flatMap(\.all) }
    for type in context.parsed.recordTypes {
      for (place, check) in typeChecks { check(type, &findings[place]) }
    }
    return findings.flatMap(\.all)
  }
}

struct RuleContext: Sendable {
  let parsed: ParsedSchema
  /// The queries of an app, if known, with what keeps the service from answering them.
  var queryProblems: [(query: AppQuery, problems: [AppQueryProblem])] = []
  /// The schema that the file takes the place of, if known.
  var older: Schema?
  var otherRoles: [Role] = []
  let databases: RecordTypeDatabases
  /// The record types in the public database, without those that CloudKit manages.
  let publicTypes: [RecordTypeDeclaration]
  /// Types that are not declared private, even if the text suggests that they are: for rules about grants, which
  /// were written explicitly.
  let grantedTypes: [RecordTypeDeclaration]

  init(validating parsed: ParsedSchema, knowing otherRoles: [Role] = []) {
    self.parsed = parsed
    self.otherRoles = otherRoles
    databases = RecordTypeDatabases()
    publicTypes = []
    grantedTypes = []
  }

  init(linting parsed: ParsedSchema, _ options: LintOptions) {
    self.parsed = parsed
    if let queries = options.queries?.queries {
      let check = AppQueryCheck(queries, against: parsed.schema)
      queryProblems = queries.map { ($0, check.problems(of: $0)) }
    }
    older = options.older?.schema.schema
    let databases = RecordTypeDatabases(of: parsed, options)
    self.databases = databases
    publicTypes = parsed.recordTypes.filter {
      databases[$0] == .public && !SystemNames.isManaged($0.name)
    }
    grantedTypes = parsed.recordTypes.filter { databases[$0] != .private }
  }
}

struct RuleFindings {
  private let code: String
  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []
  private let limit: Int
  private var omitted = 0

  init(_ code: String, in source: SourceText, limit: Int = .max) {
    self.code = code
    self.source = source
    self.limit = limit
  }

  private var severity: Diagnostic.Severity { SchemaRules.page[code].severity }

  /// The findings, and the number of those above the limit.
  var all: [Diagnostic] {
    omitted == 0
      ? diagnostics : diagnostics + [FindingLimit.note(omitted, code, at: diagnostics.last?.range)]
  }

  mutating func report(
    _ message: String, at range: Range<Int>, help: String? = nil,
    fix: (range: Range<Int>, text: String)? = nil,
    notes: [(message: String, range: Range<Int>)] = []
  ) {
    guard diagnostics.count < limit else {
      omitted += 1
      return
    }
    diagnostics.append(
      Diagnostic(
        code, severity, message.withShortWords, at: source.range(range),
        notes: notes.map { Diagnostic.Note($0.message, at: source.range($0.range)) },
        help: help?.withShortWords,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
  }

  /// A finding in another file, such as the list of queries.
  ///
  /// - Parameters:
  ///   - declared: what it is about in the schema.
  ///   - fix: the change of the schema.
  mutating func report(
    _ message: String, in place: SourceRange, help: String?, declared: Range<Int>? = nil,
    fix: (range: Range<Int>, text: String)? = nil
  ) {
    let notes = declared.map { [Diagnostic.Note("declared here", at: source.range($0))] } ?? []
    diagnostics.append(
      Diagnostic(
        code, severity, message, at: place, notes: notes, help: help,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
  }
}

extension RecordTypeDeclaration {
  func privileges(of role: String) -> EnumSet<Privilege> {
    grants.reduce(into: []) { if $1.grant.role == role { $0.formUnion($1.grant.privileges) } }
  }

  func grant(of privilege: Privilege, to role: String) -> GrantDeclaration? {
    grants.first { $0.grant.role == role && $0.grant.privileges.contains(privilege) }
  }

  var isReadByStrangers: Bool {
    grant(of: .read, to: Role.world) != nil || grant(of: .read, to: Role.icloud) != nil
  }

  package func field(_ name: String) -> FieldDeclaration? { fields.first { $0.name == name } }
}
