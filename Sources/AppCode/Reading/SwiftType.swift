internal import SchemaLanguage

/// The type of a value as code names it, without the types around, but `CKRecord`: `CKRecord.Reference`, `Note`.
struct SwiftType: Sendable, Equatable {
  /// An element of a tuple, the key or the value of a dictionary, a parameter of a closure.
  struct Part: Sendable, Equatable {
    var label: String?
    /// `nil` for a type that the code does not show.
    let type: SwiftType?
  }

  let name: String
  var isList = false
  /// The record type of a `CKRecord`, or of those in a list, if the code shows it.
  var recordType: String?
  /// What a tuple, a dictionary, a closure, a `Result` or a list of lists is made of.
  var parts: [Part] = []

  init(_ name: String, isList: Bool = false, of recordType: String? = nil, parts: [Part] = []) {
    self.name = name
    self.isList = isList
    self.recordType = recordType
    self.parts = parts
  }

  fileprivate init?(_ path: [String]) {
    // `String.self`
    guard let last = path.last(where: { $0 != "self" }) else { return nil }
    // A record, or its encrypted values.
    let name = last == "CKRecordKeyValueSetting" ? "CKRecord" : last
    self.init(path.count == 2 && path[0] == "CKRecord" ? "CKRecord.\(name)" : name)
  }

  /// The elements of a list or a set; the pairs of a dictionary.
  var element: SwiftType? {
    if isDictionary { return .tuple(parts) }
    guard isList, name != "Array" else { return isList || name == "Set" ? parts.first?.type : nil }
    return SwiftType(name, of: recordType, parts: parts)
  }

  static func list(of element: SwiftType) -> SwiftType {
    element.isList
      ? SwiftType("Array", isList: true, parts: [Part(type: element)])
      : SwiftType(element.name, isList: true, of: element.recordType, parts: element.parts)
  }

  var isRecord: Bool { name == "CKRecord" && !isList }
  /// A predicate or a list of predicates.
  var isPredicate: Bool { name == "NSPredicate" || name == "NSCompoundPredicate" }

  /// A query, an operation with one, or a subscription.
  var isQuery: Bool { Self.queryNames.contains(name) && !isList }
  private static let queryNames: Set<String> = [
    "CKQuery", "CKQueryOperation", "CKQuerySubscription", "CKDatabaseSubscription",
    "CKRecordZoneSubscription",
  ]

  static func record(_ recordType: String?) -> SwiftType { SwiftType("CKRecord", of: recordType) }

  static func tuple(_ parts: [Part]) -> SwiftType { SwiftType("()", parts: parts) }

  /// `Result<CKRecord, any Error>`
  static func result(of success: SwiftType?) -> SwiftType {
    SwiftType("Result", parts: [Part(type: success)])
  }

  /// What `records(matching: query)` gives.
  static func matches(_ recordType: String?) -> SwiftType {
    let pair = [Part(type: SwiftType("CKRecord.ID")), Part(type: .result(of: .record(recordType)))]
    return .tuple([
      Part(label: "matchResults", type: .list(of: .tuple(pair))),
      Part(label: "queryCursor", type: SwiftType("CKQueryOperation.Cursor")),
    ])
  }

  /// What `records(for: ids)` gives: the result of each record by its ID.
  static let resultsByID = dictionary(of: .result(of: .record(nil)), key: SwiftType("CKRecord.ID"))

  /// A dictionary, with the type of its values if the code shows it.
  static func dictionary(of value: SwiftType?, key: SwiftType? = nil) -> SwiftType {
    SwiftType("Dictionary", parts: [Part(label: "key", type: key), Part(label: "value", type: value)])
  }

  var isDictionary: Bool { !isList && name == "Dictionary" }

  var value: SwiftType? { isDictionary ? parts.last?.type : nil }

