package import Diagnostics

package protocol SchemaUseRuleCode: RuleCode {
  static var unknownRecordType: Self { get }
  static var unknownField: Self { get }
  static var unusableField: Self { get }
  static var missingIndex: Self { get }
}

/// Checks what one declaration names against a schema, and collects the findings.
package struct SchemaUseCheck<Code: SchemaUseRuleCode> {
  package let schema: Schema
  /// The declaration, for the messages: `aggregate 'readers'`.
  let subject: String
  let place: SourceRange?
  package private(set) var findings: [Diagnostic] = []

  package init(schema: Schema, subject: String, place: SourceRange?) {
    self.schema = schema
    self.subject = subject
    self.place = place
  }

  package mutating func recordType(_ name: String) -> RecordType? {
    if let type = schema[recordType: name] { return type }
    let names = schema.recordTypes.map(\.name)
    report(
      .unknownRecordType, "names the record type '\(name)', which the schema does not have",
      help: SpellingSuggestion.help(name, among: names, quote: "'")
        ?? (names.isEmpty ? "declare it in the schema" : "name one that it has: \(listed(names, upTo: 12))"))
    return nil
  }

  /// Whether a type has the field, with one of the types `allowed`. Reports it otherwise, with the line that adds
  /// the field, unless several types are allowed and none is to be added.
  ///
  /// - Parameters:
  ///   - added: the type of that line; the one that is allowed, if `nil`.
  ///   - indexes: the indexes of that line.
  @discardableResult
  package mutating func field(
    _ name: String, of type: RecordType, in allowed: Set<DataType>? = nil, adding added: DataType? = nil,
    with indexes: Index...
  ) -> Bool {
    guard let field = type[field: name] else {
      let line = (added ?? (allowed?.count == 1 ? allowed?.first : nil)).map {
        "in RECORD TYPE \(type.name) write: \(([name, $0.description] + indexes.map(\.rawValue)).joined(separator: " ")),"
      }
      let near = SpellingSuggestion.help(name, among: type.fields.map(\.name), quote: "'")
      let help = [near, line].compactMap(\.self)
      report(
        .unknownField, "names the field '\(name)', which \(type.name) does not have",
        help: help.isEmpty ? nil : help.joined(separator: " Else "))
      return false
    }
    if let allowed, !allowed.contains(field.type) {
      let wanted = allowed.map(\.description).sorted().joined(separator: " or ")
      // A value is written to such a field, or it is the app's own: no field of the system stands for it.
      let others = type.fields.filter { allowed.contains($0.type) && SystemField(storedName: $0.name) == nil }
        .map(\.name)
      report(
        .unusableField, "needs \(type.name).\(name) to be \(wanted), and it is \(field.type)",
        help: others.isEmpty
          ? "add such a field to RECORD TYPE \(type.name)" : "name one that is: \(listed(others, upTo: 12))")
      return false
    }
    return true
  }

  /// Reports the indexes that a field lacks, with the line that adds them.
  package mutating func require(_ wanted: Index..., on name: String, of type: RecordType) {
    guard let field = type.declared(name) else { return }
    let missing = wanted.filter { !field.indexes.contains($0) }
    if missing.isEmpty { return }
    report(
      .missingIndex, "needs \(type.name).\(name) to be \(missing.map(\.rawValue).joined(separator: " and "))",
      help: "in RECORD TYPE \(type.name) write: \(type.line(of: name, adding: EnumSet(missing))),")
  }

  package mutating func report(
    _ rule: Code, _ message: String, severity: Diagnostic.Severity? = nil, help: String? = nil
  ) {
    findings.append(Diagnostic(rule, "\(subject) \(message)", at: place, severity: severity, help: help))
  }
}
