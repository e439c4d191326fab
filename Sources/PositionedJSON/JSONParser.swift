extension JSONValue {
  /// Parses one JSON text (RFC 8259). Throws ``JSONSyntaxError``.
  public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = JSONLimits())
    throws(JSONSyntaxError)
  {
    self = try parseJSON(bytes, limits: limits, builder: ValueBuilder.self)
  }

  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

extension JSONNode {
  /// Parses one JSON text (RFC 8259), keeping positions. Throws ``JSONSyntaxError``.
  public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = JSONLimits())
    throws(JSONSyntaxError)
  {
    self = try parseJSON(bytes, limits: limits, builder: NodeBuilder.self)
  }
}

/// What the parser makes of each value: with positions or without.
private protocol JSONBuilder {
  associatedtype Output
  associatedtype Member
  static func scalar(_ value: JSONValue, range: Range<Int>) -> Output
  static func array(_ elements: [Output], range: Range<Int>) -> Output
  static func member(key: String, keyRange: Range<Int>, value: Output) -> Member
  static func object(_ members: [Member], range: Range<Int>) -> Output
}

private enum ValueBuilder: JSONBuilder {
  typealias Member = (key: String, value: JSONValue)
  static func scalar(_ value: JSONValue, range: Range<Int>) -> JSONValue { value }
  static func array(_ elements: [JSONValue], range: Range<Int>) -> JSONValue { .array(elements) }
  static func member(key: String, keyRange: Range<Int>, value: JSONValue) -> Member { (key, value) }
  static func object(_ members: [Member], range: Range<Int>) -> JSONValue { .object(JSONObject(members)) }
}

private enum NodeBuilder: JSONBuilder {
  static func scalar(_ value: JSONValue, range: Range<Int>) -> JSONNode {
    switch value {
    case .null: JSONNode(.null, range: range)
    case .bool(let value): JSONNode(.bool(value), range: range)
    case .integer(let value): JSONNode(.integer(value), range: range)
    case .double(let value): JSONNode(.double(value), range: range)
    case .string(let value): JSONNode(.string(value), range: range)
    case .array, .object: preconditionFailure("not a scalar")
    }
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

private func parseJSON<Builder: JSONBuilder>(
  _ bytes: some Collection<UInt8>, limits: JSONLimits, builder: Builder.Type
) throws(JSONSyntaxError) -> Builder.Output {
  let result = bytes.withContiguousStorageIfAvailable { buffer in
    Result { () throws(JSONSyntaxError) in try JSONParser<Builder>(buffer, limits).document() }
  }
  if let result { return try result.get() }
  return try parseJSON(Array(bytes), limits: limits, builder: builder)
}

private struct JSONParser<Builder: JSONBuilder> {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let limits: JSONLimits
  private var position = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  func document() throws(JSONSyntaxError) -> Builder.Output {
    var parser = self
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
    let value = try parser.value()
    parser.skipWhitespace()
    guard parser.position == bytes.count else {
      throw parser.error("expected the end of the text after the value")
    }
    return value
  }

  // MARK: Values

  private mutating func value() throws(JSONSyntaxError) -> Builder.Output {
    skipWhitespace()
    let start = position
    switch peek {
    case UInt8(ascii: "{"):
      return try nested { parser throws(JSONSyntaxError) in try parser.object(from: start) }
    case UInt8(ascii: "["):
      return try nested { parser throws(JSONSyntaxError) in try parser.array(from: start) }
    case UInt8(ascii: "\""):
      let text = try string()
      return Builder.scalar(.string(text), range: start..<position)
    case let byte? where byte.isDigit || byte == UInt8(ascii: "-"):
      return Builder.scalar(try number(), range: start..<position)
    case nil: throw error("expected a value, found the end of the text")
    default: return Builder.scalar(try word(), range: start..<position)
    }
  }

  private mutating func nested(
    _ parse: (inout Self) throws(JSONSyntaxError) -> Builder.Output
  ) throws(JSONSyntaxError) -> Builder.Output {
    guard depth < limits.depth else { throw error("nested deeper than \(limits.depth) levels") }
    depth += 1
    position += 1
    let output = try parse(&self)
    depth -= 1
    return output
  }

  private mutating func object(from start: Int) throws(JSONSyntaxError) -> Builder.Output {
    var members: [Builder.Member] = []
    var keys = KeySet()
    skipWhitespace()
    if take(UInt8(ascii: "}")) { return Builder.object(members, range: start..<position) }
    while true {
      skipWhitespace()
      let keyStart = position
      guard peek == UInt8(ascii: "\"") else {
        let problem = peek == UInt8(ascii: "}") ? "a comma before '}'" : "expected a name in double quotes"
        throw error(problem)
      }
      let key = try string()
      let keyRange = keyStart..<position
      guard keys.insert(key) else {
        throw JSONSyntaxError("'\(key)' is given twice in one object", at: keyRange)
      }
      skipWhitespace()
      guard take(UInt8(ascii: ":")) else { throw error("expected ':' after the name '\(key)'") }
      members.append(Builder.member(key: key, keyRange: keyRange, value: try value()))
      skipWhitespace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "}")) else { throw error("expected ',' or '}' after the value of '\(key)'") }
      return Builder.object(members, range: start..<position)
    }
  }

