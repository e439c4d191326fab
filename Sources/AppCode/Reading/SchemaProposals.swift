internal import Diagnostics
internal import SchemaLanguage

/// What to write into a schema for what an app's code uses of it.
struct SchemaProposals: Sendable {
  let types: [String: RecordType]
  /// The uses of each record type; of `nil` where the code does not show it.
  let usesOfTypes: [String?: [AppUse]]
  /// What to do about each missing record type: all uses of a type have the same.
  private var typeHelps: [String: String] = [:]

  init(_ schema: ParsedSchema, for uses: [AppUse]) {
    types = schema.schema.recordTypes.keyed(by: \.name)
    usesOfTypes = Dictionary(grouping: uses, by: \.recordType)
  }

  /// What to do about a name that the schema lacks: correct it, or paste a declaration, if it can be declared.
  static func help(_ what: String, _ name: String, _ declaration: String, near meant: String?)
    -> String
  {
    let question = meant.map { "did you mean '\($0)'? " }
    guard Schema.isPlainName(name) else {
      let rule = "\(what) can have this name: \(Schema.nameForm)"
      return question.map { "\($0)No \(rule)" } ?? "no \(rule)"
    }
    return question.map { "\($0)If not, \(declaring(declaration))" }
      ?? "Production takes a new \(what) with the next deployment; \(declaring(declaration))"
  }

  mutating func help(ofMissing type: String) -> String {
    if let known = typeHelps[type] { return known }
    let near = SpellingSuggestion.nearest(to: type, among: types.keys.sorted())
    let help = Self.help("type", type, proposal(type), near: near)
    typeHelps[type] = help
    return help
  }

  /// The field that a name probably means. A system field has the name that Swift code gives it.
  static func field(meantBy name: String, among known: [String]) -> String? {
    let system = SystemField(rawValue: name) ?? (name.hasPrefix("_") ? SystemField.nearest(to: name) : nil)
    let native = PredicateFormat.storedNames.first { $0.value == system?.storedName }
    return native?.key ?? SpellingSuggestion.nearest(to: name, among: Set(known).sorted())
  }

  /// Stands for a type that the code does not show.
  private static let placeholder = "<TYPE>"

  private static func declaring(_ declaration: String) -> String {
    declaration.contains(placeholder)
      ? "declare it, with the type that the code does not show in place of \(placeholder): \(declaration)"
      : "declare it: \(declaration)"
  }

  func declaring(_ field: String, of type: RecordType, _ indexes: EnumSet<Index>) -> String {
    let missing = lacking(field, of: type.name, type.declared(field)?.indexes ?? [])
    return "declare it: \(type.line(of: field, adding: missing.union(indexes))),"
  }

  /// The declaration of a record type with all that the app uses of it.
  private func proposal(_ name: String) -> String {
    let uses = usesOfTypes[name] ?? []
    // What cannot be declared, or has another name in Swift, is found once the type is there.
    let names = Set(uses.compactMap(\.field)).filter {
      SystemField(storedName: $0) != nil || Schema.isPlainName($0) && SystemField(rawValue: $0) == nil
    }
    var fields: [Field] = names.sorted().compactMap { field in
      let indexes = lacking(field, of: name)
      guard let system = SystemField(storedName: field) else {
        return Field(field, type(of: field, in: name).shown ?? .string, indexes)
      }
      return indexes.isEmpty ? nil : Field(field, system.dataType, indexes)
    }
    if uses.contains(where: { $0.kind == .filter && $0.field == nil }),
      let place = fields.firstIndex(where: { type(of: $0.name, in: name).shown == .string })
    {
      fields[place].indexes.insert(.searchable)
    }
    let isOfCoreData = CoreDataModel.isRecordType(name)
    let isPrivate =
      isOfCoreData || fields.contains { $0.type.isEncrypted } || uses.contains(where: \.isEncrypted)
    let listing = Field(SystemField.recordName.storedName, .reference, [.queryable])
    if !isPrivate, !fields.contains(where: { $0.name == listing.name }) { fields.append(listing) }
    let unknown = fields.filter { !$0.isSystem && type(of: $0.name, in: name).shown == nil }
    let possible = grants(
      isMade: uses.contains(where: \.isMade), isPrivate: isPrivate, isOfCoreData: isOfCoreData
    ).map { RecordType(name, fields: fields, grants: $0) }
    let findings = possible.map(lintFindings)
    let best = zip(possible, findings).first { $0.1 == findings.min() }?.0 ?? possible[0]
    return best.declaration(
      types: Dictionary(unknown.map { ($0.name, type(of: $0.name, in: name).placeholder) }) { first, _ in
        first
      })
  }

