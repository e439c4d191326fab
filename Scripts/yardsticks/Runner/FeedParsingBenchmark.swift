internal import EmptyParse
internal import FeedParsing

/// Compares the feed parser with libxml2's SAX2 push parser and empty handlers, in one process and on the same document,
/// in turns.
enum FeedParsingBenchmark {
  /// Nanoseconds for one document: the fastest of all turns, which was disturbed least.
  struct Result: Sendable {
    let bytes: Int
    let items: Int
    /// Of all texts of all items, in UTF-8.
    let textBytes: Int
    let emptyNanoseconds: Int64
    let feedNanoseconds: Int64
    /// The same, with a `String` made of every text of every item.
    let readNanoseconds: Int64

    /// The parser's speed relative to the empty parser's; 1 means no cost at all.
    var ratio: Double { Double(emptyNanoseconds) / Double(max(1, feedNanoseconds)) }
    /// The same when every text is read.
    var readRatio: Double { Double(emptyNanoseconds) / Double(max(1, readNanoseconds)) }
  }

  /// - Parameter seconds: roughly how long to measure.
  static func run(document: [UInt8], seconds: Int = 2) -> Result {
    let chunk = 64 << 10
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    var empty = Duration.seconds(3600)
    var full = Duration.seconds(3600)
    var read = Duration.seconds(3600)
    var items = 0
    var texts = 0
    repeat {
      empty = min(empty, clock.measure { _ = empty_parse(document, document.count, chunk) })
      full = min(full, clock.measure { items = parse(document, chunk: chunk).items.count })
      read = min(read, clock.measure { texts = lengthOfTexts(parse(document, chunk: chunk)) })
    } while clock.now < deadline
    return Result(
      bytes: document.count, items: items, textBytes: texts, emptyNanoseconds: nanoseconds(empty),
      feedNanoseconds: nanoseconds(full), readNanoseconds: nanoseconds(read))
  }

  private static func parse(_ document: [UInt8], chunk: Int) -> ParsedFeed {
    var parser = FeedParser()
    for start in stride(from: 0, to: document.count, by: chunk) {
      parser.feed(document[start..<min(start + chunk, document.count)])
    }
    return parser.finish()
  }

  private static func lengthOfTexts(_ feed: ParsedFeed) -> Int {
    feed.items.reduce(0) { sum, item in
      sum + item.id.utf8.count + length(item.title) + length(item.url) + length(item.author)
        + length(item.summary)
    }
  }

  private static func length(_ text: String?) -> Int { text?.utf8.count ?? 0 }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
  }
}