  private mutating func array(from start: Int) throws(JSONSyntaxError) -> Builder.Output {
    var elements: [Builder.Output] = []
    skipWhitespace()
    if take(UInt8(ascii: "]")) { return Builder.array(elements, range: start..<position) }
    while true {
      skipWhitespace()
      if peek == UInt8(ascii: "]") { throw error("a comma before ']'") }
      elements.append(try value())
      skipWhitespace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw error("expected ',' or ']' in the list") }
      return Builder.array(elements, range: start..<position)
    }
  }

  private mutating func word() throws(JSONSyntaxError) -> JSONValue {
    let start = position
    while let byte = peek, byte.isWordByte { position += 1 }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    case "": throw error("unexpected character")
    case let other: throw JSONSyntaxError("'\(other)' is not a JSON value", at: start..<position)
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
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      guard skipDigits() > 0 else { throw error("expected a digit after '.'") }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard skipDigits() > 0 else { throw error("expected a digit in the exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else {
      throw JSONSyntaxError("the number is too large", at: start..<position)
    }
    return .double(double)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = peek, byte.isDigit { position += 1 }
    return position - start
  }

  // MARK: Strings

  private mutating func string() throws(JSONSyntaxError) -> String {
    let start = position
    position += 1
    let contentStart = position
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        let text = try decode(contentStart..<position)
        position += 1
        return text
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw error("a control character inside a string must be written as an escape")
      default: position += 1
      }
    }
    throw JSONSyntaxError("the string is not closed", at: start..<min(start + 1, bytes.count))
  }

  /// The slow path: from the first backslash on, the string is gathered piece by piece.
  private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
    var text = try decode(start + 1..<position)
    var pieceStart = position
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        text += try decode(pieceStart..<position)
        position += 1
        return text
      case UInt8(ascii: "\\"):
        text += try decode(pieceStart..<position)
        text.unicodeScalars.append(try escape())
        pieceStart = position
      case 0..<0x20: throw error("a control character inside a string must be written as an escape")
      default: position += 1
      }
    }
    throw JSONSyntaxError("the string is not closed", at: start..<start + 1)
  }

  private func decode(_ range: Range<Int>) throws(JSONSyntaxError) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw JSONSyntaxError("the string is not valid UTF-8", at: range)
    }
    return text
  }

  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let start = position
    position += 1
    let kind = peek
    position += 1
    switch kind {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(from: start)
    default: throw JSONSyntaxError("unknown escape in a string", at: start..<min(position, bytes.count))
    }
  }

  private mutating func unicodeEscape(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    let high = try hexUnit(from: start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard (0xD800..<0xDC00).contains(high), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw JSONSyntaxError("half of a surrogate pair", at: start..<position)
    }
    let low = try hexUnit(from: start)
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw JSONSyntaxError("half of a surrogate pair", at: start..<position) }
    return scalar
  }

  private mutating func hexUnit(from start: Int) throws(JSONSyntaxError) -> UInt16 {
    let end = min(position + 4, bytes.count)
    let digits = String(decoding: bytes[position..<end], as: UTF8.self)
    guard end - position == 4, bytes[position..<end].allSatisfy(\.isHexDigit),
      let unit = UInt16(digits, radix: 16)
    else { throw JSONSyntaxError("expected four hexadecimal digits after \\u", at: start..<end) }
    position = end
    return unit
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private func error(_ message: String) -> JSONSyntaxError {
    JSONSyntaxError(message, at: position..<min(position + 1, max(position, bytes.count)))
  }
}

/// Finds a repeated key without hashing while an object is small, as nearly all are.
private struct KeySet {
  private var few: [String] = []
  private var many: Set<String> = []

  mutating func insert(_ key: String) -> Bool {
    if !many.isEmpty { return many.insert(key).inserted }
    guard !few.contains(key) else { return false }
    few.append(key)
    if few.count > 16 { many = Set(few) }
    return true
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
  fileprivate var isWordByte: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