  /// How much `schema lint` finds of a new type.
  private func lintFindings(_ type: RecordType) -> Int {
    let own = type.grants.map(\.role).filter { !SystemNames.roles.contains($0) }
    let text = (["DEFINE SCHEMA"] + own.map { "CREATE ROLE \($0);" } + [type.declaration(types: [:])])
      .joined(separator: "\n")
    return SchemaLinter.diagnostics(SchemaParser.parse(SourceText(name: "", text))).count
  }

  /// The grants that a new type may have, the most likely first: those of the app's types, the most frequent first, those
  /// of `schema init`, and those of records that only their creators read. The code does not show what a role of the app's
  /// own may do with records that users make.
  private func grants(isMade: Bool, isPrivate: Bool, isOfCoreData: Bool) -> [[Grant]] {
    let known = types.values.sorted { $0.name < $1.name }.filter { type in
      guard !SystemNames.isManaged(type.name), CoreDataModel.isRecordType(type.name) == isOfCoreData,
        !isPrivate && !isMade || type.grants.allSatisfy({ SystemNames.roles.contains($0.role) })
      else { return false }
      let makers = type.grants.filter { $0.privileges.contains(.create) }.map(\.role)
      return isPrivate && type.grants.isEmpty
        || !type.isWritableByStrangers && !makers.isEmpty && !makers.contains(Role.creator)
          && (type.isMadeByUsers || !isMade)
    }
    let used = known.filter { usesOfTypes[$0.name] != nil }
    let counts = Dictionary(grouping: used.isEmpty ? known : used, by: \.normalizedGrants)
    let ordered = counts.sorted { ($1.value.count, $0.value[0].name) < ($0.value.count, $1.value[0].name) }
    let ofCreators = [Grant([.read, .write], to: Role.creator), Grant([.create], to: Role.icloud)]
    return ordered.map(\.key) + (isPrivate ? [[]] : [RecordType.defaultGrants, ofCreators])
  }

  /// The line of a field that a record type lacks, or the type of a record that the code does not show.
  func line(of field: String, in recordType: String?) -> String {
    let (shown, placeholder) = type(of: field, in: recordType)
    return Field(field, shown ?? .string, lacking(field, of: recordType))
      .text(type: shown == nil ? placeholder : nil) + ","
  }

  /// The type of a field as the code shows it, and what a declaration has in its place where the code shows none or
  /// several: first by values that are written, then by declarations and casts, by comparisons, and by records whose type
  /// is not known.
  private func type(of field: String, in recordType: String?) -> (shown: DataType?, placeholder: String) {
    let own = (usesOfTypes[recordType] ?? []).filter { $0.field == field }
    let others = recordType == nil ? [] : (usesOfTypes[nil] ?? []).filter { $0.field == field }
    let shown = [
      own.compactMap(\.dataType), own.compactMap { $0.kind == .filter ? nil : $0.shownType },
      own.compactMap(\.shownType), others.compactMap { $0.dataType ?? $0.shownType },
    ].map(Set.init)
    let isEncrypted = own.contains(where: \.isEncrypted)
    var types = shown.first { !$0.isEmpty } ?? []
    // A whole number is a DOUBLE's value, too.
    if types.contains(.int64), shown.contains(where: { $0.contains(.double) }) {
      types.remove(.int64)
      types.insert(.double)
    }
    if types.count == 1, let type = types.first {
      guard isEncrypted, case .scalar(.plain(let plain)) = type else { return (type, Self.placeholder) }
      return (.scalar(.encrypted(plain)), Self.placeholder)
    }
    let isList = own.contains { use in
      use.comparator.map { $0.applies(to: .list(.plain(.int64))) && !$0.applies(to: .int64) } ?? false
    }
    return (nil, isList ? "LIST<\(Self.placeholder)>" : (isEncrypted ? "ENCRYPTED " : "") + Self.placeholder)
  }

  /// The indexes that the app's queries need of a field beside those that it has.
  private func lacking(_ field: String, of type: String?, _ declared: EnumSet<Index> = []) -> EnumSet<Index> {
    let dataType = type.flatMap { types[$0]?[field: field]?.type }
    return EnumSet(
      (usesOfTypes[type] ?? []).filter { $0.field == field }.compactMap { use -> Index? in
        if let dataType, let comparator = use.comparator, !comparator.applies(to: dataType) { return nil }
        return use.neededIndexes.first.flatMap { declared.contains($0) ? nil : $0 }
      })
  }
}

extension AppUse {
  /// The indexes of which the service needs one for the use; the first is what to ask for.
  var neededIndexes: [Index] {
    switch kind {
    case .filter: comparator?.neededIndexes ?? []
    case .sort: NeededIndexes.ofSort
    case .field, .type: []
    }
  }
}
