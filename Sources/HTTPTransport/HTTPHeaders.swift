import CCurl

/// Header fields in their order. Names are compared without regard to case (RFC 9110, section 5.1).
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var fields: [Field]

  package init(_ fields: [Field] = []) { self.fields = fields }
  package init(arrayLiteral elements: Field...) { self.init(elements) }
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field($0.0, $0.1) })
  }

  /// The first value of a name. Setting replaces all fields of that name; `nil` removes them.
  package subscript(name: String) -> String? {
    get { fields.first { Self.areSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.areSame($0.name, name) }
      if let newValue { fields.append(Field(name, newValue)) }
    }
  }

  package func values(_ name: String) -> [String] {
    fields.filter { Self.areSame($0.name, name) }.map(\.value)
  }

  package mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// True when two names differ at most in the case of their letters.
  static func areSame(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { lowercase($0) == lowercase($1) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// The date formats of RFC 9110, section 5.6.7, parsed by libcurl, which is lenient.
package enum HTTPDate {
  /// The years 1 to 9999. Dates outside are refused, so that sums of seconds cannot overflow.
  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Seconds since 1970, in the years 1 to 9999; `nil` when the text is not a date.
  package static func secondsSince1970(_ text: String) -> Int64? {
    let seconds = Int64(curl_getdate(text, nil))
    return seconds == -1 || !range.contains(seconds) ? nil : seconds
  }
}

extension HTTPHeaders {
  /// A century, in seconds: longer than any wait that callers allow, and far from an overflow.
  private static let maxRetry: Int64 = 3_155_760_000

  /// How long to wait before the next request, from `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3):
  /// whole seconds, at most a century; `nil` when the header is missing or unreadable.
  ///
  /// - Parameter now: seconds since 1970 for a response without `Date`, which a date is relative to.
  package func retryAfter(from now: Int64? = nil) -> Duration? {
    guard let words = self["Retry-After"]?.split(whereSeparator: { $0 == " " || $0 == "\t" }) else {
      return nil
    }
    let text = words.joined(separator: " ")
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than an Int64 holds are still a number.
      return .seconds(min(Int64(text) ?? .max, Self.maxRetry))
    }
    // libcurl also accepts some plain words as dates.
    guard text.contains(":"), let then = HTTPDate.secondsSince1970(text),
      let sent = self["Date"].flatMap(HTTPDate.secondsSince1970) ?? now
    else { return nil }
    let (seconds, overflow) = then.subtractingReportingOverflow(sent)
    return overflow ? nil : .seconds(min(max(0, seconds), Self.maxRetry))
  }
}

/// Reads the validators `ETag` and `Last-Modified`, which a client must send back byte for byte (RFC 9110, section
/// 8.8). Their bytes are stored as the Latin-1 characters with the same values, so that no byte changes.
enum ValidatorHeader {
  static func isReceived(_ name: String) -> Bool {
    HTTPHeaders.areSame(name, "ETag") || HTTPHeaders.areSame(name, "Last-Modified")
  }

  static func isSent(_ name: String) -> Bool {
    HTTPHeaders.areSame(name, "If-None-Match") || HTTPHeaders.areSame(name, "If-Modified-Since")
  }

  /// The bytes of a validator; `nil` when it did not come from a header, as it has other characters.
  static func bytes(_ value: String) -> [UInt8]? {
    let bytes = value.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == value.unicodeScalars.count ? bytes : nil
  }
}
