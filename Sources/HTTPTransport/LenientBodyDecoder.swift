/// Reads a body in another content coding than its header declares.
///
/// libcurl decodes what is declared. What is left are compressed bodies that no header declares, and answers to a second
/// request, which asks for no coding: they arrive as the server sent them.
struct LenientBodyDecoder {
  private(set) var response: HTTPResponse
  private let limit: Int

  /// How often a body is compressed at most.
  private static let maxLayers = 2

  private init(_ response: HTTPResponse, _ limits: HTTPLimits) {
    self.response = response
    limit = min(limits.keptBodyBytes, limits.maxBodyBytes)
  }

  /// - Parameter response: decoded by libcurl as its header declares.
  static func read(_ response: HTTPResponse, _ limits: HTTPLimits) -> HTTPResponse {
    guard GzipDecoder.isGzip(response.body) else { return response }
    var body = LenientBodyDecoder(response, limits)
    if body.unpack() { body.response.flaws.insert(.wrongCoding) }
    return body.response
  }

  /// - Parameters:
  ///   - response: not decoded; the answer to a request without a coding.
  ///   - failure: why the answer to the first request could not be decoded. Thrown when this one cannot be read either.
  static func read(_ response: HTTPResponse, _ limits: HTTPLimits, after failure: HTTPFailure)
    throws(HTTPFailure) -> HTTPResponse
  {
    var body = LenientBodyDecoder(response, limits)
    if GzipDecoder.isGzip(response.body) {
      guard body.unpack() else { throw failure }
      return body.response
    }
    guard !body.declaresCoding || body.isText else { throw failure }
    if body.declaresCoding || failure.kind == .encoding { body.response.flaws.insert(.wrongCoding) }
    return body.response
  }

  /// Returns false when the body cannot be decompressed at all.
  private mutating func unpack() -> Bool {
    for layer in 0..<Self.maxLayers where GzipDecoder.isGzip(response.body) {
      let result = GzipDecoder.unpack(response.body, limit: limit)
      guard !result.body.isEmpty else { return layer > 0 }
      response.body = result.body
      if result.isCut { response.flaws.insert(.cut) }
      if result.isDamaged { response.flaws.insert(.wrongCoding) }
    }
    return true
  }

  private var declaresCoding: Bool {
    response.headers.values("Content-Encoding").flatMap { $0.split(separator: ",") }
      .contains { ContentCoding.isInUse($0) }
  }

  /// True for a body that begins like a document and not like compressed bytes.
  private var isText: Bool {
    let start = response.body.prefix(64).drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
      && start.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "{") }
  }
}

/// The content codings that are in use (RFC 9110, section 8.4.1). Servers write other words into the header by mistake,
/// such as a character set.
enum ContentCoding {
  private static let names: Set<String> = [
    "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress",
  ]

  static func isInUse(_ token: Substring) -> Bool {
    names.contains(token.lowercased().filter { $0 != " " && $0 != "\t" })
  }
}
