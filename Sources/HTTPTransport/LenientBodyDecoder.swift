import CZlib

/// Reads a body in another content coding than its header declares.
///
/// libcurl decodes what is declared. What is left are compressed bodies that no header declares, and answers to a second
/// request, which asks for no coding: they arrive as the server sent them.
struct LenientBodyDecoder {
  private(set) var response: HTTPResponse
  private let limit: Int

  private static let maxLayers = 2

  private init(_ response: HTTPResponse, _ limits: HTTPLimits) {
    self.response = response
    limit = min(limits.keptBodyBytes, limits.maxBodyBytes)
  }

  /// Throws when the compressed bytes are damaged.
  ///
  /// - Parameter response: decoded by libcurl as its header declares.
  static func read(_ response: HTTPResponse, _ limits: HTTPLimits) throws(HTTPFailure) -> HTTPResponse {
    guard GzipDecoder.isGzip(response.body) else { return response }
    var body = LenientBodyDecoder(response, limits)
    if try body.unpack() { body.response.flaws.insert(.wrongCoding) }
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
      guard try body.unpack() else { throw failure }
      return body.response
    }
    guard !body.declaresCoding || body.isText else { throw failure }
    if body.declaresCoding || failure.kind == .encoding { body.response.flaws.insert(.wrongCoding) }
    return body.response
  }

  /// Returns false when the body has no content. Throws when it is damaged: any part of its text may then be wrong,
  /// also what came before the damage was noticed.
  private mutating func unpack() throws(HTTPFailure) -> Bool {
    for layer in 0..<Self.maxLayers where GzipDecoder.isGzip(response.body) {
      let result = GzipDecoder.unpack(response.body, limit: limit)
      // What is not whole although the transfer was is damaged, too.
      if result.isDamaged
        || result.endsEarly && response.flaws.isDisjoint(with: [.cut, .endedEarly, .timedOut])
      {
        throw HTTPFailure(.encoding, "the compressed body is damaged")
      }
      guard !result.body.isEmpty else { return layer > 0 }
      response.body = result.body
      if result.isCut { response.flaws.insert(.cut) }
      if result.endsEarly { response.flaws.insert(.endedEarly) }
    }
    return true
  }

  private var declaresCoding: Bool {
    response.headers.contentCodings.contains(where: ContentCoding.isInUse)
  }

  /// True for a body that begins like a document and not like compressed bytes.
  private var isText: Bool {
    let start = response.body.prefix(64).drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
      && start.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "{") }
  }
}

extension HTTPHeaders {
  /// The words of `Content-Encoding`.
  var contentCodings: [Substring] { values("Content-Encoding").flatMap { $0.split(separator: ",") } }
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

/// The first and the last bytes of a body as sent. libcurl takes a compressed body without its end for a whole one.
struct CompressedEnds {
  private var first: [UInt8] = []
  private var last: [UInt8] = []
  private static let kept = 64

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    first += bytes.prefix(Self.kept - first.count)
    last = bytes.count < Self.kept ? (last + bytes).suffix(Self.kept) : Array(bytes.suffix(Self.kept))
  }

  /// Whether the end of the compressed bytes is missing. Where these have no checksum, the end of a document is looked for.
  func areCut(_ body: [UInt8], _ declared: [Substring]) -> Bool {
    let codings = declared.filter(ContentCoding.isInUse)
    guard codings.count == 1, !body.isEmpty else { return false }
    let coding = codings[0].lowercased()
    let (start, end, count) = (withoutChunks(first), withoutChunks(last), z_size_t(body.count))
    if GzipDecoder.isGzip(start) {
      let sums = [
        UInt32(truncatingIfNeeded: crc32_z(0, body, count)), UInt32(truncatingIfNeeded: body.count),
      ]
      return end.firstRange(of: sums.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }) == nil
    }
    // The header of zlib's format (RFC 1950).
    if coding == "deflate", start.count > 1, start[0] & 0xF == 8,
      (Int(start[0]) << 8 + Int(start[1])) % 31 == 0
    {
      let sum = UInt32(truncatingIfNeeded: adler32_z(1, body, count))
      return end.firstRange(of: withUnsafeBytes(of: sum.bigEndian, Array.init)) == nil
    }
    guard coding == "br" || coding == "zstd", let last = body.last(where: { $0 > 0x20 }) else { return false }
    return last != UInt8(ascii: ">") && last != UInt8(ascii: "}")
  }

  /// Chunks of HTTP/1.1 begin with a line that has their size.
  private func withoutChunks(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x0D) else { return bytes }
    let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    let sizes = /(?:^|\r\n)[0-9A-Fa-f]{1,8}\r\n/.matchingSemantics(.unicodeScalar)
    return text.replacing(sizes, with: "").unicodeScalars.map { UInt8($0.value) }
  }
}

/// Decompresses gzip (RFC 1952): any number of members, which bytes of another kind may follow.
enum GzipDecoder {
  struct Result {
    var body: [UInt8] = []
    /// The body is longer than the limit.
    var isCut = false
    /// The last member has no end. The body has what came before.
    var endsEarly = false
    /// A member cannot be decoded, or its checksum is wrong.
    var isDamaged = false
  }

  static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

  /// - Parameter limit: bytes of the result.
  static func unpack(_ bytes: [UInt8], limit: Int) -> Result {
    var result = Result()
    var rest = bytes[...]
    while isGzip(rest), !result.isCut, !result.endsEarly, !result.isDamaged {
      let read = member(rest, limit: limit, into: &result)
      rest = rest.dropFirst(read)
    }
    return result
  }

  private static let piece = 64 << 10
  /// Maximum window, and only gzip's own header and trailer.
  private static let gzipWindow: Int32 = 15 + 16

  /// Appends one member and returns the number of its bytes.
  private static func member(_ bytes: ArraySlice<UInt8>, limit: Int, into result: inout Result) -> Int {
    var stream = z_stream()
    guard inflateInit2_(&stream, gzipWindow, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      result.isDamaged = true
      return 0
    }
    defer { inflateEnd(&stream) }
    bytes.withUnsafeBufferPointer { input in
      // zlib does not change its input, although its field is not constant.
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = UInt32(clamping: input.count)
      inflateAll(&stream, limit: limit, into: &result)
    }
    return Int(stream.total_in)
  }

  private static func inflateAll(_ stream: inout z_stream, limit: Int, into result: inout Result) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: piece) { room in
      while true {
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(piece)
        let code = inflate(&stream, Z_NO_FLUSH)
        let written = UnsafeBufferPointer(rebasing: room[..<(piece - Int(stream.avail_out))])
        let left = limit - result.body.count
        result.body.append(contentsOf: written.prefix(left))
        if written.count > left { return result.isCut = true }
        if code == Z_STREAM_END { return }
        let isStarved = stream.avail_in == 0 && stream.avail_out > 0
        if isStarved, code == Z_OK || code == Z_BUF_ERROR { return result.endsEarly = true }
        if code != Z_OK { return result.isDamaged = true }
      }
    }
  }
}
