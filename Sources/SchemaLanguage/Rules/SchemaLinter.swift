package import Diagnostics

/// Checks syntax and semantics: whether a text is a schema that can be imported.
package enum SchemaValidator {
  /// All syntax and semantic errors, in the order of the text.
  ///
  /// - Parameter roles: roles that another schema creates, which grants may name too.
  package static func diagnostics(_ parsed: ParsedSchema, knowing roles: [Role] = []) -> [Diagnostic] {
    let isWhole = !parsed.diagnostics.hasErrors
    let lostNothing = isWhole || parsed.hasEveryStatement
    let rules = SchemaRules.validation.filter { rule in
      switch rule.phase {
      case .declaration: true
      case .statements: lostNothing
      case .file, .lint: isWhole
      }
    }
    let semantic = FindingLimit.apply(
      to: rules.diagnostics(RuleContext(validating: parsed, knowing: roles)))
    let refused = Set(semantic.compactMap { $0.range?.offsets })
    // A name that does not exist in quotes either is reported once.
    let syntax = parsed.diagnostics.filter {
      $0.code != SyntaxCode.needsQuotes.rawValue || !refused.contains($0.range?.offsets ?? 0..<0)
    }
    let found = syntax + semantic
    return found.isEmpty ? [] : found.sortedForReading()
  }

  /// The findings about syntax. A name that does not exist in quotes either has the findings that say so.
  package static func syntax(_ parsed: ParsedSchema) -> [Diagnostic] {
    let others = parsed.diagnostics.filter { $0.code != SyntaxCode.needsQuotes.rawValue }
    guard others.count < parsed.diagnostics.count else { return others }
    let places = Set(
      parsed.diagnostics.filter { $0.code == SyntaxCode.needsQuotes.rawValue }.map { $0.range?.offsets })
    return (others + diagnostics(parsed).filter { places.contains($0.range?.offsets) }).sortedForReading()
  }
}

package struct LintOptions: Sendable {
  package var queries: QueryManifest?
  /// An older schema; findings that it also has are not reported, but what an import of the file in its place would drop
  /// without a word.
  package var older: Older?
  /// The database of types about which nothing more precise is known: `--database`.
  package var database: StatedDatabase?
  package var selection = RuleSelection()
  package var configuration = LintConfiguration()
  /// Where the file of a name is, to compare the file that a query names with that of a schema; `nil` for a schema that
  /// is in no file.
  package var place: @Sendable (_ name: String) -> String? = { $0 }
  /// It is asked only when the type of a query or of a relation is missing.
  package var elsewhere: @Sendable () -> OtherTypes = { ([], nil) }

  package init(queries: QueryManifest? = nil) { self.queries = queries }

  /// A schema of an earlier time, with the app's queries of that time: what only a new query needs is a new finding.
  package typealias Older = (schema: ParsedSchema, queries: QueryManifest?)

  /// The record types of the project's other schemas, and why there may be more.
  package typealias OtherTypes = (names: Set<String>, gap: String?)
}

