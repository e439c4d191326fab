public import Diagnostics

/// A coded rule: what it means, and the function that finds where it is broken.
public struct SchemaRule: Sendable {
  /// When a rule can be asked.
  enum Phase: Sendable {
    /// Of any declaration that could be read, even in a file with syntax errors.
    case declaration
    /// Only where every statement could be read: a mistake in a field hides no role.
    case statements
    /// Only of a whole file without syntax errors.
    case file
    /// Of a valid schema, by the linter only.
    case lint
  }

  /// What a rule looks at.
  enum Check: Sendable {
    /// The schema as a whole.
    case schema(@Sendable (RuleContext, inout Findings) -> Void)
    /// One record type after another.
    case recordTypes(@Sendable (RecordTypeDeclaration, inout Findings) -> Void)
  }

  public let rule: Rule
  let phase: Phase
  let check: Check

  init(_ rule: Rule, in phase: Phase, check: @escaping @Sendable (RuleContext, inout Findings) -> Void) {
    self.rule = rule
    self.phase = phase
    self.check = .schema(check)
  }

  init(
    _ rule: Rule, in phase: Phase,
    eachRecordType check: @escaping @Sendable (RecordTypeDeclaration, inout Findings) -> Void
  ) {
    self.rule = rule
    self.phase = phase
    self.check = .recordTypes(check)
  }
}

extension Sequence where Element == SchemaRule {
  /// What the rules find. The record types are walked once for all of them: that is most of the time a valid file
  /// takes after it is read.
  ///
  /// - Parameter limit: findings of one rule at most; a note says how many more there are.
  func diagnostics(_ context: RuleContext, limit: Int = .max) -> [Diagnostic] {
    var findings = map { Findings(rule: $0.rule, source: context.parsed.source, limit: limit) }
    var typeChecks: [(place: Int, check: @Sendable (RecordTypeDeclaration, inout Findings) -> Void)] = []
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

/// What the rules look at.
struct RuleContext: Sendable {
  let parsed: ParsedSchema
  /// The queries an app makes, when they are known.
  var queries: QueryManifest?
  /// The schema that is in place, when it is known.
  var baseline: Schema?
  let databases: RecordTypeDatabases
  /// The record types the app declares for the public database, without those CloudKit manages.
  let publicTypes: [RecordTypeDeclaration]

  /// For rules that need nothing but the declarations.
  init(validating parsed: ParsedSchema) {
    self.parsed = parsed
    databases = RecordTypeDatabases()
    publicTypes = []
  }

  /// - Parameter patterns: which types the team says are private or public.
  init(
    linting parsed: ParsedSchema, queries: QueryManifest? = nil, baseline: Schema? = nil,
    patterns: DatabasePatterns = DatabasePatterns()
  ) {
    self.parsed = parsed
    self.queries = queries
    self.baseline = baseline
    let databases = RecordTypeDatabases(of: parsed, patterns: patterns)
    self.databases = databases
    publicTypes = parsed.recordTypes.filter {
      databases[$0] == .public && !SystemNames.isManaged($0.name)
    }
  }

  /// Types that no one says are private, whatever the text suggests: a grant that somebody wrote by hand counts there.
  var grantedTypes: [RecordTypeDeclaration] { parsed.recordTypes.filter { databases[$0] != .private } }
}

/// Gathers what one rule finds, all under the rule's code and severity.
struct Findings {
  let rule: Rule
  let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []
  private let limit: Int
  /// Findings beyond the limit.
  private var omitted = 0

  init(rule: Rule, source: SourceText, limit: Int = .max) {
    self.rule = rule
    self.source = source
    self.limit = limit
  }

  /// The findings, and how many more there are.
  var all: [Diagnostic] {
    omitted == 0
      ? diagnostics : diagnostics + [FindingLimit.note(omitted, rule.code, at: diagnostics.last?.range)]
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
        rule.code, rule.severity, message.withShortWords, at: source.range(range),
        notes: notes.map { Diagnostic.Note($0.message, at: source.range($0.range)) },
        help: help?.withShortWords,
        fix: fix.map { Diagnostic.Fix(replacing: source.range($0.range), with: $0.text) }))
  }

  /// A finding in another file, such as the list of queries.
  mutating func report(_ message: String, in place: SourceRange, help: String?) {
    diagnostics.append(Diagnostic(rule.code, rule.severity, message, at: place, help: help))
  }
}

extension RecordTypeDeclaration {
  func privileges(of role: String) -> EnumSet<Privilege> {
    grants.reduce(into: []) { if $1.grant.role == role { $0.formUnion($1.grant.privileges) } }
  }

  func grant(of privilege: Privilege, to role: String) -> GrantDeclaration? {
    grants.first { $0.grant.role == role && $0.grant.privileges.contains(privilege) }
  }

  /// Anyone, or anyone signed in, may read its records.
  var isReadByStrangers: Bool {
    grant(of: .read, to: Role.world) != nil || grant(of: .read, to: Role.icloud) != nil
  }

  func field(_ name: String) -> FieldDeclaration? { fields.first { $0.name == name } }
}
