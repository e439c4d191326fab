import CZlib

/// Decompresses gzip (RFC 1952): any number of members, which bytes of another kind may follow.
enum GzipDecoder {
  /// The decompressed bytes, and whether they are complete.
  struct Result {
    var body: [UInt8] = []
    /// There was more than the limit.
    var isCut = false
    /// A member is damaged or has no end. The body has what came before.
    var isDamaged = false
  }

  static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

  /// - Parameter limit: bytes of the result.
  static func unpack(_ bytes: [UInt8], limit: Int) -> Result {
    var result = Result()
    var rest = bytes[...]
    while isGzip(rest), !result.isCut, !result.isDamaged {
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
        if code != Z_OK || stream.avail_in == 0 && stream.avail_out > 0 { return result.isDamaged = true }
      }
    }
  }
}