package struct LintResult: Sendable {
  package var diagnostics: [Diagnostic]
  /// The open questions about private types, beside the findings: one a file at most.
  package var notices: [DatabaseNotice] = []
  /// The types that the open question is about, also where it is turned off.
  fileprivate var presumedPrivate: Set<String> = []

  package init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

package enum SchemaLinter {
  package static func diagnostics(_ parsed: ParsedSchema, _ options: LintOptions = LintOptions())
    -> [Diagnostic]
  {
    check(parsed, options).diagnostics
  }

  /// The findings of ``SchemaValidator`` and, if there are no errors, of the lint rules; without those that
  /// `celestra:ignore` comments suppress or the configuration turns off.
  ///
  /// - Parameter joined: whether findings that ask one question are one finding. An editor shows each at its place.
  package static func check(
    _ parsed: ParsedSchema, _ options: LintOptions = LintOptions(), joined: Bool = true
  ) -> LintResult {
    var result = all(parsed, options, named: parsed.source.name)
    if let older = options.older, !result.diagnostics.isEmpty || !result.notices.isEmpty {
      var earlier = options
      earlier.queries = older.queries
      earlier.elsewhere = { ([], nil) }
      let known = all(older.schema, earlier, named: parsed.source.name)
      result.diagnostics = newFindings(result.diagnostics, in: parsed, since: older.schema, known)
      if let asked = known.notices.first { result.notices.removeAll { $0.asksNothingNew(since: asked) } }
    }
    if joined { result.diagnostics = FindingGroups.joined(result.diagnostics, in: parsed) }
    result.diagnostics = FindingLimit.apply(to: result.diagnostics)
    return result
  }

  /// The findings of ``check(_:_:)`` in several files, after those about settings that mean nothing in the schemas of
  /// the project. A query whose type no schema has is a finding in one file, which has the nearest name.
  ///
  /// - Parameters:
  ///   - settings: the findings about the settings. With an error among them no file is checked, because half of the
  ///     settings would decide.
  ///   - others: the other schemas of the project, which settings and queries may mean, too; `nil` if they are not known.
  ///     It is asked only when the files lack a type.
  package static func check(
    _ files: [ParsedSchema], _ options: LintOptions, settings: [Diagnostic], others: () -> [ParsedSchema]?
  ) -> LintResult {
    var result = LintResult(diagnostics: settings + (options.queries?.diagnostics ?? []))
    let types = files.map { Set($0.recordTypes.map(\.name)) }
    let own = types.reduce(into: Set<String>()) { $0.formUnion($1) }
    let queried = (options.queries?.queries ?? []).filter { $0.schema == nil }.map(\.recordType)
    let isComplete = own.isSuperset(of: queried) && options.configuration.unmatched(in: files).isEmpty
    let rest = isComplete ? [] : others()
    let besides = rest ?? []
    let known = own.union(besides.flatMap(\.recordTypes).map(\.name))
    if rest != nil, !files.isEmpty, !files.contains(where: \.diagnostics.hasErrors) {
      let former =
        options.older.map { options.configuration.unmatched(in: besides + [$0.schema]) } ?? []
      result.diagnostics += options.configuration.unmatched(in: files + besides)
        .filter { now in !former.contains { $0.range == now.range } }
        // An error in the settings cannot be turned off.
        .flatMap { $0.severity == .error ? [$0] : options.apply(to: [$0], in: files[0]) }
    }
    guard !settings.hasErrors else { return result }
    let homes = Dictionary(
      uniqueKeysWithValues: Set(queried).subtracting(known).map { name in
        (name, types.firstIndex { SpellingSuggestion.nearest(to: name, among: $0) != nil } ?? 0)
      })
    for (place, file) in files.enumerated() {
      let elsewhere = known.union(homes.filter { $0.value != place }.keys)
      var options = options
      options.elsewhere = { (elsewhere, nil) }
      let found = check(file, options)
      result.diagnostics += found.diagnostics
      result.notices += found.notices
    }
    return result
  }

  /// What the errors of a valid schema are about; none of a schema that is not valid.
  static func errors(_ parsed: ParsedSchema, _ options: LintOptions) -> Set<FindingSubject> {
    let found = all(parsed, options, named: parsed.source.name).diagnostics.filter { $0.severity == .error }
    return Set(found.map(parsed.subject)).filter { SchemaRules.rule($0.code)?.isOfValidity == false }
  }

  private static func all(_ parsed: ParsedSchema, _ options: LintOptions, named name: String) -> LintResult {
    let valid = SchemaValidator.diagnostics(parsed)
    let comments = CommentAttachment(parsed)
    let suppressions = Suppressions(in: parsed, comments)
    guard !valid.hasErrors else {
      return LintResult(diagnostics: options.apply(to: suppressions.apply(to: valid), in: parsed))
    }
    let context = RuleContext(linting: parsed, options, named: name, comments)
    let notice = DatabaseNotice(parsed, context.databases)
    let rules = SchemaRules.lint.filter { options.isEnabled($0.code) }
    let relations =
      options.isEnabled(SchemaCode.unreadableSettings.code) ? parsed.unknownStatedRelations(comments) : []
    let found = valid + rules.diagnostics(context) + relations + [notice?.diagnostic].compactMap(\.self)
    let disabled = SchemaRules.offByDefault.filter { !options.isEnabled($0) }
    let kept = options.apply(to: suppressions.apply(to: found, disabled: disabled), in: parsed)
    // With a severity above note, the settings turn the notice into a finding.
    var result = LintResult(
      diagnostics: kept.filter { !DatabaseNotice.isNotice($0) }.sortedForReading())
    if let notice, kept.contains(where: DatabaseNotice.isNotice) { result.notices = [notice] }
    result.presumedPrivate = Set(context.databases.evidence.keys)
    return result
  }

  /// The findings that the older schema does not have, matched by code, record type and field, so that moved lines
  /// cause no new findings. Errors that make the file invalid are always reported. A type that could not be listed
  /// before, and was only asked about, cannot be listed now for the same reason.
  private static func newFindings(
    _ found: [Diagnostic], in parsed: ParsedSchema, since older: ParsedSchema, _ earlier: LintResult
  ) -> [Diagnostic] {
    var known: [FindingSubject: Int] = [:]
    for diagnostic in earlier.diagnostics { known[older.subject(of: diagnostic), default: 0] += 1 }
    let listing = SchemaRule.missingRecordIDIndex.code
    for type in older.recordTypes where earlier.presumedPrivate.contains(type.name) && !type.canBeListed {
      known[FindingSubject(code: listing, recordType: type.name)] = 1
    }
    return found.filter { diagnostic in
      if diagnostic.severity == .error, SchemaRules.rule(diagnostic.code)?.isOfValidity == true {
        return true
      }
      let subject = parsed.subject(of: diagnostic)
      guard let count = known[subject], count > 0 else { return true }
      known[subject] = count - 1
      return false
    }
  }
}

enum FindingLimit {
  private static let ofOneRule = 100

  /// The first findings of each rule, and a note for each rule that has more.
  static func apply(to found: [Diagnostic]) -> [Diagnostic] {
    guard found.count > ofOneRule else { return found }
    var counts: [String: Int] = [:]
    let kept = found.filter { diagnostic in
      counts[diagnostic.code, default: 0] += 1
      return counts[diagnostic.code, default: 0] <= ofOneRule
    }
    return kept
      + counts.sorted { $0.key < $1.key }.filter { $0.value > ofOneRule }.map { code, count -> Diagnostic in
        let (more, verb) = (count - ofOneRule, count - ofOneRule == 1 ? "is" : "are")
        return Diagnostic(
          SyntaxCode.tooManyErrors,
          "\(more) more finding\(more == 1 ? "" : "s") of \(code) \(verb) not listed",
          at: kept.last { $0.code == code }?.range)
      }
  }
}

extension String {
  /// The text with long words shortened, because a name may be as long as the file.
  var withShortWords: String {
    guard utf8.count > 200 else { return self }
    return split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.utf8.count > 80 ? word.prefix(57) + "..." + word.suffix(1) : word
    }.joined(separator: " ")
  }
}

