internal import SchemaLanguage

/// The type of a value as code names it, without the types around, but `CKRecord`: `[CKRecord.Reference]?` is a list of
/// "CKRecord.Reference".
struct SwiftType: Sendable, Equatable {
  let name: String
  var isList = false
  /// The record type of a `CKRecord`, or of those in a list or the results of a query, if the code shows it.
  var recordType: String?

  init(_ name: String, isList: Bool = false, of recordType: String? = nil) {
    self.name = name
    self.isList = isList
    self.recordType = recordType
  }

  private init?(_ path: [String]) {
    // `String.self`
    guard let last = path.last(where: { $0 != "self" }) else { return nil }
    self.init(path.count == 2 && path[0] == "CKRecord" ? "CKRecord.\(last)" : last)
  }

  /// The elements of a list.
  var element: SwiftType { SwiftType(name, of: recordType) }

  var isRecord: Bool { name == "CKRecord" && !isList }
  /// A predicate or a list of predicates.
  var isPredicate: Bool { name == "NSPredicate" || name == "NSCompoundPredicate" }

  /// A query, or an operation or a subscription with one.
  var isQuery: Bool { ["CKQuery", "CKQueryOperation", "CKQuerySubscription"].contains(name) && !isList }

  static func record(_ recordType: String?, isList: Bool = false) -> SwiftType {
    SwiftType("CKRecord", isList: isList, of: recordType)
  }

  /// What `records(matching: query)` gives or, as a list, the results in it.
  static func results(_ recordType: String?, isList: Bool = false) -> SwiftType {
    SwiftType("matchResults", isList: isList, of: recordType)
  }

  var isResults: Bool { name == "matchResults" }

  /// A dictionary, with the type of its values if the code shows it: `Dictionary<String>`.
  static func dictionary(of value: SwiftType?) -> SwiftType {
    let inner = value.map { $0.isList ? "<Array<\($0.name)>>" : "<\($0.name)>" } ?? ""
    return SwiftType("Dictionary\(inner)")
  }

  var isDictionary: Bool { !isList && (name == "Dictionary" || name.hasPrefix("Dictionary<")) }

  /// The values of a dictionary.
  var value: SwiftType? {
    guard isDictionary, name.hasSuffix(">") else { return nil }
    let inner = name.dropFirst(11).dropLast()
    return inner.hasPrefix("Array<")
      ? SwiftType(String(inner.dropFirst(6).dropLast()), isList: true) : SwiftType(String(inner))
  }

  /// Whether it says nothing about a value: of a cast to such a type, the value stays what it is.
  var isOpen: Bool { Self.openNames.contains(name) }
  private static let openNames: Set<String> = [
    "Any", "AnyObject", "CKRecordValue", "CKRecordValueProtocol", "CVarArg", "NSNumber",
  ]

  /// The type of a field with such values; `nil` for a type that no field has.
  var dataType: DataType? {
    let primitive: Primitive
    switch name {
    case "String", "NSString", "Substring": primitive = .plain(.string)
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Bool":
      primitive = .plain(.int64)
    case "Double", "Float", "CGFloat", "TimeInterval", "CLLocationDegrees", "CLLocationDistance":
      primitive = .plain(.double)
    case "Date", "NSDate": primitive = .plain(.timestamp)
    case "Data", "NSData": primitive = .plain(.bytes)
    case "CLLocation": primitive = .plain(.location)
    case "CKAsset": primitive = .asset
    case "CKReference", "CKRecord.Reference": primitive = .reference
    default: return nil
    }
    return isList ? .list(primitive) : .scalar(primitive)
  }

  /// The type of a value that has one of several types; `nil` where the types that are known differ.
  static func common(_ types: [SwiftType?]) -> SwiftType? {
    let known = types.compactMap(\.self).filter { !$0.isOpen }
    guard let first = known.first else { return types.first ?? nil }
    if known.allSatisfy({ $0 == first }) { return first }
    if known.allSatisfy(\.isRecord) || known.allSatisfy(\.isQuery) { return SwiftType(first.name) }
    let kinds = Set(known.map(\.dataType))
    if kinds.count == 1 { return first.dataType == nil ? nil : first }
    // A whole number is a value of the other numbers, too.
    let numbers: Set<DataType?> = [.int64, .double]
    return kinds.isSubset(of: numbers) ? known.first { $0.dataType == .double } : nil
  }

  /// The type of what `+`, `*` and the like make. A number and an unknown value may make another number or a date.
  static func sum(_ left: SwiftType?, _ right: SwiftType?) -> SwiftType? {
    guard let left else { return right.flatMap { $0.isList || $0.dataType == .string ? $0 : nil } }
    guard let right else { return left.dataType == .int64 ? nil : left }
    return left.name == "Int" ? right : left
  }

