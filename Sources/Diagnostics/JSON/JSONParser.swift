extension JSONValue {
  /// Parses one JSON text (RFC 8259). Throws ``JSONSyntaxError``.
  package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = JSONLimits())
    throws(JSONSyntaxError)
  {
    self = try withBytes(of: bytes) { buffer throws(JSONSyntaxError) in
      try JSONParser<JSONValueBuilder>(bytes: buffer, limits: limits).document()
    }
  }

  package init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

extension JSONNode {
  /// Parses one JSON text (RFC 8259), keeping positions. Throws ``JSONSyntaxError``.
  package init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = JSONLimits())
    throws(JSONSyntaxError)
  {
    self = try withBytes(of: bytes) { buffer throws(JSONSyntaxError) in
      try JSONParser<JSONNodeBuilder>(bytes: buffer, limits: limits).document()
    }
  }
}

/// Builds the parser's result from each value: with positions (``JSONNode``) or without (``JSONValue``).
protocol JSONBuilder {
  associatedtype Output
  associatedtype Member
  static func scalar(_ value: JSONValue, range: Range<Int>) -> Output
  static func array(_ elements: [Output], range: Range<Int>) -> Output
  static func member(key: String, keyRange: Range<Int>, value: Output) -> Member
  static func object(_ members: [Member], range: Range<Int>) -> Output
}

enum JSONValueBuilder: JSONBuilder {
  typealias Member = (key: String, value: JSONValue)
  static func scalar(_ value: JSONValue, range: Range<Int>) -> JSONValue { value }
  static func array(_ elements: [JSONValue], range: Range<Int>) -> JSONValue { .array(elements) }
  static func member(key: String, keyRange: Range<Int>, value: JSONValue) -> Member { (key, value) }
  static func object(_ members: [Member], range: Range<Int>) -> JSONValue { .object(JSONObject(members)) }
}

private enum JSONNodeBuilder: JSONBuilder {
  static func scalar(_ value: JSONValue, range: Range<Int>) -> JSONNode {
    JSONNode(.scalar(value), range: range)
  }
  static func array(_ elements: [JSONNode], range: Range<Int>) -> JSONNode {
    JSONNode(.array(elements), range: range)
  }
  static func member(key: String, keyRange: Range<Int>, value: JSONNode) -> JSONMember {
    JSONMember(key: key, keyRange: keyRange, value: value)
  }
  static func object(_ members: [JSONMember], range: Range<Int>) -> JSONNode {
    JSONNode(.object(members), range: range)
  }
}