/// Joins the findings of a file that ask its team one question, such as whether records may name people. Each of them can
/// be suppressed, and counts as new, on its own.
enum FindingGroups {
  private static let maxNames = 6

  /// What is said of several fields, by rule.
  private static let statements = [
    SchemaRule.readableIdentifier.code: "look like identifiers of people, and strangers can read them",
    SchemaRule.readableHealth.code: "may be about a person's health or body, and strangers can read them",
  ]

  /// One finding for each rule and severity, at the first place, with a note for each other place.
  static func joined(_ found: [Diagnostic], in parsed: ParsedSchema) -> [Diagnostic] {
    statements.reduce(found) { found, rule in
      let ofRule = found.filter { $0.code == rule.key }
      guard ofRule.count > 1 else { return found }
      let groups = Dictionary(grouping: ofRule.sortedForReading()) { $0.severity }.values
      return (found.filter { $0.code != rule.key } + groups.map { join($0, rule.value, in: parsed) })
        .sortedForReading()
    }
  }

  private static func join(
    _ findings: [Diagnostic], _ statement: String, in parsed: ParsedSchema
  ) -> Diagnostic {
    let first = findings[0]
    let names = findings.map { finding in
      let subject = parsed.subject(of: finding)
      return "'\(subject.recordType).\(subject.member)'"
    }
    guard names.count > 1 else { return first }
    return Diagnostic(
      first.code, first.severity,
      "\(listed(names, upTo: maxNames)) \(statement)", at: first.range,
      notes: zip(names, findings).dropFirst().map { Diagnostic.Note("\($0) too", at: $1.range) },
      help: first.help)
  }
}
