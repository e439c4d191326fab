internal import LibXML2Shim

/// Compares the parser with libxml2's SAX2 push parser under handlers that do nothing, in one process and on the
/// same document, turn by turn.
public enum FeedParsingBenchmark {
  /// Nanoseconds for one document: the best of all turns, which is the one least disturbed.
  public struct Result: Sendable, CustomStringConvertible {
    public let bytes: Int
    public let items: Int
    public let emptyNanoseconds: Int64
    public let feedNanoseconds: Int64

    /// The parser's speed as a part of the empty parser's: 1 would be no cost at all.
    public var ratio: Double { Double(emptyNanoseconds) / Double(max(1, feedNanoseconds)) }

    public var description: String {
      let percent = Int(ratio * 1000)
      return
        "\(bytes) bytes, \(items) items: libxml2 \(emptyNanoseconds / 1000) us, feed \(feedNanoseconds / 1000)"
        + " us, ratio \(percent / 1000).\(String(1000 + percent % 1000).dropFirst())"
    }
  }

  /// - Parameter seconds: how long to measure, about.
  public static func run(document: [UInt8], seconds: Int = 2) -> Result {
    let chunk = 64 << 10
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    var empty = Duration.seconds(3600)
    var full = Duration.seconds(3600)
    var items = 0
    repeat {
      empty = min(empty, clock.measure { _ = feed_xml_measure_empty(document, document.count, chunk) })
      full = min(full, clock.measure { items = parse(document, chunk: chunk) })
    } while clock.now < deadline
    return Result(
      bytes: document.count, items: items, emptyNanoseconds: nanoseconds(empty),
      feedNanoseconds: nanoseconds(full))
  }

  private static func parse(_ document: [UInt8], chunk: Int) -> Int {
    var parser = FeedParser()
    for start in stride(from: 0, to: document.count, by: chunk) {
      parser.feed(document[start..<min(start + chunk, document.count)])
    }
    return parser.finish().items.count
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
  }
}