  /// Reads the name of a type: `Date?`, `[String]`, `Array<CKRecord.Reference>`, `[String: Any]`; `nil` for tuples and closures.
  static func named(_ tokens: [SwiftToken], at start: Int) -> (type: SwiftType, end: Int)? {
    var index = start
    while let word = tokens[index].word, ["any", "some", "inout"].contains(word) { index += 1 }
    var found: (type: SwiftType, end: Int)
    if tokens[index].isMark("[") {
      guard let element = named(tokens, at: index + 1) else { return nil }
      if tokens[element.end].isMark(":") {
        let value = named(tokens, at: element.end + 1)?.type
        found = (.dictionary(of: value), tokens[index].pair + 1)
      } else {
        guard !element.type.isList, tokens[element.end].isMark("]") else { return nil }
        found = (SwiftType(element.type.name, isList: true), element.end + 1)
      }
    } else {
      let path = SwiftConstants.path(tokens, at: index)
      guard let type = SwiftType(path.words), !path.isImplicit else { return nil }
      index = path.end
      found = (type, index)
      if tokens[index].isMark("<") {
        let inner = named(tokens, at: index + 1)
        found.end = closingGenerics(tokens, of: index) + 1
        switch (type.name, inner?.type) {
        case ("Dictionary", _):
          let isPair = inner.map { tokens[$0.end].isMark(",") } ?? false
          found.type = .dictionary(of: isPair ? inner.flatMap { named(tokens, at: $0.end + 1)?.type } : nil)
        case ("Array", let element?): found.type = SwiftType(element.name, isList: true)
        case ("Optional", let wrapped?): found.type = wrapped
        default: break
        }
      }
    }
    while tokens[found.end].isMark(of: "?!"), isJoined(tokens, found.end) { found.end += 1 }
    return found
  }

  /// The type that a function gives, whose parameters end at a place: `) async throws -> Date {`.
  static func result(_ tokens: [SwiftToken], of end: Int) -> SwiftType? {
    let arrow = tokens[end...].prefix(6).firstIndex { $0.isMark(of: ">{}") }
    guard let arrow, tokens[arrow].isMark(">"), tokens[arrow - 1].isMark("-") else { return nil }
    return named(tokens, at: arrow + 1)?.type
  }

  /// The type of a literal or of what an initializer makes: `"text"`, `[1, 2]`, `CKAsset(fileURL: url)`, `Date.now`.
  static func made(_ tokens: [SwiftToken], at start: Int) -> (type: SwiftType, end: Int)? {
    switch tokens[start].kind {
    case .string, .interpolation: return (SwiftType("String"), start + tokens[start].length)
    case .number(let isWhole): return (SwiftType(isWhole ? "Int" : "Double"), start + 1)
    case .word("true"), .word("false"): return (SwiftType("Bool"), start + 1)
    case .mark(UInt8(ascii: "-")):
      guard case .number(let isWhole) = tokens[start + 1].kind else { return nil }
      return (SwiftType(isWhole ? "Int" : "Double"), start + 2)
    case .mark(UInt8(ascii: "[")):
      let end = tokens[start].pair
      // `[String: Any]()`
      if tokens[end + 1].isMark("("), isJoined(tokens, end + 1),
        let (type, behind) = named(tokens, at: start), behind == end + 1
      {
        return (type, tokens[behind].pair + 1)
      }
      var element: SwiftType?
      var place = start + 1
      while place < end, let next = made(tokens, at: place), !next.type.isList,
        element ?? next.type == next.type,
        next.end == end || tokens[next.end].isMark(",")
      {
        element = next.type
        place = min(end, next.end + 1)
      }
      guard let element, place == end else { return nil }
      return (SwiftType(element.name, isList: true), end + 1)
    case .word:
      var (words, _, end) = SwiftConstants.path(tokens, at: start)
      let isNow = ["now", "distantPast", "distantFuture"].contains(words.last)
      if words.count > 1, isNow || words.last == "init" { words.removeLast() }
      guard var type = SwiftType(words), words.last?.first?.isUppercase ?? false else { return nil }
      // `Dictionary<String, Int>()`
      if !isNow, tokens[end].isMark("<"), let generic = named(tokens, at: start) { (type, end) = generic }
      if !isNow {
        guard tokens[end].isMark("("), !tokens[end].startsLine else { return nil }
        end = tokens[end].pair + 1
      }
      // `NSNumber(value: true)` is what it is made of.
      if type.name == "NSNumber", let value = tokens[start...].prefix(4).last, value.isMark(":") {
        return made(tokens, at: start + 4).map { ($0.type, end) }
      }
      return (type, end)
    case .mark, .edge: return nil
    }
  }

  /// Whether nothing stands between a token and the one before it: `value?` of `value?.name`, not of `value ? 1 : 0`.
  static func isJoined(_ tokens: [SwiftToken], _ index: Int) -> Bool {
    tokens[index - 1].range.upperBound == tokens[index].range.lowerBound
  }

  /// The place of the mark that closes the `<` at a place.
  static func closingGenerics(_ tokens: [SwiftToken], of open: Int) -> Int {
    var depth = 0
    for place in open..<tokens.count {
      if tokens[place].isMark("<") { depth += 1 }
      if tokens[place].isMark(">") { depth -= 1 }
      if depth == 0 || tokens[place].isMark(of: "({};") { return place }
    }
    return tokens.count - 1 - SwiftToken.edges.count
  }