  /// The part of a tuple with a label or a number.
  func part(_ name: String) -> Part? {
    guard self.name == "()", !isList else { return nil }
    return parts.first { $0.label == name }
      ?? Int(name).flatMap { parts.indices.contains($0) ? parts[$0] : nil }
  }

  /// Whether it says nothing about a value: of a cast to such a type, the value stays what it is.
  var isOpen: Bool { Self.openNames.contains(name) }
  private static let openNames: Set<String> = [
    "Any", "AnyObject", "CKRecordValue", "CKRecordValueProtocol", "CVarArg", "NSNumber", "NSArray",
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
    // `records ?? [:]`
    if known.allSatisfy(\.isDictionary) {
      return .dictionary(of: common(known.map(\.value)), key: common(known.map { $0.parts.first?.type }))
    }
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

  /// The type of a member of a framework's type; `nil` for other types, whose members may be anything.
  func frameworkMember(_ name: String) -> SwiftType? {
    if isList || isDictionary || self.name == "Set" {
      switch name {
      case "joined": return SwiftType("String")
      case "count", "hashValue": return SwiftType("Int")
      case "isEmpty", "contains", "allSatisfy": return SwiftType("Bool")
      default: return nil
      }
    }
    guard dataType != nil || Self.frameworkNames.contains(self.name) else { return nil }
    return switch name {
    case "uuidString", "absoluteString", "recordName", "lowercased", "uppercased", "capitalized", "joined",
      "trimmingCharacters", "description", "stringValue", "recordType", "path", "lastPathComponent":
      SwiftType("String")
    case "count", "intValue", "int64Value", "hashValue": SwiftType("Int")
    case "isEmpty", "boolValue": SwiftType("Bool")
    case "doubleValue", "timeIntervalSince1970", "timeIntervalSinceReferenceDate", "timeIntervalSinceNow",
      "latitude", "longitude":
      SwiftType("Double")
    case "coordinate": SwiftType("CLLocationCoordinate2D")
    case "addingTimeInterval", "startOfDay", "dateValue": SwiftType("Date")
    case "encode", "pngData", "jpegData", "dataRepresentation": SwiftType("Data")
    case "recordID": SwiftType("CKRecord.ID")
    default: nil
    }
  }

  /// How many types are read in one another.
  static let levels = 32
  fileprivate static let prefixes: Set<String> = [
    "any", "some", "inout", "borrowing", "consuming", "sending", "isolated",
  ]

  private static let frameworkNames: Set<String> = [
    "URL", "UUID", "NSNumber", "JSONEncoder", "PropertyListEncoder", "CKRecord", "CKRecord.ID", "Calendar",
    "CLLocationCoordinate2D", "UIImage", "Decimal", "Character",
  ]
}

extension [SwiftToken] {
  /// Reads the name of a type: `Date?`, `[String]`, `Array<CKRecord.Reference>`, `[String: Any]`, `(CKRecord, Bool)`,
  /// `([CKRecord]) -> Void`.
  ///
  /// - Parameter levels: how many types may be in one another; `nil` for deeper ones.
  func type(at start: Int, levels: Int = SwiftType.levels) -> (type: SwiftType, end: Int)? {
    guard levels > 0 else { return nil }
    var index = start
    while let word = self[self[index].isMark("@") ? index + 1 : index].word,
      self[index].isMark("@") || SwiftType.prefixes.contains(word)
    {
      index += self[index].isMark("@") ? 2 : 1
    }
    var found: (type: SwiftType, end: Int)
    if self[index].isMark("[") {
      guard let element = type(at: index + 1, levels: levels - 1) else { return nil }
      if self[element.end].isMark(":") {
        let value = type(at: element.end + 1, levels: levels - 1)?.type
        found = (.dictionary(of: value, key: element.type), self[index].pair + 1)
      } else {
        guard self[element.end].isMark("]") else { return nil }
        found = (.list(of: element.type), element.end + 1)
      }
    } else if self[index].isMark("(") {
      let close = self[index].pair
      let parts = parameters(in: index, levels: levels - 1).map(\.part)
      let arrow = self[(close + 1)...].prefix(4).prefix { $0.word != nil || $0.isMark(of: "->") }
        .firstIndex { $0.isMark("-") }
      if let arrow, self[arrow + 1].isMark(">") {
        let result = type(at: arrow + 2, levels: levels - 1)
        return (SwiftType("->", parts: parts), result?.end ?? self[arrow + 2].pair + 1)
      }
      found = (parts.count == 1 ? parts[0].type ?? .tuple(parts) : .tuple(parts), close + 1)
    } else {
      let path = path(at: index)
      guard let named = SwiftType(path.words), !path.isImplicit else { return nil }
      index = path.end
      found = (named, index)
      if self[index].isMark("<") {
        let close = closingGenerics(of: index)
        let inner = self[close].isMark("<") ? nil : type(at: index + 1, levels: levels - 1)
        found.end = close + 1
        switch (named.name, inner?.type) {
        case ("Dictionary", let key):
          let isPair = inner.map { self[$0.end].isMark(",") } ?? false
          found.type = .dictionary(
            of: isPair ? inner.flatMap { type(at: $0.end + 1, levels: levels - 1)?.type } : nil, key: key)
        case ("Array", let element?), ("ArraySlice", let element?): found.type = .list(of: element)
        case ("Optional", let wrapped?): found.type = wrapped
        case ("Result", let inner), ("Set", let inner): found.type.parts = [SwiftType.Part(type: inner)]
        default: break
        }
      }
    }
    while self[found.end].isMark(of: "?!"), isJoined(found.end) { found.end += 1 }
    return found
  }