/// The callers name the builder: of a parser that is generic in two ways the compiler makes no fast version.
private func withBytes<Output>(
  of bytes: some Collection<UInt8>, _ parse: (UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> Output
) throws(JSONSyntaxError) -> Output {
  let result = bytes.withContiguousStorageIfAvailable { buffer in
    Result { () throws(JSONSyntaxError) in try parse(buffer) }
  }
  if let result { return try result.get() }
  return try withBytes(of: Array(bytes), parse)
}

struct JSONParser<Builder: JSONBuilder> {
  /// A pointer, because an array makes reading a reply of 200 records 13 % slower.
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0
  var depth = 0
  /// The memory estimate of the values read so far, see ``JSONLimits/weight``. A caller that drops values subtracts
  /// theirs.
  var weight = 0
  /// Whether a string was longer than ``JSONLimits/text``.
  var isTextCut = false

  func document() throws(JSONSyntaxError) -> Builder.Output {
    var parser = self
    parser.skipMark()
    let value = try parser.value()
    try parser.end()
    return value
  }

  mutating func skipMark() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func end() throws(JSONSyntaxError) {
    skipWhitespace()
    guard position == bytes.count else { throw error("expected the end of the text after the value") }
  }

  // MARK: Values

  mutating func value() throws(JSONSyntaxError) -> Builder.Output {
    skipWhitespace()
    let start = position
    try hold(JSONLimits.valueWeight)
    switch peek {
    case UInt8(ascii: "{"):
      return try nested { parser throws(JSONSyntaxError) in try parser.object(from: start) }
    case UInt8(ascii: "["):
      return try nested { parser throws(JSONSyntaxError) in try parser.array(from: start) }
    case UInt8(ascii: "\""):
      let text = try string()
      return Builder.scalar(.string(text), range: start..<position)
    case let byte? where byte.isASCIIDigit || byte == UInt8(ascii: "-"):
      return Builder.scalar(try number(), range: start..<position)
    case nil: throw error("expected a value, found the end of the text")
    default: return Builder.scalar(try word(), range: start..<position)
    }
  }

  /// Adds to the memory estimate; throws above the limit.
  mutating func hold(_ more: Int) throws(JSONSyntaxError) {
    weight += more
    guard weight <= limits.weight else { throw error("the text is too large", .tooMuch) }
  }

  mutating func nested<Output>(
    _ parse: (inout Self) throws(JSONSyntaxError) -> Output
  ) throws(JSONSyntaxError) -> Output {
    guard depth < limits.depth else { throw error("nested deeper than \(limits.depth) levels", .tooDeep) }
    depth += 1
    position += 1
    let output = try parse(&self)
    depth -= 1
    return output
  }

  private mutating func object(from start: Int) throws(JSONSyntaxError) -> Builder.Output {
    var members: [Builder.Member] = []
    members.reserveCapacity(4)
    try eachMember { parser, key, keyRange throws(JSONSyntaxError) in
      members.append(Builder.member(key: key, keyRange: keyRange, value: try parser.value()))
    }
    return Builder.object(members, range: start..<position)
  }

  /// Reads an object after its opening brace, including the closing one; `read` reads the value of each member.
  mutating func eachMember(
    _ read: (inout Self, _ key: String, _ keyRange: Range<Int>) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    skipWhitespace()
    if take(UInt8(ascii: "}")) { return }
    var keys = JSONKeySet()
    while true {
      skipWhitespace()
      let keyStart = position
      guard peek == UInt8(ascii: "\"") else {
        guard peek == UInt8(ascii: "}") else { throw error("expected a name in double quotes") }
        guard limits.isLenient else { throw error("remove the comma before '}'") }
        position += 1
        return
      }
      let key = try string()
      let keyRange = keyStart..<position
      guard keys.insert(key) || limits.isLenient else {
        throw JSONSyntaxError("the object has the key '\(key)' twice", at: keyRange, quoted: key)
      }
      skipWhitespace()
      guard take(UInt8(ascii: ":")) else { throw error("expected ':' after the name '\(key)'", quoted: key) }
      try read(&self, key, keyRange)
      skipWhitespace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "}")) else {
        throw error("expected ',' or '}' after the value of '\(key)'", quoted: key)
      }
      return
    }
  }

  private mutating func array(from start: Int) throws(JSONSyntaxError) -> Builder.Output {
    var elements: [Builder.Output] = []
    try eachElement { parser throws(JSONSyntaxError) in elements.append(try parser.value()) }
    return Builder.array(elements, range: start..<position)
  }

  /// Reads a list after its opening bracket, including the closing one; `read` reads each element.
  mutating func eachElement(
    _ read: (inout Self) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    skipWhitespace()
    if take(UInt8(ascii: "]")) { return }
    while true {
      skipWhitespace()
      if peek == UInt8(ascii: "]") {
        guard limits.isLenient else { throw error("remove the comma before ']'") }
        position += 1
        return
      }
      try read(&self)
      skipWhitespace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw error("expected ',' or ']' in the list") }
      return
    }
  }

  private mutating func word() throws(JSONSyntaxError) -> JSONValue {
    let start = position
    while let byte = peek, byte.isASCIILetter || byte.isASCIIDigit { position += 1 }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    case "" where start == 0 && (bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])):
      throw error("the file is in UTF-16, and JSON is UTF-8")
    case "": throw error("unexpected character")
    case let other:
      throw JSONSyntaxError("'\(other)' is not a JSON value", at: start..<position, quoted: other)
    }
  }

  // MARK: Numbers

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    let firstDigit = position
    guard skipDigits() > 0 else { throw error("expected a digit after '-'") }
    if bytes[firstDigit] == UInt8(ascii: "0"), position - firstDigit > 1 {
      throw JSONSyntaxError("a number cannot start with 0", at: start..<position)
    }
    if take(UInt8(ascii: ".")), skipDigits() == 0 { throw error("expected a digit after '.'") }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard skipDigits() > 0 else { throw error("expected a digit in the exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    if limits.keepsTextOfNumbers {
      try hold(text.utf8.count)
      return .string(text)
    }
    guard let double = Double(text), double.isFinite else {
      throw JSONSyntaxError("the number is too large", at: start..<position)
    }
    return .double(double)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = peek, byte.isASCIIDigit { position += 1 }
    return position - start
  }

  // MARK: Bytes

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  func error(
    _ message: String, _ kind: JSONSyntaxError.Kind = .syntax, quoted: String? = nil
  ) -> JSONSyntaxError {
    if kind == .syntax, bytes.hasConflictMarker(at: position) {
      return JSONSyntaxError("\(MergeConflict.message): \(MergeConflict.help)", at: position..<position + 7)
    }
    return JSONSyntaxError(
      message, at: position..<min(position + 1, max(position, bytes.count)), kind, quoted: quoted)
  }
}

/// The keys of an object, to detect repeated ones. Compares small sets directly, which is faster than hashing.
private struct JSONKeySet {
  private var few: [String] = []
  private var many: Set<String> = []

  init() { few.reserveCapacity(8) }

  mutating func insert(_ key: String) -> Bool {
    if !many.isEmpty { return many.insert(key).inserted }
    guard !few.contains(key) else { return false }
    few.append(key)
    if few.count > 16 { many = Set(few) }
    return true
  }
}
