/// The entry of a fuzzer: any bytes must give a feed within the limits, and the same one every time.
public enum FeedFuzzing {
  /// Reads the bytes whole and in pieces. False when the two disagree or a limit is not kept.
  public static func check(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let bytes = Array(bytes)
    let whole = FeedParser.parse(bytes)
    var parser = FeedParser()
    // The first piece must hold the declaration, as it does on any network.
    let first = min(bytes.count, 2048)
    parser.feed(bytes[..<first])
    for start in stride(from: first, to: bytes.count, by: 997) {
      parser.feed(bytes[start..<min(start + 997, bytes.count)])
    }
    let pieces = parser.finish()
    return pieces.items.count == whole.items.count && pieces.format == whole.format
      && whole.items.count <= FeedLimits().items && !(whole.wellFormed && whole.recovered)
  }
}