  /// The type of a member that many types have, or that only one type of the frameworks has.
  static func member(_ name: String) -> SwiftType? {
    switch name {
    case "uuidString", "absoluteString", "recordName", "lowercased", "uppercased", "capitalized", "joined",
      "trimmingCharacters", "description", "stringValue":
      SwiftType("String")
    case "count", "intValue", "int64Value", "hashValue": SwiftType("Int")
    case "isEmpty", "boolValue": SwiftType("Bool")
    case "doubleValue", "timeIntervalSince1970", "timeIntervalSinceReferenceDate", "latitude", "longitude":
      SwiftType("Double")
    case "addingTimeInterval", "startOfDay", "dateValue": SwiftType("Date")
    case "encode", "pngData", "jpegData", "dataRepresentation": SwiftType("Data")
    case "recordID": SwiftType("CKRecord.ID")
    // What code of `schema generate` makes.
    case "ckRecord": .record(nil)
    default: nil
    }
  }
}

/// The types that the declarations of an app's code state: of properties and functions, and of the values of enums.
struct SwiftTypes: Sendable, Equatable {
  /// By `Type.name`, by `.name` for that of any type, by `name` outside of types, by `enum Type` for its raw values and by
  /// `typealias Name`; `nil` for a name with several types.
  private var stated: [String: SwiftType?] = [:]

  /// Reads the declaration whose keyword is at a place outside of functions.
  mutating func read(_ tokens: [SwiftToken], at index: Int, in owner: String?) {
    guard let keyword = tokens[index].word, let name = tokens[index + 1].word else { return }
    switch keyword {
    case "let", "var":
      let type =
        if tokens[index + 2].isMark(":") { SwiftType.named(tokens, at: index + 3) } else {
          tokens[index + 2].isMark("=") ? SwiftType.made(tokens, at: index + 3) : nil
        }
      if let type = type?.type { add(name, type, in: owner) }
    case "func":
      guard let open = tokens[index...].prefix(24).firstIndex(where: { $0.isMark("(") }) else { return }
      if let type = SwiftType.result(tokens, of: tokens[open].pair) {
        add(name, type, in: owner)
      }
    case "enum":
      guard tokens[index + 2].isMark(":"), let type = SwiftType.named(tokens, at: index + 3)?.type else {
        return
      }
      add("enum \(name)", type)
    case "typealias":
      if let type = SwiftType.named(tokens, at: index + 3)?.type, type.name != name {
        add("typealias \(name)", type)
      }
    default: break
    }
  }

  /// Other names of CloudKit's classes, which only one declaration has: `typealias Rec = CKRecord`.
  static func otherNames(in files: [[SwiftToken]]) -> [String: String] {
    var names: [String: Set<String>] = [:]
    for tokens in files {
      for index in tokens.indices {
        guard ["typealias", "struct", "class", "enum", "actor", "protocol"].contains(tokens[index].word),
          let name = tokens[index + 1].word
        else { continue }
        let isSame =
          tokens[index].word == "typealias" && tokens[index + 2].isMark("=")
          && (tokens[index + 4].startsLine || tokens[index + 4].isMark(of: ";}"))
        names[name, default: []].insert(isSame ? tokens[index + 3].word ?? "" : "")
      }
    }
    return names.compactMapValues { meanings in
      meanings.count == 1
        ? meanings.first.flatMap { ["CKRecord", "CKQuery", "CKQueryOperation"].contains($0) ? $0 : nil } : nil
    }
  }

  /// Adds the types of the records that properties and functions give, where all that a name gives are of one type; the
  /// names.
  mutating func add(recordTypes files: [[String: Set<String?>]]) -> [String] {
    var names: [String] = []
    let all = files.reduce(into: [String: Set<String?>]()) { $0.merge($1) { $0.union($1) } }
    for (key, given) in all where given.count == 1 && type(key)?.isRecord ?? false {
      guard let recordType = given.first ?? nil else { continue }
      stated[key] = .some(SwiftType.record(recordType))
      names.append(key)
    }
    return names
  }

  private mutating func add(_ name: String, _ type: SwiftType, in owner: String?) {
    guard let owner else { return add(name, type) }
    add(".\(name)", type)
    add("\(owner).\(name)", type)
  }

  private mutating func add(_ key: String, _ type: SwiftType?) {
    stated[key] = .some(stated[key].map { $0 == type ? type : nil } ?? type)
  }

  /// Adds those of another file.
  mutating func join(_ other: SwiftTypes) { for (key, type) in other.stated { add(key, type) } }

  /// The type of a property or a function of a type, of any type (an empty name), or outside of types (`nil`).
  func type(of name: String, in owner: String?) -> SwiftType? { type(owner.map { "\($0).\(name)" } ?? name) }

  private func type(_ key: String) -> SwiftType? { stated[key] ?? nil }

  /// The type of an enum's raw values.
  func rawType(of name: String) -> SwiftType? { stated["enum \(name)"] ?? nil }

  /// The type of a field with values of a type, which may be another name for it.
  func dataType(_ type: SwiftType) -> DataType? {
    guard let other = stated["typealias \(type.name)"] ?? nil else { return type.dataType }
    return SwiftType(other.name, isList: other.isList || type.isList).dataType
  }
}