  /// The type of a literal or of what an initializer makes: `"text"`, `[1, 2]`, `CKAsset(fileURL: url)`, `Date.now`.
  func madeType(at start: Int) -> (type: SwiftType, end: Int)? {
    switch self[start].kind {
    case .string, .interpolation: return (SwiftType("String"), start + self[start].length)
    case .number(let isWhole): return (SwiftType(isWhole ? "Int" : "Double"), start + 1)
    case .word("true"), .word("false"): return (SwiftType("Bool"), start + 1)
    case .mark(UInt8(ascii: "-")):
      guard case .number(let isWhole) = self[start + 1].kind else { return nil }
      return (SwiftType(isWhole ? "Int" : "Double"), start + 2)
    case .mark(UInt8(ascii: "[")):
      let end = self[start].pair
      // `[String: Any]()`
      if self[end + 1].isMark("("), isJoined(end + 1),
        let (type, behind) = type(at: start), behind == end + 1
      {
        return (type, self[behind].pair + 1)
      }
      var element: SwiftType?
      var place = start + 1
      while place < end, let next = madeType(at: place), !next.type.isList,
        element ?? next.type == next.type,
        next.end == end || self[next.end].isMark(",")
      {
        element = next.type
        place = Swift.min(end, next.end + 1)
      }
      guard let element, place == end else { return nil }
      return (.list(of: element), end + 1)
    case .word:
      var (words, _, end) = path(at: start)
      let isNow = ["now", "distantPast", "distantFuture"].contains(words.last)
      if words.count > 1, isNow || words.last == "init" { words.removeLast() }
      guard var type = SwiftType(words), words.last?.first?.isUppercase ?? false else { return nil }
      // `Dictionary<String, Int>()`
      if !isNow, self[end].isMark("<"), let generic = self.type(at: start) { (type, end) = generic }
      if !isNow {
        guard self[end].isMark("("), !self[end].startsLine else { return nil }
        end = self[end].pair + 1
      }
      // `NSNumber(value: true)` is what it is made of.
      if type.name == "NSNumber", let value = self[start...].prefix(4).last, value.isMark(":") {
        return madeType(at: start + 4).map { ($0.type, end) }
      }
      return (type, end)
    case .mark, .edge: return nil
    }
  }
}
