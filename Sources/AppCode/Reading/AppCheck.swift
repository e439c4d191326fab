package import Diagnostics
package import SchemaLanguage

/// Compares what an app's code says about records with a schema.
package struct AppCheck: Sendable {
  package struct CheckedUse: Sendable {
    package let use: AppUse
    /// Whether the schema has the record type and the field.
    package let isDeclared: Bool
    /// Whether the field has the index of a filter or sort; `nil` for other uses, and where the field is missing.
    package let isIndexed: Bool?
  }

  package private(set) var uses: [CheckedUse] = []
  /// What cannot be read, then what is missing in the order of the code, each declaration once, at the first place that no
  /// exception accepts, with the other ones, and each value of another type at its own.
  package private(set) var findings: [Diagnostic] = []
  /// What accepts the findings in the settings, each once, once it has a reason.
  private var entries: [JSONValue] = []
  /// The number of findings that comments and settings accept.
  package private(set) var acceptedCount = 0
  /// Where only running the code shows a name, or which record type has a field.
  package private(set) var undecided: [SourceRange]
  private var reasons: [SourceRange: String]

  private var found: [Found] = []
  /// The files that name a record type, as pairs: what the schema lacks for it is found there.
  private var naming: Set<[String]>
  private var proposals: SchemaProposals

  /// What one use lacks. Its code depends on that use alone, so that a comment at its line accepts it whatever else is
  /// checked.
  private struct Found {
    let diagnostic: Diagnostic
    /// What is reported once.
    let subject: String
    var recordType: String?
    var field: String?

    var isOfAnyType: Bool { recordType == nil && field != nil }
  }

  /// - Parameters:
  ///   - allowed: the findings that the settings accept.
  ///   - others: the other schemas of the project, asked only for an unused exception of a type that this one lacks. It may
  ///     be of another app.
  package init(
    _ code: AppUses, against schema: ParsedSchema, allowing allowed: [AllowedFinding] = [],
    besides others: () -> [ParsedSchema] = { [] }
  ) {
    proposals = SchemaProposals(schema, for: code.uses)
    undecided = code.undecided
    reasons = code.reasons
    found = code.problems.enumerated().map { Found(diagnostic: $1, subject: "problem \($0)") }
    naming = Set(code.uses.lazy.filter { $0.kind == .type }.map(Self.naming))
    for use in code.uses {
      if let (isDeclared, isIndexed) = judge(use) {
        uses.append(CheckedUse(use: use, isDeclared: isDeclared, isIndexed: isIndexed))
      }
    }
    sort(code, allowed, schema, others)
  }

  private typealias Verdict = (isDeclared: Bool, isIndexed: Bool?)

  /// Reports what the schema lacks for a use; `nil` for one that is not judged.
  private mutating func judge(_ use: AppUse) -> Verdict? {
    guard let name = use.recordType else { return judgeOfAnyType(use) }
    let refusal = use.isAsked ? AppQueryProblem.refusal(ofType: name) : nil
    if refusal == nil {
      if let type = proposals.types[name] { return judge(use, of: type) }
      guard !SystemNames.isManaged(name) else { return nil }
    }
    // A file that only uses the type's fields has it at the first of them.
    if use.kind == .type || refusal != nil || naming.insert(Self.naming(use)).inserted {
      report(
        use.isAsked ? AppQueryProblem.Kind.unknownName.rule : AppRule.missingType.rule, name, use,
        refusal?.message ?? "the schema has no record type '\(name)'",
        help: refusal?.help ?? proposals.help(ofMissing: name))
    }
    return (proposals.types[name] != nil, nil)
  }

  private static func naming(_ use: AppUse) -> [String] { [use.recordType ?? "", use.place.source.name] }

  /// Separates the uses whose findings are accepted, at their line or in the settings, makes one finding of the others that
  /// lack the same, and adds what is wrong with exceptions.
  private mutating func sort(
    _ code: AppUses, _ allowed: [AllowedFinding], _ schema: ParsedSchema, _ others: () -> [ParsedSchema]
  ) {
    var used: Set<Int> = []
    var needed: Set<AllowedFinding> = []
    var accepted: Set<String> = []
    var open: [Found] = []
    // What is not read may need an exception.
    let isPart = code.problems.contains { $0.code == AppRule.unreadCode.code }
    func exceptions(at place: SourceRange?) -> [Int] {
      guard let place, !code.exceptions.isEmpty else { return [] }
      let line = place.start.line
      return code.exceptions.indices.filter {
        code.exceptions[$0].line == line && code.exceptions[$0].comment.place.source === place.source
      }
    }
    for one in found {
      let comments = exceptions(at: one.diagnostic.range).filter {
        code.exceptions[$0].comment.accepts(one.diagnostic.code)
      }
      let accepting = allowed.filter { $0.accepts(one.diagnostic.code, one.recordType, one.field) }
      used.formUnion(comments)
      needed.formUnion(accepting)
      if comments.isEmpty, accepting.isEmpty { open.append(one) } else { accepted.insert(one.subject) }
    }
    acceptedCount = accepted.count
    // A field of a record whose type the code does not show is probably that of a type that lacks it.
    join(open.filter { !$0.isOfAnyType } + open.filter(\.isOfAnyType))
    // What is used of a type that the schema lacks may need an exception, too.
    for use in code.uses where use.kind != .type {
      guard let type = use.recordType, proposals.types[type] == nil else { continue }
      used.formUnion(exceptions(at: use.place))
    }
    findings += code.misread
    findings += code.exceptions.enumerated().compactMap { index, exception in
      exception.comment.problem(
        isUsed: used.contains(index) || isPart,
        target: "to the line of the finding, or to a line of its own above it")
    }
    guard !isPart else { return }
    let unused = allowed.filter { !needed.contains($0) }
    let missing = Set(unused.compactMap(\.recordType)).subtracting(schema.recordTypes.map(\.name))
    let elsewhere = missing.isEmpty ? [] : missing.intersection(others().flatMap(\.recordTypes).map(\.name))
    findings += unused.filter { !elsewhere.contains($0.recordType ?? "") }.map(\.unused)
  }

  /// Makes one finding of the uses that lack the same, with each line once.
  private mutating func join(_ open: [Found]) {
    var indexes: [String: Int] = [:]
    var shown: Set<[String]> = []
    for one in open {
      let (code, range) = (one.diagnostic.code, one.diagnostic.range)
      let entry = AllowedFinding.json(code, one.recordType, one.field)
      if let entry, !entries.contains(entry) { entries.append(entry) }
      let line = range.map { "\($0.source.name):\($0.start.line)" } ?? ""
      let isNew = shown.insert([one.subject, code, line]).inserted
      if let index = indexes[one.subject] {
        if isNew { findings[index].notes.append(Diagnostic.Note("also here (\(code))", at: range)) }
        continue
      }
      let isOfMissingType = one.recordType.map { proposals.types[$0] == nil } ?? false
      let fields =
        isOfMissingType ? proposals.usesOfTypes[one.recordType, default: []].map(\.field) : [one.field]
      let ofAnyType = fields.compactMap(\.self).map { Self.subject(".\($0)", one.diagnostic.severity) }
      for subject in [one.subject] + ofAnyType where indexes[subject] == nil {
        indexes[subject] = findings.count
      }
      findings.append(one.diagnostic)
    }
  }

  private static func subject(_ name: String, _ severity: Diagnostic.Severity) -> String {
    "\(severity) \(name)"
  }

  @ReportBodyBuilder package var acceptance: ReportBody {
    if !entries.isEmpty {
      "To accept a finding, add its line with a reason to schema.allowedFindings in celestra-admin.json, or the comment '// celestra:ignore CODE reason' to each of its lines of Swift:"
      for entry in entries { ListItem("\(entry.text(), .code)") }
    }
  }

  /// The expression at an undecided place as the code has it; a text without its quotes.
  package func name(_ place: SourceRange) -> String {
    let written = String(decoding: place.source.bytes[place.offsets], as: UTF8.self)
    let inner = written.dropFirst().dropLast()
    return written.hasPrefix("\"") && written.hasSuffix("\"") && !inner.contains("\"")
      ? String(inner) : written
  }

  package func reason(_ place: SourceRange) -> String { reasons[place] ?? "" }

  /// A field that no record type has is missing, whatever the type of its record.
  private mutating func judgeOfAnyType(_ use: AppUse) -> Verdict? {
    guard let name = use.field, !proposals.types.values.contains(where: { $0.declared(name) != nil }) else {
      reasons[use.place] = "the code does not show the record's type"
      undecided.append(use.place)
      return nil
    }
    report(
      AppRule.missingField.rule, ".\(name)", use, "no record type has a field '\(name)'",
      help: SchemaProposals.help(
        "field", name, proposals.line(of: name, in: nil),
        near: SchemaProposals.field(
          meantBy: name, among: proposals.types.values.flatMap { $0.fields.map(\.name) })))
    return (false, nil)
  }

  private mutating func judge(_ use: AppUse, of type: RecordType) -> Verdict {
    guard let name = use.field else {
      guard use.kind == .filter else { return (true, nil) }
      if type.fields.contains(where: { $0.indexes.contains(.searchable) }) { return (true, true) }
      let text = type.fields.first { $0.type == .string }
      report(
        AppQueryProblem.Kind.missingIndex.rule, "\(type.name) *", use,
        "a search for words needs a SEARCHABLE field, and '\(type.name)' has none",
        help: text.map { "for example, \(proposals.declaring($0.name, of: type, [.searchable]))" }
          ?? "add a STRING with the words, and SEARCHABLE")
      return (true, false)
    }
    guard let field = type.declared(name) else {
      // No field of another name is meant by the companion of large values.
      let isCompanion = use.largeValues != nil
      report(
        use.isAsked ? AppQueryProblem.Kind.unknownName.rule : AppRule.missingField.rule,
        "\(type.name).\(name)", use, severity: use.largeValues,
        "'\(type.name)' has no field '\(name)'\(isCompanion ? ", in which Core Data keeps a value that is too large for a record" : "")",
        help: SchemaProposals.help(
          "field", name, proposals.line(of: name, in: type.name),
          near: isCompanion ? nil : SchemaProposals.field(meantBy: name, among: type.fields.map(\.name))))
      return (false, nil)
    }
    if use.kind == .field, type[field: name] != nil { compareType(field, of: type, use) }
    return (true, checkComparison(field, type, use) ? checkIndex(field, type, use) : nil)
  }

  /// Whether a filter compares the field as values of its type are compared.
  private mutating func checkComparison(_ field: Field, _ type: RecordType, _ use: AppUse) -> Bool {
    guard let comparator = use.comparator else { return true }
    let (name, declared) = ("\(type.name).\(field.name)", field.type)
    guard !comparator.applies(to: declared) else {
      if let (message, help) = use.value.flatMap({ AppQueryProblem.mismatch($0, declared, name) })
        ?? mismatch(declared, name, use)
      {
        report(
          AppQueryProblem.Kind.comparison.rule, "\(name) \(Self.place(use))", use,
          severity: use.value == nil ? .warning : nil, message, help: help)
      }
      return true
    }
    let word =
      PredicateFormat.words.first { $0.comparator == comparator }?.word
      ?? Comparator.symbols.first { $0.comparator == comparator }?.text ?? comparator.rawValue
    report(
      AppQueryProblem.Kind.comparison.rule, "\(name) \(word)", use,
      "a filter with \(word) does not work on '\(name)', which is \(declared)",
      help: Comparator.advice(for: declared, in: PredicateFormat.words))
    return false
  }

  /// Why a predicate cannot compare a field with a value of the type that the code shows. A text may be a record, and a
  /// text or a number a time, in the list of an app's queries, but not in a predicate.
  private func mismatch(_ declared: DataType, _ field: String, _ use: AppUse) -> (
    message: String, help: String
  )? {
    enum Kind { case text, number, time, reference }
    func kind(_ type: DataType) -> Kind? {
      switch type.primitive {
      case .plain(.string), .encrypted(.string): .text
      case .plain(.int64), .plain(.double), .number: .number
      case .plain(.timestamp): .time
      case .reference: .reference
      default: nil
      }
    }
    guard let shown = use.shownType, let wanted = kind(declared), let given = kind(shown), wanted != given
    else { return nil }
    let help =
      switch wanted {
      case .reference: "give %@ a CKRecord.Reference or the ID of a record"
      case .time: "give %@ a Date"
      case .text, .number: "give a value that the field can have"
      }
    let value =
      use.value.map { "the value \($0.text()) cannot" }
      ?? "a value of the type \(DataType.scalar(shown.primitive)) cannot"
    return ("\(value) be compared with '\(field)', which is \(declared)", help)
  }

  private mutating func checkIndex(_ field: Field, _ type: RecordType, _ use: AppUse) -> Bool? {
    let accepted = use.neededIndexes
    guard let wanted = accepted.first else { return nil }
    guard !field.indexes.contains(wanted) else { return true }
    let name = "\(type.name).\(field.name)"
    if wanted == .sortable, !field.type.hasOrder, !field.isSystem {
      report(
        AppQueryProblem.Kind.comparison.rule, "\(name) sort", use,
        "a sort does not work on '\(name)', which is \(field.type)", help: DataType.adviceWithoutOrder)
      return false
    }
    let mayWork = !field.indexes.isDisjoint(with: EnumSet(accepted))
    let kind = mayWork ? AppQueryProblem.Kind.rangeWithoutQueryable : .missingIndex
    let line = proposals.declaring(field.name, of: type, [wanted])
    report(
      kind.rule, "\(name) \(wanted.rawValue)", use,
      mayWork
        ? "a filter on '\(name)' may be refused: the field is SORTABLE but not QUERYABLE"
        : "a \(use.kind.rawValue) needs a \(wanted.rawValue) index on '\(name)'",
      help: "Production takes a new index with the next deployment; \(line)")
    return mayWork
  }

  /// What the code states is an error: the type of an attribute, or of a literal. What declarations and casts show is a
  /// warning.
  private mutating func compareType(_ field: Field, of type: RecordType, _ use: AppUse) {
    let (name, declared) = ("\(type.name).\(field.name)", field.type)
    // A number is read as the other kind of number, too; a DOUBLE that is written to an INT64 is refused
    // (Documentation/reference/web-services.md#field-types).
    let shown = use.shownType.flatMap { use.isRead && $0.takes(declared) ? nil : $0 }
    let wanted = (use.dataType ?? shown).flatMap {
      $0 == declared || declared.takes($0) ? nil : $0.description
    }
    let encrypts = use.isEncrypted && !declared.isEncrypted
    guard let wanted = wanted ?? (encrypts ? "an encrypted value" : nil) else {
      guard declared.isEncrypted, !use.isEncrypted, !use.isRead,
        (use.dataType ?? use.shownType)?.isEncrypted == false
      else { return }
      return report(
        AppRule.otherType.rule, "\(name) \(Self.place(use))", use, severity: .note,
        "the code seems to write a value to '\(name)' without encrypting it; what CloudKit does then is not known",
        help: "write it to the record's encryptedValues.")
    }
    let isStated = use.dataType != nil || encrypts
    let verb = isStated ? (use.isRead ? "reads" : "writes") : "seems to \(use.isRead ? "read" : "write")"
    let isOfModel = field.name.hasPrefix("CD_") && use.dataType.map(\.isEncrypted) == !declared.isEncrypted
    let change =
      isOfModel ? "set the attribute's Allows Cloud Encryption as the field has it" : "change the code"
    report(
      AppRule.otherType.rule, "\(name) \(Self.place(use))", use, severity: isStated ? nil : .warning,
      "the code \(verb) \(wanted) \(use.isRead ? "from" : "to") '\(name)', which is \(declared)",
      help:
        "\(change), or give the value a field of its own: a field's type cannot change once it is in Production."
    )
  }

  private static func place(_ use: AppUse) -> String {
    "\(use.place.source.name) \(use.place.offsets.lowerBound)"
  }

  /// - Parameter name: what is reported once for each severity.
  private mutating func report(
    _ rule: Rule, _ name: String, _ use: AppUse, severity: Diagnostic.Severity? = nil, _ message: String,
    help: String
  ) {
    let severity = severity ?? rule.severity
    found.append(
      Found(
        diagnostic: Diagnostic(rule, message, at: use.place, severity: severity, help: help),
        subject: Self.subject(name, severity), recordType: use.recordType,
        field: name == use.recordType ? nil : use.field))
  }
}
