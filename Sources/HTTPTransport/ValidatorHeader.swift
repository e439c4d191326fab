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
